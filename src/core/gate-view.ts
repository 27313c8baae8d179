// Gates as operators see them: JSON for the admin API, which the command line only lays out. Instants are ISO 8601 in UTC.

import { type Gate, type GateMode, type GatePlace, gateName } from './gates.ts';
import type { EpochMs } from './time.ts';

/** One line of the list. What is absent was never changed. */
export interface GateShown extends GatePlace {
  /** As callers are told it: `http-202@1 × 2025-11-25`, and what narrows it. */
  readonly gate: string;
  readonly mode: GateMode;
  readonly share?: number;
  readonly reason?: string;
  readonly actor?: string;
  readonly epoch?: number;
  readonly since?: string;
  /** Operations that live, of those it is about. */
  readonly live?: number;
}

type Kept = GatePlace & { readonly mode: GateMode; readonly live?: number } & Partial<Omit<Gate, keyof GatePlace | 'mode'>>;

export function gateShown({ since, ...gate }: Kept): GateShown {
  return { gate: gateName(gate), ...gate, ...(since !== undefined && { since: timeText(since) }) };
}

/** What a caller was answered past an operation, and what that came to. */
export interface ShadowShown {
  readonly operation: string;
  readonly tool: string;
  readonly upstream: string;
  readonly contract: string;
  readonly at: string;
  readonly answered: { readonly status?: number; readonly excerpt: string };
  readonly tracked: { readonly life: string; readonly outcome?: string };
}

export function shadowShown(row: {
  readonly operationId: string;
  readonly tool: string;
  readonly upstream: string;
  readonly contract: string;
  readonly at: EpochMs;
  readonly status?: number;
  readonly excerpt: string;
  readonly life: string;
  readonly outcome?: string;
}): ShadowShown {
  const { operationId: operation, tool, upstream, contract, at, status, excerpt, life, outcome } = row;
  return {
    operation,
    tool,
    upstream,
    contract,
    at: timeText(at),
    answered: { ...(status !== undefined && { status }), excerpt },
    tracked: { life, ...(outcome !== undefined && { outcome }) },
  };
}

const timeText = (at: EpochMs): string => new Date(at).toISOString();
