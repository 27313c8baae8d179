// Listening to tasks under 2026-07-28: one stream that tells of every change, so that whoever waits need not ask and the gateway
// is not loaded by it.

import http from 'node:http';
import { createInterface } from 'node:readline';
import type { Shot } from './load.ts';

export interface Shown {
  readonly taskId: string;
  readonly status: string;
}

/**
 * Sends a subscriptions/listen. `onTask` is called with every task as it is, then with every change.
 * @returns what closes the stream; `failed` rejects when it ends earlier
 */
export function listen(
  { method, url, headers, body }: Shot,
  onTask: (shown: Shown) => void,
): { readonly failed: Promise<never>; close(): void } {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => undefined);
  const request = http.request(url, { method, headers, agent: false }, (response) => {
    const lines = createInterface({ input: response });
    lines.on('line', (line) => {
      if (!line.startsWith('data: ')) return;
      const message = JSON.parse(line.slice('data: '.length)) as { readonly method?: string; readonly params?: Shown };
      if (message.method === 'notifications/tasks' && message.params !== undefined) onTask(message.params);
    });
    lines.once('error', reject);
    response.once('close', () => reject(new Error(`the stream of tasks ended: HTTP ${response.statusCode}`)));
  });
  request.once('error', reject);
  request.end(body);
  return { failed, close: () => request.destroy() };
}
