// The state that a call which asks back carries through its client: which operation the call is about, sealed.
//   Q1. What comes back is believed only if the seal is right for this operation, principal, tool and arguments.
//   Q2. The key is the operation's own submission key: random, kept with the operation, and never shown to a client. So a seal
//       outlives a restart, holds in every replica on one ledger, and there is no key to keep, rotate or lose.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalJson, type JsonObject } from '../core/json.ts';
import type { Operation } from '../core/operation.ts';

/** The call that is made again. */
export interface SealedCall {
  readonly tool: string;
  readonly arguments: JsonObject;
}

const DOMAIN = 'longshore request state 1';

function sealOf(operation: Operation, round: string, call: SealedCall): Buffer {
  const { id, principal, submissionKey } = operation;
  const sealed = canonicalJson([DOMAIN, id, round, principal, call.tool, call.arguments]);
  return createHmac('sha256', submissionKey).update(sealed).digest();
}

/** `<operation>.<round>.<seal>` */
export function sealState(operation: Operation, call: SealedCall): string {
  const round = String(operation.round);
  return `${operation.id}.${round}.${sealOf(operation, round, call).toString('base64url')}`;
}

/** The operation that a state names; nothing is believed of it yet. */
export const operationIn = (state: string): string => state.split('.', 1)[0] ?? '';

/** Whether a state was sealed for this operation and call. */
export function isSealed(state: string, operation: Operation, call: SealedCall): boolean {
  const [id, round = '', seal = '', ...more] = state.split('.');
  const given = Buffer.from(seal, 'base64url');
  const wanted = sealOf(operation, round, call);
  return more.length === 0 && id === operation.id && given.length === wanted.length && timingSafeEqual(given, wanted);
}
