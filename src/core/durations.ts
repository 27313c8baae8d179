// How long a tool's jobs take, and what that says about Tasks: measured over the jobs that succeeded, where nobody described it.
//   D1. Nothing moves before there are SAMPLE_MIN durations, nor again before there are as many more; the newest SAMPLE_MAX count.
//       Where half of the jobs are quick and half are slow, a single one moves the median across any margin.
//   D2. A threshold is passed by a fifth before anything moves, so that a tool at the edge does not go to and fro.
//   D3. Jobs that always end under 10 s need no task; those that usually take more than 30 s need one; between, the caller may choose.

import type { EpochMs } from './time.ts';
import type { TaskSupport } from './tool.ts';

export const SAMPLE_MIN = 30;
export const SAMPLE_MAX = 100;
const CALL_UNDER_MS = 10_000;
const TASK_ABOVE_MS = 30_000;
const MARGIN = 1.2;

export interface Measured {
  readonly count: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly longestMs: number;
}

/** A tool that says something else about Tasks than before, and what was measured then. */
export interface SupportMove {
  /** Rises with every move, of any tool. */
  readonly position: number;
  readonly upstream: string;
  readonly tool: string;
  readonly from: TaskSupport;
  readonly to: TaskSupport;
  readonly by: Measured;
  readonly at: EpochMs;
}

/** Whether a tool that was moved before may be moved again, so many jobs after. */
export const isDue = (jobsSinceMove: number): boolean => jobsSinceMove >= SAMPLE_MIN;

/** `undefined`: too few to say anything. Durations in milliseconds, oldest first. */
export function measured(durations: readonly number[]): Measured | undefined {
  const newest = durations.slice(-SAMPLE_MAX);
  if (newest.length < SAMPLE_MIN) return undefined;
  const sorted = [...newest].sort((one, other) => one - other);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return { count: sorted.length, p50Ms: at(0.5), p95Ms: at(0.95), longestMs: at(1) };
}

/** What a tool that is at `now` should be at. */
export function supportFor(now: TaskSupport, { p50Ms, p95Ms, longestMs }: Measured): TaskSupport {
  const needsTask = p50Ms > TASK_ABOVE_MS * (now === 'required' ? 1 / MARGIN : MARGIN);
  if (needsTask) return 'required';
  // Always: one job in the sample that took longer is one caller that was left waiting.
  const isShort = now === 'forbidden' ? p95Ms < CALL_UNDER_MS * MARGIN : longestMs < CALL_UNDER_MS / MARGIN;
  return isShort ? 'forbidden' : 'optional';
}

const seconds = (durationMs: number): string => `${Math.round(durationMs / 100) / 10} s`;

/** Why a tool is at what it is. For people. */
export const measuredWords = ({ count, p50Ms, p95Ms }: Measured): string =>
  `its last ${count} jobs took ${seconds(p50Ms)} in the middle, and 19 of 20 less than ${seconds(p95Ms)}`;
