// Living taskSupport: what a tool says about Tasks, moved by how long its jobs take where nobody described that.
//   S1. Only tools that are marked `measured` move. What was described or pinned stays.
//   S2. A sample is the newest durations of jobs that succeeded; it is read from the ledger at a start and followed from then on.
//   S3. A move is logged, and told to whoever lists tools. No call is refused for it that was lawful by the list before: a job may
//       be called as a task although it needs none.

import { type Measured, measured, measuredWords, SAMPLE_MAX, supportFor } from '../core/durations.ts';
import type { Log } from '../core/log.ts';
import type { Operation } from '../core/operation.ts';
import type { Catalogue, JobTool, TaskSupport } from '../core/tool.ts';
import type { DurationStore } from '../ledger/durations.ts';
import type { SupportDesk } from './engine.ts';

/** Receipts that are read at a start: enough for a hundred tools in use. */
const RECENT_MAX = 10_000;

export interface Living extends SupportDesk {
  begin(): Promise<void>;
  /** A commit of this process. */
  heard(operation: Operation): void;
}

export function createLiving(store: DurationStore, catalogue: Catalogue, log: Log): Living {
  const samples = new Map<string, number[]>();
  const levels = new Map<string, { readonly support: TaskSupport; readonly by: Measured }>();
  const listeners = new Set<() => void>();

  const livingTool = (name: string, upstream: string): JobTool | undefined => {
    const tool = catalogue.tools.get(name);
    return tool?.kind === 'job' && tool.measured === true && tool.upstream === upstream ? tool : undefined;
  };

  function add(name: string, durationMs: number): void {
    const sample = samples.get(name) ?? [];
    samples.set(name, sample);
    sample.push(durationMs);
    if (sample.length > SAMPLE_MAX) sample.shift();
  }

  /** True when the tool's level has moved. */
  function judge(tool: JobTool): boolean {
    const by = measured(samples.get(tool.name) ?? []);
    if (by === undefined) return false;
    const before = levels.get(tool.name)?.support ?? tool.taskSupport;
    const support = supportFor(before, by);
    if (support === before) return false;
    levels.set(tool.name, { support, by });
    log.info(
      { tool: tool.name, upstream: tool.upstream, from: before, to: support, ...by },
      'what a tool says about Tasks has moved',
    );
    return true;
  }

  return {
    async begin() {
      for (const { upstream, tool, durationMs } of await store.recentDurations(RECENT_MAX)) {
        if (livingTool(tool, upstream) !== undefined) add(tool, durationMs);
      }
      const moved = [...catalogue.tools.values()].filter(
        (tool) => livingTool(tool.name, tool.upstream) && judge(tool as JobTool),
      );
      if (moved.length > 0) for (const listener of listeners) listener();
    },

    heard({ receipt, seq, tool: name, upstream, createdAt }) {
      // Once for each: with the event that ended it, and not with what came late.
      if (receipt?.outcome !== 'succeeded' || receipt.seq !== seq) return;
      const tool = livingTool(name, upstream);
      if (tool === undefined) return;
      add(name, receipt.at - createdAt);
      if (judge(tool)) for (const listener of listeners) listener();
    },

    of(tool) {
      const level = tool.measured === true ? levels.get(tool.name) : undefined;
      return level === undefined
        ? tool
        : { ...tool, taskSupport: level.support, why: `${measuredWords(level.by)}; ${tool.why}` };
    },

    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
