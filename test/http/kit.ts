// The app on a real port, with a scripted engine behind it, and small clients for both legs of the protocol.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { Config } from '../../src/config/config.ts';
import { silentLog } from '../../src/core/log.ts';
import type { Clock } from '../../src/core/time.ts';
import type { Tool } from '../../src/core/tool.ts';
import { type App, type AppParts, createApp } from '../../src/http/app.ts';
import type { House } from '../engine/kit.ts';
import { call, catalogueOf, job, ScriptedEngine } from './scripted-engine.ts';

export const EXTENSION = 'io.modelcontextprotocol/tasks';
export const META = (name: string): string => `io.modelcontextprotocol/${name}`;

export function configOf(
  overrides: {
    readonly taskless?: Config['taskless'];
    readonly contracts?: Config['contracts'];
    readonly server?: Partial<Config['server']>;
  } = {},
): Config {
  return {
    file: '/longshore.yaml',
    server: {
      host: '127.0.0.1',
      port: 0,
      allowedHosts: [],
      allowedOrigins: [],
      insecurePublicBind: false,
      requestBytesMax: 10_000,
      sessionsMax: 10,
      sessionIdleMs: 600_000,
      drainMs: 1_000,
      ...overrides.server,
    },
    ledger: { kind: 'sqlite', path: ':memory:' },
    identity: 'none',
    contracts: overrides.contracts ?? ['2025-11-25', '2026-07-28'],
    taskless: overrides.taskless ?? 'serve',
    limits: { pollsPerSecondMax: 10, operationsPerPrincipalMax: 100, inlineWaitMs: 200, resultBytesInlineMax: 10_000 },
    retentionMs: 3_600_000,
    log: { level: 'error' },
    upstreams: [],
  } as unknown as Config;
}

/** A clock on which nobody waits long for a client to come back. */
export const hasty: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 20), signal) };

export const TOOLS: readonly Tool[] = [
  job('create_export', { taskSupport: 'required' }),
  job('maybe_export', { taskSupport: 'optional', inlineWaitMs: 100 }),
  call('get_order'),
];

export async function standUp(parts: Partial<AppParts> & { readonly tools?: readonly Tool[] } = {}) {
  const engine = new ScriptedEngine();
  const { app, close, connectStdio } = createApp({
    engine,
    catalogue: catalogueOf(...(parts.tools ?? TOOLS)),
    config: configOf(),
    log: silentLog,
    clock: systemClock,
    ...parts,
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    await close();
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { engine, origin, url: `${origin}/mcp`, close, connectStdio };
}

// biome-ignore lint/suspicious/noExplicitAny: wire messages are read as they come
export type Wire = any;

export interface Answered {
  readonly http: number;
  readonly headers: Headers;
  readonly text: string;
  readonly messages: readonly Wire[];
  readonly result: Wire;
  readonly error: Wire;
}

/** POSTs one message, whole. SSE answers are read to their end. */
export async function post(
  url: string,
  message: unknown,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Answered> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof message === 'string' ? message : JSON.stringify(message),
    ...(signal && { signal }),
  });
  const text = await response.text();
  const sse = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const bodies = sse ? text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [line.slice(6)] : [])) : [text];
  const messages: readonly Wire[] = bodies.filter((body) => body !== '').map((body) => JSON.parse(body));
  const last = messages.find((one) => 'result' in one || 'error' in one);
  return { http: response.status, headers: response.headers, text, messages, result: last?.result, error: last?.error };
}

let ids = 0;

/** A 2025-11-25 session, opened. */
export async function session(
  url: string,
  options: {
    readonly tasks?: boolean;
    readonly version?: string;
    readonly headers?: Record<string, string>;
    readonly capabilities?: object;
  } = {},
) {
  const capabilities = options.capabilities ?? (options.tasks === false ? {} : { tasks: {} });
  const params = { protocolVersion: options.version ?? '2025-11-25', capabilities, clientInfo: { name: 'test', version: '1' } };
  const opened = await post(url, { jsonrpc: '2.0', id: 0, method: 'initialize', params }, options.headers);
  const id = opened.headers.get('mcp-session-id') ?? '';
  const headers = {
    'mcp-session-id': id,
    'mcp-protocol-version': opened.result?.protocolVersion ?? '2025-11-25',
    ...options.headers,
  };
  await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
  return {
    id,
    headers,
    opened,
    rpc: (method: string, given: object = {}, signal?: AbortSignal) => {
      ids += 1;
      return post(url, { jsonrpc: '2.0', id: ids, method, params: given }, headers, signal);
    },
    /** A request whose answer is read message by message. */
    open: (method: string, given: object = {}) => {
      ids += 1;
      const body = JSON.stringify({ jsonrpc: '2.0', id: ids, method, params: given });
      const accept = 'application/json, text/event-stream';
      return open(url, { method: 'POST', body, headers: { 'content-type': 'application/json', accept, ...headers } });
    },
    /** The session's stream: messages as they come. */
    stream: (more: Record<string, string> = {}) => open(url, { headers: { ...headers, accept: 'text/event-stream', ...more } }),
  };
}

