// MCP by hand: single requests under either contract, where a test must see what is on the wire, or a client library would
// follow up by itself.

export interface RpcAnswer {
  readonly status: number;
  /** Empty where there is an error. */
  readonly result: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface Wire {
  rpc(method: string, params: Record<string, unknown>): Promise<RpcAnswer>;
}

const META = 'io.modelcontextprotocol';
export const INFO = { name: 'longshore-e2e', version: '1.0.0' };

async function post(
  url: string,
  headers: Record<string, string>,
  message: Record<string, unknown>,
): Promise<RpcAnswer & { session?: string }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
  const text = await response.text();
  const data = text
    .split('\n')
    .filter((line) => line.startsWith('data: {') || line.startsWith('{'))
    .map((line) => JSON.parse(line.replace(/^data: /, '')))
    .find((answer) => answer.id === message['id'] && !('method' in answer));
  const session = response.headers.get('mcp-session-id');
  return { status: response.status, result: {}, ...data, ...(session === null ? {} : { session }) };
}

/** Requests under 2026-07-28; `tasks: false` leaves the extension undeclared. */
export function modern(
  url: string,
  { tasks = true, capabilities }: { readonly tasks?: boolean; readonly capabilities?: object } = {},
): Wire {
  let id = 0;
  return {
    rpc: (method, params) => {
      const name = params['name'] ?? params['taskId'];
      return post(
        url,
        {
          'MCP-Protocol-Version': '2026-07-28',
          'Mcp-Method': method,
          ...(typeof name === 'string' && { 'Mcp-Name': name }),
        },
        {
          id: ++id,
          method,
          params: {
            ...params,
            _meta: {
              ...(params['_meta'] as object | undefined),
              [`${META}/protocolVersion`]: '2026-07-28',
              [`${META}/clientInfo`]: INFO,
              [`${META}/clientCapabilities`]: capabilities ?? (tasks ? { extensions: { [`${META}/tasks`]: {} } } : {}),
            },
          },
        },
      );
    },
  };
}

/** Requests in a session of 2025-11-25. */
export async function session(url: string, capabilities: Record<string, unknown> = { tasks: {} }): Promise<Wire> {
  let id = 1;
  const version = '2025-11-25';
  const params = { protocolVersion: version, capabilities, clientInfo: INFO };
  const opened = await post(url, {}, { id, method: 'initialize', params });
  if (opened.session === undefined) throw new Error(`no session: HTTP ${opened.status} ${opened.error?.message ?? ''}`);
  const headers = { 'Mcp-Session-Id': opened.session, 'MCP-Protocol-Version': version };
  await post(url, headers, { method: 'notifications/initialized' });
  return { rpc: (method, params) => post(url, headers, { id: ++id, method, params }) };
}

/** The text of a CallToolResult. */
export function textOf(result: unknown): string {
  const { content = [] } = (result ?? {}) as { content?: readonly { readonly text?: string }[] };
  return content.map((item) => item.text ?? '').join('\n');
}

/** The operation that a pending answer names. */
export function operationOf(result: unknown): string {
  const { structuredContent } = result as { readonly structuredContent?: { outcome?: unknown; operation?: unknown } };
  const { outcome, operation } = structuredContent ?? {};
  if (outcome !== 'pending' || typeof operation !== 'string')
    throw new Error(`not a pending answer: ${JSON.stringify(result)}`);
  return operation;
}

/** Names of the tools that are offered, in their order. */
export async function toolNames(wire: Wire): Promise<string[]> {
  const { result } = await wire.rpc('tools/list', {});
  return (result['tools'] as readonly { readonly name: string }[]).map(({ name }) => name);
}
