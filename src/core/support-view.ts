// What tools say about Tasks as operators see it: JSON for the admin API, which the command line only lays out. Instants are ISO 8601 in UTC.

import type { Measured, SupportMove } from './durations.ts';
import type { TaskSupport } from './tool.ts';

/** How long the newest jobs of a tool took. */
export interface MeasuredShown {
  readonly jobs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly longestMs: number;
}

/** One line of the list. */
export interface SupportShown {
  readonly tool: string;
  readonly upstream: string;
  readonly adapter: string;
  readonly taskSupport: TaskSupport;
  readonly why: string;
  /** Measured durations move it. */
  readonly moves: boolean;
  readonly measured?: MeasuredShown;
}

/** One move. */
export interface MoveShown {
  readonly position: number;
  readonly tool: string;
  readonly upstream: string;
  readonly from: TaskSupport;
  readonly to: TaskSupport;
  readonly at: string;
  readonly measured: MeasuredShown;
}

const measuredShown = ({ count, ...rest }: Measured): MeasuredShown => ({ jobs: count, ...rest });

export function supportShown({
  measured,
  ...standing
}: Omit<SupportShown, 'measured'> & { readonly measured?: Measured }): SupportShown {
  return { ...standing, ...(measured !== undefined && { measured: measuredShown(measured) }) };
}

export const moveShown = ({ by, at, ...move }: SupportMove): MoveShown => ({
  ...move,
  at: new Date(at).toISOString(),
  measured: measuredShown(by),
});