/** A stream of server-sent events, read message by message. */
async function open(url: string, init: RequestInit) {
  const stop = new AbortController();
  const response = await fetch(url, { ...init, signal: stop.signal });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  let buffered = '';
  return {
    http: response.status,
    close: () => stop.abort(),
    /** The id of the first event that has come. */
    async eventId(): Promise<string> {
      for (;;) {
        const id = /^id: (.*)\n/m.exec(buffered)?.[1];
        if (id !== undefined) return id;
        const { value, done } = await reader.read();
        if (done) throw new Error('the stream ended without an event');
        buffered += decoder.decode(value, { stream: true });
      }
    },
    /** The next message; `undefined` when the stream has ended. */
    async next(): Promise<Wire> {
      for (;;) {
        const line = buffered.split('\n').find((one) => one.startsWith('data: {'));
        if (line !== undefined && buffered.includes(`${line}\n`)) {
          buffered = buffered.slice(buffered.indexOf(line) + line.length);
          return JSON.parse(line.slice(6));
        }
        const { value, done } = await reader.read();
        if (done) return isStream || buffered === '' ? undefined : JSON.parse(buffered);
        buffered += decoder.decode(value, { stream: true });
      }
    },
    /** Whether `text` is somewhere in what has come or comes, messages or not. */
    async until(text: string): Promise<boolean> {
      while (!buffered.includes(text)) {
        const { value, done } = await reader.read();
        if (done) return false;
        buffered += decoder.decode(value, { stream: true });
      }
      return true;
    },
    /** Everything that is left, where the answer is no stream. */
    async text(): Promise<string> {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return buffered;
        buffered += decoder.decode(value, { stream: true });
      }
    },
  };
}

interface RequestOptions {
  /** False: without the extension. */
  readonly tasks?: boolean;
  readonly meta?: object;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

function framed(method: string, params: Record<string, unknown>, options: RequestOptions) {
  ids += 1;
  const _meta = {
    [META('protocolVersion')]: '2026-07-28',
    [META('clientInfo')]: { name: 'test', version: '1' },
    [META('clientCapabilities')]: options.tasks === false ? {} : { extensions: { [EXTENSION]: {} } },
    ...options.meta,
  };
  const name = params['name'] ?? params['taskId'] ?? params['uri'];
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': name }),
    ...options.headers,
  };
  return { id: ids, headers, message: { jsonrpc: '2.0', id: ids, method, params: { ...params, _meta } } };
}

/** One 2026-07-28 request. */
export async function request(
  url: string,
  method: string,
  params: Record<string, unknown> = {},
  options: RequestOptions = {},
): Promise<Answered> {
  const { headers, message } = framed(method, params, options);
  return post(url, message, headers, options.signal);
}

/** subscriptions/listen of 2026-07-28. */
export async function listen(url: string, notifications: object, options: RequestOptions = {}) {
  const { id, headers, message } = framed('subscriptions/listen', { notifications }, options);
  const stream = await open(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(message),
  });
  return { id, ...stream };
}

/** A client of 2026-07-28 on standard streams: requests by hand, and whatever comes, in order. */
export function stdio(connectStdio: App['connectStdio']) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const connection = connectStdio({ input, output });
  const lines = createInterface({ input: output })[Symbol.asyncIterator]();
  const writeText = (text: string) => input.write(text);
  const write = (message: object) => writeText(`${JSON.stringify(message)}\n`);
  const next = async (): Promise<Wire> => {
    const { value, done } = await lines.next();
    return done === true ? undefined : JSON.parse(value);
  };
  return {
    connection,
    next,
    write,
    writeText,
    hangUp: () => input.end(),
    /** Sends without waiting. */
    send(method: string, params: Record<string, unknown> = {}, options: RequestOptions = {}): number {
      const { id, message } = framed(method, params, options);
      write(message);
      return id;
    },
    /** One request and its answer; nothing else may be on the way. */
    async rpc(method: string, params: Record<string, unknown> = {}, options: RequestOptions = {}): Promise<Wire> {
      this.send(method, params, options);
      return next();
    },
    cancel: (requestId: number) => write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }),
  };
}

/** An answer that comes when virtual time has passed. */
export async function inTime<T>({ home }: { readonly home: Pick<House, 'clock'> }, answer: Promise<T>): Promise<T> {
  let over = false;
  const settled = answer.finally(() => {
    over = true;
  });
  while (!over) await home.clock.advance(1_000);
  return settled;
}

/** What a model reads of a result. */
export const textOf = (result: Wire): string => result.content.map(({ text }: { text: string }) => text).join('\n');
