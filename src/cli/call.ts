// `longshore call TOOL '{…}'`: one call through a running gateway, followed to its end, for trying and for scripts.
//   T1. The result goes to standard output; how it went, and while it goes, to standard error.
//   T2. Whoever stops waiting is told that the operation goes on, and how to see it. Nothing is cancelled by that.
//   T3. A gateway that is away for a moment is asked again: the operation is its, not ours.
//
//   Exit code 0: succeeded.   1: failed, unknown, cancelled, or not finished when the time was over.   2: not asked properly.
//   130: interrupted.

import { isJsonObject, type Json, type JsonObject, scalarText } from '../core/json.ts';
import { nearest } from '../core/nearest.ts';
import type { Clock } from '../core/time.ts';
import { type Ending, type StatusLine, say, statusLine } from './call-text.ts';
import type { GatewayClient, Reply } from './gateway-client.ts';
import type { Terminal } from './terminal.ts';

export interface CallOptions {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly client: GatewayClient;
  /** How a gateway would be started there. */
  readonly startWith: string;
  /** How this command is written again: `longshore call --config x`. */
  readonly again: string;
  readonly json: boolean;
  readonly timeoutMs?: number | undefined;
  /** Aborts when nobody waits any more. */
  readonly interrupted: AbortSignal;
  readonly clock: Clock;
  readonly terminal: Terminal;
}

const POLL_MS_MIN = 100;
const POLL_MS_MAX = 30_000;
const POLL_MS_UNSAID = 1_000;
/** How often the time that is shown moves on. */
const TICK_MS = 1_000;
/** How long a gateway may be away while an operation is followed. */
const AWAY_MS_MAX = 60_000;

export async function call(options: CallOptions): Promise<0 | 1 | 2 | 130> {
  const { clock, interrupted, timeoutMs, terminal, json } = options;
  const startedMs = clock.monotonic();
  const over = new AbortController();
  const timer = new AbortController();
  if (timeoutMs !== undefined) void clock.sleep(timeoutMs, timer.signal).then(() => over.abort());
  const signal = AbortSignal.any([interrupted, over.signal]);
  const status = statusLine(terminal, json);
  const ending = await follow(options, signal, status, () => clock.monotonic() - startedMs);
  timer.abort();
  status.clear();
  const tookMs = clock.monotonic() - startedMs;
  say(ending, options, tookMs);
  if (ending.outcome === 'succeeded') return 0;
  return interrupted.aborted && ending.outcome === 'not finished' ? 130 : 1;
}

async function follow(
  { client, tool, arguments: args, clock, startWith }: CallOptions,
  signal: AbortSignal,
  status: StatusLine,
  elapsedMs: () => number,
): Promise<Ending> {
  let operation: string | undefined;
  try {
    const first = await client.ask('tools/call', { name: tool, arguments: args }, signal);
    if (first.kind !== 'result') return await refusal(first, client, tool, startWith, signal);
    if (first.result['resultType'] !== 'task') return endingOf(first.result);
    operation = scalarText(first.result['taskId']);
    let task = first.result;
    let awayMs = 0;
    while (operation !== undefined) {
      const ended = taskEnding(task, operation);
      if (ended !== undefined) return ended;
      const pauseMs = pauseOf(task);
      for (let leftMs = pauseMs; leftMs > 0 && !signal.aborted; leftMs -= TICK_MS) {
        status.show(operation, String(task['status']), scalarText(task['statusMessage']), elapsedMs());
        await clock.sleep(Math.min(TICK_MS, leftMs), signal);
      }
      if (signal.aborted) return { outcome: 'not finished', operation };
      const next = await client.ask('tasks/get', { taskId: operation }, signal);
      if (next.kind === 'result') {
        task = next.result;
        awayMs = 0;
      } else if (next.kind === 'unreachable' || (next.kind === 'stranger' && next.status >= 500)) {
        awayMs += pauseMs;
        if (awayMs > AWAY_MS_MAX)
          return { outcome: 'not finished', operation, message: `The gateway at ${client.url} is gone (${next.message}).` };
        status.show(operation, 'the gateway does not answer; asking again', undefined, elapsedMs());
      } else return { outcome: 'not finished', operation, message: next.message };
    }
    return { outcome: 'failed', message: 'The gateway answered with a task that has no id.' };
  } catch (error) {
    if (!signal.aborted) throw error;
    return { outcome: 'not finished', ...(operation === undefined ? {} : { operation }) };
  }
}

function pauseOf(task: JsonObject): number {
  const said = task['pollIntervalMs'];
  return typeof said === 'number' ? Math.min(Math.max(said, POLL_MS_MIN), POLL_MS_MAX) : POLL_MS_UNSAID;
}

/** How a task ended; `undefined` while it lives. */
function taskEnding(task: JsonObject, operation: string): Ending | undefined {
  const message = scalarText(task['statusMessage']);
  const said = message === undefined ? {} : { message };
  switch (task['status']) {
    case 'completed':
      return { ...endingOf(isJsonObject(task['result']) ? task['result'] : {}), operation };
    case 'failed': {
      const error = task['error'];
      const why = isJsonObject(error) ? scalarText(error['message']) : undefined;
      return { outcome: 'failed', operation, ...said, ...(why === undefined ? {} : { message: why }) };
    }
    case 'cancelled':
      return { outcome: 'cancelled', operation, ...said };
    default:
      return undefined;
  }
}

/** How a call ended, by its tool result. */
function endingOf(result: JsonObject): Ending {
  const structured = isJsonObject(result['structuredContent']) ? result['structuredContent'] : {};
  const operation = scalarText(structured['operation']);
  const named = operation === undefined ? {} : { operation };
  if (structured['outcome'] === 'pending') return { outcome: 'not finished', result, ...named };
  if (result['isError'] !== true) return { outcome: 'succeeded', result };
  return { outcome: structured['outcome'] === 'unknown' ? 'unknown' : 'failed', result, ...named };
}

async function refusal(
  reply: Exclude<Reply, { kind: 'result' }>,
  client: GatewayClient,
  tool: string,
  startWith: string,
  signal: AbortSignal,
): Promise<Ending> {
  if (reply.kind === 'unreachable') {
    return {
      outcome: 'not called',
      message: `no gateway answers at ${client.url} (${reply.message}) → start one in another terminal: ${startWith}`,
    };
  }
  if (reply.kind === 'stranger') {
    const mend =
      reply.status === 401 || reply.status === 403
        ? 'set LONGSHORE_TOKEN to a token that it takes'
        : 'give the address of a gateway with --url';
    return { outcome: 'not called', message: `${client.url} answers: ${reply.message} → ${mend}` };
  }
  if (!reply.message.startsWith('Unknown tool')) return { outcome: 'not called', message: reply.message };
  const list = await client.ask('tools/list', {}, signal);
  const tools = list.kind === 'result' && Array.isArray(list.result['tools']) ? (list.result['tools'] as readonly Json[]) : [];
  const names = tools.flatMap((one) => (isJsonObject(one) && typeof one['name'] === 'string' ? [one['name']] : []));
  return { outcome: 'not called', message: unknownTool(tool, names) };
}

/** What to say to one who named a tool that is not there. */
export function unknownTool(tool: string, names: readonly string[]): string {
  const meant = nearest(tool, names);
  const some = names.slice(0, 20).join(', ');
  const mend =
    meant !== undefined
      ? `was ${meant} meant?`
      : names.length === 0
        ? 'there are none'
        : `there are: ${some}${names.length > 20 ? ', …' : ''}`;
  return `there is no tool ${tool} → ${mend}`;
}
