// Living taskSupport: what a tool says about Tasks, moved by how long its jobs take where nobody described that.
//   S1. Only tools that are marked `measured` move. What was described or pinned stays.
//   S2. A sample is the newest durations of jobs that succeeded; it is read from the ledger at a start and followed from then on.
//   S3. A move is an event in the ledger, with what was measured; it is logged, and told to whoever lists tools, once it is durable.
//       At a start a tool stands where its last move left it, so that a restart moves nothing.
//   S4. No call is refused for a move that was lawful by the list before: a job may be called as a task although it needs none.

import { isDue, type Measured, measured, measuredWords, SAMPLE_MAX, type SupportMove, supportFor } from '../core/durations.ts';
import type { Log } from '../core/log.ts';
import type { Operation } from '../core/operation.ts';
import type { Clock } from '../core/time.ts';
import type { Catalogue, JobTool, TaskSupport } from '../core/tool.ts';
import type { DurationStore } from '../ledger/durations.ts';
import type { SupportDesk } from './engine.ts';

/** Receipts that are read at a start: enough for a hundred tools in use. */
const RECENT_MAX = 10_000;

export interface Living extends SupportDesk {
  begin(): Promise<void>;
  /** A commit of this process. */
  heard(operation: Operation): void;
  /** Resolves when no move is being written. */
  idle(): Promise<void>;
}

/** What is known of one tool. */
interface Standing {
  readonly sample: number[];
  /** Jobs that were measured since its last move. */
  since: number;
  level?: { readonly support: TaskSupport; readonly by: Measured };
  writing?: Promise<void>;
}

export function createLiving(
  store: DurationStore,
  { catalogue, clock, log }: { catalogue: Catalogue; clock: Clock; log: Log },
): Living {
  const standings = new Map<string, Standing>();
  const listeners = new Set<() => void>();
  const jobs = [...catalogue.tools.values()].filter((tool): tool is JobTool => tool.kind === 'job');

  const livingTool = (name: string, upstream: string): JobTool | undefined => {
    const tool = catalogue.tools.get(name);
    return tool?.kind === 'job' && tool.measured === true && tool.upstream === upstream ? tool : undefined;
  };

  function standingOf(name: string): Standing {
    const standing = standings.get(name) ?? { sample: [], since: 0 };
    standings.set(name, standing);
    return standing;
  }

  function add(name: string, durationMs: number): void {
    const standing = standingOf(name);
    standing.sample.push(durationMs);
    if (standing.sample.length > SAMPLE_MAX) standing.sample.shift();
    standing.since += 1;
  }

  /** The move that a tool has to make, if any. */
  function due(tool: JobTool): Omit<SupportMove, 'position'> | undefined {
    const { sample, since, level } = standingOf(tool.name);
    const by = measured(sample);
    if (by === undefined || (level !== undefined && !isDue(since))) return undefined;
    const from = level?.support ?? tool.taskSupport;
    const to = supportFor(from, by);
    return to === from ? undefined : { tool: tool.name, upstream: tool.upstream, from, to, by, at: clock.now() };
  }

  /** Makes every move that is due, one after another. A move that could not be written is due again with the next job. */
  async function settle(tool: JobTool): Promise<void> {
    const standing = standingOf(tool.name);
    for (let move = due(tool); move !== undefined; move = due(tool)) {
      const { from, to, by } = await store.keepMove(move);
      standing.level = { support: to, by };
      standing.since = 0;
      log.info({ tool: tool.name, upstream: tool.upstream, from, to, ...by }, 'what a tool says about Tasks has moved');
      for (const listener of listeners) listener();
    }
  }

  function settleSoon(tool: JobTool): void {
    const standing = standingOf(tool.name);
    if (standing.writing !== undefined || due(tool) === undefined) return;
    standing.writing = settle(tool)
      .catch((error: unknown) => log.error({ tool: tool.name, err: error }, 'a move of a tool could not be kept'))
      .finally(() => {
        delete standing.writing;
      });
  }

  function of(tool: JobTool): JobTool {
    const level = tool.measured === true ? standings.get(tool.name)?.level : undefined;
    return level === undefined ? tool : { ...tool, taskSupport: level.support, why: `${measuredWords(level.by)}; ${tool.why}` };
  }

  return {
    async begin() {
      const last = new Map<string, SupportMove>();
      for (const move of await store.lastMoves()) {
        if (livingTool(move.tool, move.upstream) === undefined) continue;
        last.set(move.tool, move);
        standingOf(move.tool).level = { support: move.to, by: move.by };
      }
      for (const { upstream, tool, durationMs, at } of await store.recentDurations(RECENT_MAX)) {
        if (livingTool(tool, upstream) === undefined) continue;
        add(tool, durationMs);
        if (at <= (last.get(tool)?.at ?? -1)) standingOf(tool).since = 0;
      }
      for (const tool of jobs) if (livingTool(tool.name, tool.upstream) !== undefined) await settle(tool);
      if (last.size > 0) for (const listener of listeners) listener();
    },

    heard({ receipt, seq, tool: name, upstream, createdAt }) {
      // Once for each: with the event that ended it, and not with what came late.
      if (receipt?.outcome !== 'succeeded' || receipt.seq !== seq) return;
      const tool = livingTool(name, upstream);
      if (tool === undefined) return;
      add(name, receipt.at - createdAt);
      settleSoon(tool);
    },

    async idle() {
      await Promise.all([...standings.values()].map(({ writing }) => writing));
    },

    of,

    list() {
      return jobs.map((job) => {
        const { name, upstream, taskSupport, why, descriptor } = of(job);
        const by = job.measured === true ? measured(standings.get(name)?.sample ?? []) : undefined;
        return {
          tool: name,
          upstream,
          adapter: descriptor.adapter,
          taskSupport,
          why,
          moves: job.measured === true,
          ...(by !== undefined && { measured: by }),
        };
      });
    },

    moves: (options) => store.moves(options),

    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
