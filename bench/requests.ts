// MCP requests as they stand on the wire, under either contract.

import { type Shot, send } from './load.ts';

/** Writes the next request of one client. */
export type Client = (method: string, params: Readonly<Record<string, unknown>>) => Shot;

const META = 'io.modelcontextprotocol';
const INFO = { name: 'longshore-bench', version: '1' };
const COMMON = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

const message = (members: Readonly<Record<string, unknown>>): string => JSON.stringify({ jsonrpc: '2.0', ...members });

/** 2026-07-28: every request on its own. */
export function requestClient(origin: string): Client {
  let id = 0;
  const envelope = {
    [`${META}/protocolVersion`]: '2026-07-28',
    [`${META}/clientInfo`]: INFO,
    [`${META}/clientCapabilities`]: { extensions: { [`${META}/tasks`]: {} } },
  };
  return (method, params) => {
    const name = params['name'] ?? params['taskId'];
    return {
      method: 'POST',
      url: `${origin}/mcp`,
      headers: {
        ...COMMON,
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': method,
        ...(name === undefined ? {} : { 'Mcp-Name': String(name) }),
      },
      body: message({ id: ++id, method, params: { ...params, _meta: envelope } }),
    };
  };
}

/** 2025-11-25: in a session, which this opens. */
export async function sessionClient(origin: string): Promise<Client> {
  const url = `${origin}/mcp`;
  const version = '2025-11-25';
  const hello = { protocolVersion: version, capabilities: { tasks: {} }, clientInfo: INFO };
  const body = message({ id: 0, method: 'initialize', params: hello });
  const opened = await send({ method: 'POST', url, headers: COMMON, body });
  const session = opened.headers['mcp-session-id'];
  if (typeof session !== 'string') throw new Error(`no session: HTTP ${opened.status} ${opened.body}`);
  const headers = { ...COMMON, 'MCP-Protocol-Version': version, 'Mcp-Session-Id': session };
  await send({ method: 'POST', url, headers, body: message({ method: 'notifications/initialized' }) });
  let id = 0;
  return (method, params) => ({ method: 'POST', url, headers, body: message({ id: ++id, method, params }) });
}
