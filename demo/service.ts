// What the demo's services share: a listening HTTP server that can be closed, and answers to what they can't serve.
// The services know nothing of Longshore: each is what an ordinary company service is, and keeps its jobs in memory.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler, type Express, type Response } from 'express';

/** A service that is up. */
export interface Service {
  readonly name: string;
  /** What it is, in two or three words. */
  readonly title: string;
  /** How it answers a request that takes long. */
  readonly style: string;
  /** `http://127.0.0.1:4101` */
  readonly url: string;
  /** Jobs it has begun since it started: the proof that a call started exactly one. */
  jobsCreated(): number;
  /** Ends open connections too. */
  close(): Promise<void>;
}

/** An application that reads JSON of any JSON media type, up to 100 kB. */
export function application(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use(express.json({ limit: '100kb', type: ['application/json', 'application/*+json'] }));
  return app;
}

/** Answers with problem details. @see RFC 9457 */
export function problem(response: Response, status: number, title: string, detail: string): void {
  response.status(status).type('application/problem+json').send(JSON.stringify({ status, title, detail }));
}

/** Opens `app` on loopback: on `port`, or on a free one where that is taken. */
export async function listen(app: Express, port: number): Promise<{ url: string; close(): Promise<void> }> {
  app.use((request, response) => problem(response, 404, 'Not found', `There is nothing at ${request.path}.`));
  app.use(((error: { status?: number; message: string }, _request, response, _next) => {
    problem(response, error.status ?? 500, 'Not readable', error.message);
  }) satisfies ErrorRequestHandler);
  const server = createServer(app);
  await bind(server, port).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    return bind(server, 0);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function bind(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}
