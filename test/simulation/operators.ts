// Operators of a history: they settle what the gateway can't find out, truly or not, once or twice, while late evidence comes; they
// stop jobs, and have receipts proved.
//   O1. A verdict is recorded once, with actor and reason, or refused, and then nothing of it is.
//   O2. It applies only where something is in doubt or open; what has ended stays as it ended, and settled effects stay settled.
//   O3. What a receipt says by an operator is what an operator said.
//   O4. An operator who says what is not so makes a false receipt or finding: only of that call (Truth.told).

import type { Operation, OperationEvent } from '../../src/core/operation.ts';
import type { Ending, Payload } from '../../src/core/outcome.ts';
import { UNSURE } from '../../src/core/transitions.ts';
import type { Verdict } from '../../src/engine/engine.ts';
import { callOf, type Report, text } from './breach.ts';
import type { Action } from './history.ts';
import { type Job, resultOf, type Service } from './service.ts';
import type { Chance, Schedule } from './time.ts';
import type { Upstreams } from './upstreams.ts';
import type { Watch } from './watch.ts';
import type { Worker } from './worker.ts';

export interface SettleAction {
  readonly do: 'settle';
  readonly at: number;
  readonly worker: number;
  readonly call: number;
  /** `stop`: asks the upstream to stop. `trace`: has the receipt proved. */
  readonly verdict: Verdict['kind'] | 'stop' | 'trace';
  readonly ending: Ending;
  /** Says what is not so. */
  readonly lies: boolean;
  /** How often the operator comes back while it does not apply. */
  readonly tries: number;
}

type StartAction = Extract<Action, { do: 'start' }>;

const TRY_EVERY_MS = 2_000;

export function settlementsOf(chance: Chance, starts: readonly StartAction[], workers: number): readonly SettleAction[] {
  return Array.from({ length: chance.between(1, 4) }, (): SettleAction => {
    const { call, at: startedAt } = chance.pick(starts);
    // While the answer to the submit is awaited or was lost, or much later.
    const at = startedAt + chance.pick([500, 2_000, 12_000, 30_000, chance.between(20_000, 150_000)]);
    return {
      do: 'settle',
      at,
      worker: chance.between(0, workers - 1),
      call,
      verdict: chance.pick(['found', 'never', 'result', 'result', 'give_up', 'effects', 'effects', 'stop', 'trace'] as const),
      ending: chance.pick(['succeeded', 'failed', 'cancelled'] as const),
      lies: chance.chance(0.3),
      tries: chance.pick([1, 6, 15]),
    };
  });
}

export class Operators {
  readonly #schedule: Schedule;
  readonly #watch: Watch;
  readonly #upstreams: Upstreams;
  #count = 0;

  constructor(schedule: Schedule, watch: Watch, upstreams: Upstreams) {
    this.#schedule = schedule;
    this.#watch = watch;
    this.#upstreams = upstreams;
  }

  /** Operators see every operation, whoever knows its id. */
  async act(action: SettleAction, worker: Worker): Promise<void> {
    const watch = this.#watch;
    for (let tries = 1; tries <= action.tries; tries++) {
      if (tries > 1) await this.#schedule.sleep(TRY_EVERY_MS);
      const { engine } = worker;
      const row = [...watch.known.values()].findLast((known) => callOf(known.row) === action.call)?.row;
      if (engine === undefined || row === undefined) continue;
      const { id } = row;
      const name = `call ${callOf(row)}`;
      const actor = `operator ${++this.#count}`;
      const reason = `as number ${this.#count} found`;
      const asked = watch.asks();
      if (action.verdict === 'trace') {
        const trace = row.receipt && (await engine.trace(row.receipt.id));
        const broken = trace?.checks.find(({ holds }) => !holds);
        if (broken !== undefined) watch.breach('rule 5', `${name}: its receipt can not be proved: ${broken.what}`);
        if (trace !== undefined) return;
      } else if (action.verdict === 'stop') {
        const stopped = await engine.cancelByOperator(id, { actor, reason });
        if (stopped === undefined) return watch.notFound(id, `${name} can not be stopped`);
        watch.answered(stopped.view, asked);
        return;
      } else {
        const verdict = this.#verdict(action, row);
        const settled = await engine.settle(id, { actor, reason, verdict });
        if (settled === undefined) return watch.notFound(id, `${name} can not be settled`);
        watch.answered(settled.view, asked);
        const isOurs = (event: OperationEvent) => 'actor' in event && event.actor === actor && event.message === reason;
        const written = watch.linear.written(settled.view, asked, isOurs);
        if (written !== (settled.kind === 'settled' ? 1 : 0))
          watch.breach('operator', `${name}: ${verdict.kind} is ${settled.kind}, and recorded ${written} times`);
        if (settled.kind === 'settled') return;
        if (settled.why === '') watch.breach('operator', `${name}: ${verdict.kind} is refused, and nothing says why`);
      }
    }
  }

