// The ears of the drill: a client's stream of notifications, under either contract.

/** Whose streams the drill knows how to open. */
export type DrillContract = '2025-11-25' | '2026-07-28';

/** How often `text` has come on a stream that stays open until the gateway ends. */
export async function listening(url: string, contract: DrillContract, text: string): Promise<() => number> {
  let heard = '';
  const accept = 'application/json, text/event-stream';
  let response: Response;
  if (contract === '2025-11-25') {
    const params = { protocolVersion: contract, capabilities: { tasks: {} }, clientInfo: { name: 'drill', version: '1' } };
    const headers = { 'content-type': 'application/json', accept };
    const opened = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
    });
    await opened.text();
    const id = opened.headers.get('mcp-session-id') ?? '';
    response = await fetch(url, {
      headers: { accept: 'text/event-stream', 'mcp-session-id': id, 'mcp-protocol-version': contract },
    });
  } else {
    const meta = (name: string) => `io.modelcontextprotocol/${name}`;
    const _meta = {
      [meta('protocolVersion')]: contract,
      [meta('clientInfo')]: { name: 'drill', version: '1' },
      [meta('clientCapabilities')]: {},
    };
    response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept,
        'mcp-protocol-version': contract,
        'mcp-method': 'subscriptions/listen',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: { notifications: { toolsListChanged: true }, _meta },
      }),
    });
  }
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) heard += decoder.decode(chunk as Uint8Array, { stream: true });
  })().catch(() => undefined);
  return () => heard.split(text).length - 1;
}
