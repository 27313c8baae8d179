// A service on loopback that answers what a test says and remembers what it was sent, byte by byte.

import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { systemClock } from '../../src/clock.ts';
import type { Exchange, HttpRequest, SendOptions } from '../../src/core/http.ts';
import { createClient, type Endpoint } from '../../src/upstream/client.ts';

export interface Received {
  readonly method: string;
  readonly target: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  /** Which connection it came on, counted from 1. */
  readonly connection: number;
}

export type Answerer = (request: Received, response: http.ServerResponse, raw: http.IncomingMessage) => void;

export class Loopback implements AsyncDisposable {
  readonly received: Received[] = [];
  connections = 0;
  readonly #server: http.Server;

  private constructor(server: http.Server) {
    this.#server = server;
  }

  static async listen(answer: Answerer): Promise<Loopback> {
    const server = http.createServer();
    const loopback = new Loopback(server);
    const numbers = new WeakMap<net.Socket, number>();
    server.on('connection', (socket: net.Socket) => numbers.set(socket, ++loopback.connections));
    server.on('request', (raw, response) => {
      const chunks: Buffer[] = [];
      raw.on('data', (chunk: Buffer) => chunks.push(chunk));
      raw.on('end', () => {
        const request: Received = {
          method: raw.method ?? '',
          target: raw.url ?? '',
          headers: raw.headers,
          body: Buffer.concat(chunks).toString('utf8'),
          connection: numbers.get(raw.socket) ?? 0,
        };
        loopback.received.push(request);
        answer(request, response, raw);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return loopback;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A bare TCP server that answers any bytes with these, and hangs up. */
export async function speaking(bytes: string): Promise<{ readonly origin: string } & AsyncDisposable> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** An origin where nobody listens. */
export async function deserted(): Promise<string> {
  const server = await speaking('');
  await server[Symbol.asyncDispose]();
  return server.origin;
}

export const get = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  url,
  headers: [],
  ...more,
});

export const post = (url: string, body = '{}'): HttpRequest => ({
  method: 'POST',
  url,
  headers: [['Content-Type', 'application/json']],
  body,
});

/** Sends by a client of its own, whose one upstream is `up`. */
export async function send(
  endpoint: Partial<Endpoint> & Pick<Endpoint, 'ownOrigins'>,
  request: HttpRequest,
  options: Partial<SendOptions> = {},
): Promise<Exchange> {
  const whole: Endpoint = { allowedOrigins: [], credentials: [], requestBytesMax: 1 << 20, ...endpoint };
  const client = createClient({
    endpoint: (name) => (name === 'up' ? whole : undefined),
    version: '0.0.0',
    clock: systemClock,
  });
  try {
    return await client.send('up', request, { timeoutMs: 2000, bytesMax: 1 << 20, ...options });
  } finally {
    client.close();
  }
}
