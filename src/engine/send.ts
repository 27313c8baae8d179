// Sending what may change something at an upstream: a submit, a step, a cancel, an answer.
//   D1. Its intent is durable already, and holds for so long. It leaves within that time or not at all: a process that stood
//       still in between knows nothing of what others did meanwhile.

import type { Descriptor } from '../core/descriptor.ts';
import type { Exchange, ExchangePurpose, HttpRequest } from '../core/http.ts';
import type { Context } from './context.ts';

export interface Sending {
  readonly purpose: ExchangePurpose;
  /** The monotonic instant at which its intent was made, in milliseconds. */
  readonly startedMs: number;
  /** How long the intent holds. */
  readonly leaseMs: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Sends it if there is time left, which is looked at right before the first byte (D1), and waits no longer than that. */
export async function sendInTime(
  { clock, transport }: Context,
  descriptor: Descriptor,
  request: HttpRequest,
  { purpose, startedMs, leaseMs, timeoutMs, signal }: Sending,
): Promise<Exchange> {
  const leftMs = leaseMs - (clock.monotonic() - startedMs);
  if (leftMs <= 0) {
    const message = `the gateway stood still before the ${purpose} could leave`;
    return { ok: false, failure: { kind: 'aborted', mayHaveBeenSent: false, message } };
  }
  const bytesMax = descriptor.responseBytesMax;
  return transport.send(descriptor.upstream, request, { timeoutMs: Math.min(timeoutMs, leftMs), bytesMax, purpose, signal });
}
