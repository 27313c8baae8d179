// The admin API on a real port, in front of the real engine on virtual time.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { Config } from '../../src/config/config.ts';
import { holdSecret } from '../../src/config/secret.ts';
import { type Log, silentLog } from '../../src/core/log.ts';
import { createApp } from '../../src/http/app.ts';
import { type House, house } from '../engine/kit.ts';
import { configOf } from './kit.ts';
import { catalogueOf } from './scripted-engine.ts';

export const TOKEN = 'correct-horse-battery-staple';

export interface Desk {
  readonly home: House;
  readonly origin: string;
  /** What was logged by the app, as `message fields`. */
  readonly logged: readonly string[];
}

/** `token: undefined`: none is configured. */
export async function desk(
  scripts: Parameters<typeof house>[0],
  options: Parameters<typeof house>[1] & {
    readonly token?: string | undefined;
    readonly server?: Partial<Config['server']>;
  } = {},
): Promise<Desk> {
  const { token = 'token' in options ? undefined : TOKEN, server: settings, ...more } = options;
  const home = await house(scripts, more);
  const logged: string[] = [];
  const note = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { ...silentLog, info: note, warn: note, error: note };
  const config = configOf(settings === undefined ? {} : { server: settings });
  const { app, close } = createApp({
    engine: home.engine,
    catalogue: catalogueOf(home.tool),
    config: token === undefined ? config : { ...config, admin: { token: holdSecret(token) } },
    log,
    clock: systemClock,
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    await close();
    server.closeAllConnections();
    server.close();
    await home.close();
  });
  return { home, logged, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

// biome-ignore lint/suspicious/noExplicitAny: answers are read as they come
type Wire = any;

export interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly type: string;
  readonly text: string;
  readonly body: Wire;
}

/** Asks the admin API; a `body` is posted. */
export async function ask(
  origin: string,
  path: string,
  { body, headers = {} }: { readonly body?: unknown; readonly headers?: Record<string, string> } = {},
): Promise<Told> {
  const response = await fetch(`${origin}/admin/v1${path}`, {
    headers: {
      authorization: `Bearer ${TOKEN}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const type = response.headers.get('content-type')?.split(';', 1)[0] ?? '';
  return {
    status: response.status,
    headers: response.headers,
    type,
    text,
    body: type.endsWith('json') ? JSON.parse(text) : undefined,
  };
}
