// A client of one gateway's admin API: asks, and says in sentences why there is no answer.

import type { Config } from '../config/config.ts';
import { isJsonObject, type JsonObject, stringifyJson, tryParseJson } from '../core/json.ts';
import { baseOf } from './health.ts';

/** Reads may walk a whole history. */
const TIMEOUT_MS = 30_000;

export type Answer =
  | { readonly kind: 'answer'; readonly value: JsonObject }
  /** `problem`: what the gateway said, where it did. `why`: for people, with the way on. */
  | { readonly kind: 'failed'; readonly why: string; readonly problem?: JsonObject };

export interface AdminClient {
  get(path: string, parameters?: Readonly<Record<string, string | undefined>>): Promise<Answer>;
  post(path: string, body: JsonObject): Promise<Answer>;
}

/** A client, or why there can't be one. `url`: where the gateway is, if not where the configuration says. */
export function adminClient(config: Config, url?: string): AdminClient | { readonly why: string } {
  const { admin, file } = config;
  if (admin === undefined) {
    return {
      why: [
        `${file} turns no admin API on. To turn it on, add`,
        '  admin: { token: { env: LONGSHORE_ADMIN_TOKEN } }',
        'set that variable to the same secret (openssl rand -base64 32) for the gateway and for yourself, and restart the gateway.',
      ].join('\n'),
    };
  }
  const token = admin.token?.reveal();
  if (token === undefined) {
    return { why: `The operators’ token can’t be read here: set what admin.token in ${file} names.` };
  }
  const base = (url ?? baseOf(config)).replace(/\/(mcp\/?)?$/, '');
  return {
    get: (path, parameters = {}) => {
      const given = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
      const query = new URLSearchParams(given as [string, string][]).toString();
      return ask(base, token, `${path}${query === '' ? '' : `?${query}`}`);
    },
    post: (path, body) => ask(base, token, path, stringifyJson(body)),
  };
}

async function ask(base: string, token: string, path: string, body?: string): Promise<Answer> {
  const url = `${base}/admin/v1${path}`;
  try {
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body !== undefined && { method: 'POST', body }),
    });
    const value = tryParseJson(await response.text());
    if (response.ok && isJsonObject(value)) return { kind: 'answer', value };
    const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json') === true;
    if (!isProblem || !isJsonObject(value)) {
      const why = `${base} answers, but has no admin API: it was started without admin.token, or is no gateway. Restart it.`;
      return { kind: 'failed', why };
    }
    const detail = typeof value['detail'] === 'string' ? value['detail'] : `HTTP ${response.status}`;
    const why =
      response.status === 401
        ? `The gateway at ${base} was started with another token. Restart it, or use the same one.`
        : detail;
    return { kind: 'failed', why, problem: value };
  } catch (error) {
    const { message, cause } = error as { readonly message: string; readonly cause?: { readonly code?: string } };
    return {
      kind: 'failed',
      why: `No gateway answers at ${base} (${cause?.code ?? message}): start it with longshore serve. Nothing is lost meanwhile; it goes on with what its ledger holds.`,
    };
  }
}
