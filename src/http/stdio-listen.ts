// subscriptions/listen with taskIds over stdio: what it tells goes out among everything else, marked with the id of its request.
// The SDK is asked first, by the same request without the ids. What it refuses is its answer; what it acknowledges is taken over.

import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/server';
import { LOCAL_PRINCIPAL } from '../core/ids.ts';
import { isJsonObject, type Json } from '../core/json.ts';
import { type ListenRequest, SUBSCRIPTION_ID, type TaskSubscriptions, withoutTaskIds } from './task-subscriptions.ts';

/** A transport on which such requests are answered as well. `gone` aborts when the connection has ended. */
export function withTaskSubscriptions(wire: Transport, subscriptions: TaskSubscriptions, gone: AbortSignal): Transport {
  /** Asked of the SDK and not answered yet; `undefined`: cancelled meanwhile. */
  const asked = new Map<RequestId, ListenRequest | undefined>();
  const served = new Map<RequestId, AbortController>();

  async function serve(request: ListenRequest): Promise<void> {
    const { id } = request;
    const refused = subscriptions.refusal(request, LOCAL_PRINCIPAL);
    if (refused !== undefined) {
      const { code, message, data } = refused;
      await wire.send({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } });
      return;
    }
    const over = new AbortController();
    served.get(id)?.abort();
    served.set(id, over);
    over.signal.addEventListener('abort', () => served.get(id) === over && served.delete(id), { once: true });
    await subscriptions.serve(request, LOCAL_PRINCIPAL, {
      over: AbortSignal.any([over.signal, gone]),
      send: (message) => wire.send(message as JSONRPCMessage),
      close: () => over.abort(),
    });
  }

  const transport: Transport = {
    async start() {
      wire.onclose = () => transport.onclose?.();
      wire.onerror = (error) => transport.onerror?.(error);
      wire.onmessage = (message) => {
        const cancelled = cancelledBy(message);
        if (cancelled !== undefined && served.has(cancelled)) return served.get(cancelled)?.abort();
        if (cancelled !== undefined && asked.has(cancelled)) asked.set(cancelled, undefined);
        if (!subscriptions.wants(message)) return transport.onmessage?.(message);
        asked.set(message.id, message);
        transport.onmessage?.(withoutTaskIds(message) as JSONRPCMessage);
      };
      await wire.start();
    },
    async send(message, options) {
      const id = subscriptionOf(message);
      // Until the SDK has dropped its own part of a subscription, it may tell what is told here.
      if (id !== undefined && served.has(id)) return;
      if (id === undefined || !asked.has(id)) return wire.send(message, options);
      const request = asked.get(id);
      asked.delete(id);
      if (!('method' in message)) return wire.send(message, options);
      transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
      // Not waited for: the SDK reads nothing more until this message is sent.
      if (request !== undefined) void serve(request).catch((error: Error) => transport.onerror?.(error));
    },
    close: () => wire.close(),
  };
  return transport;
}

/** The request that a message answers, acknowledges, or tells something for. */
function subscriptionOf(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message)) return message.id;
  const meta = message.params?.['_meta'] as Json | undefined;
  return isJsonObject(meta) ? (meta[SUBSCRIPTION_ID] as RequestId | undefined) : undefined;
}

function cancelledBy(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined;
  return message.params?.['requestId'] as RequestId | undefined;
}