  /** What an operator says, by what is so at the service, or is not. */
  #verdict({ verdict, ending, lies }: SettleAction, row: Operation): Verdict {
    const job = this.#watch.truth.jobOf(row);
    const truly = job && this.#upstreams.endingOf(job, this.#schedule.now);
    const said = lies ? ending : (truly ?? ending);
    // Whoever says how a job ended that runs, or that it never was while it may still come, may be wrong by the time it ends.
    if (verdict === 'never' || said !== truly) this.#watch.truth.told.add(callOf(row));
    switch (verdict) {
      case 'found':
        if (lies || job === undefined) this.#watch.truth.told.add(callOf(row));
        return { kind: 'found', job: nameOf(lies ? undefined : job, this.#upstreams.of(row).service) };
      case 'result':
        return { kind: 'result', ending: said, ...(said === 'succeeded' && { result: payloadOf(job) }) };
      case 'effects':
        return { kind: 'effects', finding: said };
      case 'give_up':
        return { kind: 'give_up' };
      default:
        return { kind: 'never' };
    }
  }
}

const nameOf = (job: Job | undefined, { dialect }: Service): string =>
  `${dialect.speech === 'operations' ? 'operations/' : ''}${job?.id ?? 'ghost'}`;

const payloadOf = (job: Job | undefined): Payload => ({
  mediaType: 'application/json',
  encoding: 'text',
  body: text(job === undefined ? { said: 'by hand' } : resultOf(job)),
});

/** O1 to O3 at every commit. */
export function checkVerdict(before: Operation, row: Operation, event: OperationEvent, report: Report): void {
  const name = `call ${callOf(row)}`;
  const { receipt } = row;
  if (event.type.startsWith('operator_')) {
    const isOpen = before.effects === 'REQUIRED' || before.effects === 'ESCALATED';
    if (!(UNSURE as readonly string[]).includes(before.life) && !isOpen)
      report('operator', `${name}: ${event.type} is recorded of what is ${before.life} with effects ${before.effects}`);
    if (event.source !== 'operator' || !('actor' in event) || event.actor === '' || event.message === undefined)
      report('operator', `${name}: ${event.type} without an actor or a reason`);
  }
  if (event.type === 'operator_result' && (row.endingBy !== 'operator' || row.seen !== event.ending))
    report('operator', `${name}: an operator says ${event.ending}, and it is ${row.seen} by ${row.endingBy}`);
  if (receipt === undefined || before.receipt !== undefined) return;
  const isByOperator = receipt.by === 'operator';
  if (event.type === 'operator_never' && (receipt.outcome !== 'failed' || !isByOperator || row.mayExist))
    report('operator', `${name}: "never" ends it as ${receipt.outcome} by ${receipt.by}`);
  if (event.type === 'operator_gives_up' && (receipt.outcome !== 'unknown' || !isByOperator))
    report('operator', `${name}: giving up ends it as ${receipt.outcome} by ${receipt.by}`);
  if (event.type === 'accept' && isByOperator !== (row.endingBy === 'operator'))
    report('operator', `${name}: ended by ${receipt.by}, and ${row.endingBy} said how`);
  if ('actor' in event && event.type !== 'cancel' && !receipt.reason.includes(String(event.actor)))
    report('operator', `${name}: its receipt does not name ${event.actor}`);
}
