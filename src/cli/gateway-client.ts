// A client of one gateway: MCP 2026-07-28 with Tasks, every request on its own. No more of the protocol than a call needs.
//   G1. What a gateway answers is data: nothing of it is believed to have a shape before it was looked at.
//   G2. Numbers keep their digits on the way there and back.

import { isJsonObject, type Json, type JsonObject, stringifyJson, tryParseJson } from '../core/json.ts';

const PROTOCOL = '2026-07-28';
const META = 'io.modelcontextprotocol';

export type Reply =
  | { readonly kind: 'result'; readonly result: JsonObject }
  /** The gateway's own refusal, in JSON-RPC's terms. */
  | { readonly kind: 'error'; readonly code: number; readonly message: string }
  /** Something answers there that is no gateway, or that does not let this caller in. */
  | { readonly kind: 'stranger'; readonly status: number; readonly message: string }
  | { readonly kind: 'unreachable'; readonly message: string };

export interface GatewayClient {
  readonly url: string;
  ask(method: string, params: JsonObject, signal: AbortSignal): Promise<Reply>;
}

/**
 * @param version Longshore's own, as clients name theirs.
 * @param token Sent as a bearer token, where the gateway identifies callers.
 */
export function gatewayClient(url: string, version: string, token: string | undefined): GatewayClient {
  let id = 0;
  return {
    url,
    ask: async (method, params, signal) => {
      id += 1;
      const name = params['name'] ?? params['taskId'];
      const meta = {
        [`${META}/protocolVersion`]: PROTOCOL,
        [`${META}/clientInfo`]: { name: 'longshore-cli', version },
        [`${META}/clientCapabilities`]: { extensions: { [`${META}/tasks`]: {} } },
      };
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': PROTOCOL,
        'mcp-method': method,
        ...(typeof name === 'string' && /^[\x20-\x7e]+$/.test(name) ? { 'mcp-name': name } : {}),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      };
      const body = stringifyJson({ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } });
      try {
        const response = await fetch(url, { method: 'POST', headers, body, signal });
        return read(response.status, response.headers.get('content-type') ?? '', await response.text(), id);
      } catch (error) {
        if (signal.aborted) throw error;
        const { message, cause } = error as {
          readonly message: string;
          readonly cause?: { readonly code?: string; readonly message?: string };
        };
        return { kind: 'unreachable', message: cause?.code ?? cause?.message ?? message };
      }
    },
  };
}

function read(status: number, type: string, text: string, id: number): Reply {
  const texts = type.startsWith('text/event-stream')
    ? text.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []))
    : [text];
  const messages = texts.map(tryParseJson).filter((message): message is JsonObject => isJsonObject(message));
  const answer = messages.find((message) => message['id'] === id) ?? messages.find((message) => message['error'] !== undefined);
  const { result, error } = answer ?? {};
  if (isJsonObject(result)) return { kind: 'result', result };
  const said: Json | undefined = isJsonObject(error) ? error['message'] : undefined;
  if (isJsonObject(error) && typeof said === 'string' && status !== 401 && status !== 403) {
    return { kind: 'error', code: Number(error['code']), message: said };
  }
  return { kind: 'stranger', status, message: typeof said === 'string' ? said : `HTTP ${status}, and no MCP` };
}
