// What operators do: settle what the gateway can't find out, stop a job, and have an ending proved.
//   O1. An operator's word is evidence: judged inside the compare-and-set that records it, with actor and reason, like any other.
//   O2. A verdict is what the operator knows. What it settles depends on how the operation stands: in doubt, it decides the
//       outcome; after an unknown ending, which stands for ever, it settles what is still open about the job.
//   O3. A verdict that does not apply is refused with the state and the way on; nothing is recorded.
//   O4. Only the upstream's own proof resubmits: "never" ends an operation, it does not begin it again.

import type { Json } from '../core/json.ts';
import { canonicalJson } from '../core/json.ts';
import { applies, fold } from '../core/machine.ts';
import type { Operation, OperationEvent } from '../core/operation.ts';
import type { HeldResult } from '../core/outcome.ts';
import { UNSURE } from '../core/transitions.ts';
import { type Context, evidenceId } from './context.ts';
import { digestOf, type Job } from './descriptors.ts';
import type { Cancelled, OperationView, Settled, Settlement, Trace, Word } from './engine.ts';
import { callOf } from './submit.ts';

export interface OperatorDesk {
  settle(id: string, settlement: Settlement): Promise<Settled | undefined>;
  cancel(id: string, word: Word): Promise<Cancelled | undefined>;
  trace(receiptId: string): Promise<Trace | undefined>;
}

type ViewOf = (operation: Operation) => Promise<OperationView>;

export function createOperatorDesk(context: Context, viewOf: ViewOf): OperatorDesk {
  const { ledger, recorder, descriptors, payloads, clock, log } = context;

  return {
    async settle(id, settlement) {
      const before = await ledger.get(id);
      if (before === undefined) return undefined;
      const job = await descriptors.of(before);
      const { verdict, actor, reason } = settlement;
      const held = verdict.kind === 'result' ? await payloads.holdNow(verdict.result) : 'empty';
      const evidence = evidenceId(context);
      let why = '';
      const decided = await recorder.decide(id, (row) => {
        const at = clock.now();
        const made = eventOf(row, job, settlement, held, {
          at,
          source: 'operator',
          message: reason,
          evidenceId: evidence,
          actor,
        });
        if (typeof made === 'string') why = made;
        else if (applies(row, made, job.descriptor.traits)) return made;
        else why = howItStands(row);
        return undefined;
      });
      if (decided === undefined) return undefined;
      const view = await viewOf(decided.operation);
      if (!decided.recorded) return { kind: 'refused', why: `${id} can't be settled so: ${why}.`, view };
      log.info({ operation: id, actor, reason, verdict: verdict.kind }, 'settled by an operator');
      return { kind: 'settled', view };
    },

    async cancel(id, { actor, reason }) {
      const before = await ledger.get(id);
      if (before === undefined) return undefined;
      const { descriptor } = await descriptors.of(before);
      let ended = false;
      const decided = await recorder.decide(id, (row) => {
        const event: OperationEvent = {
          type: 'cancel',
          at: clock.now(),
          source: 'operator',
          sticky: false,
          by: 'operator',
          actor,
          message: reason,
        };
        ended = row.receipt !== undefined;
        return !ended && applies(row, event, descriptor.traits) ? event : undefined;
      });
      if (decided === undefined) return undefined;
      if (decided.recorded) log.info({ operation: id, actor, reason }, 'cancelled by an operator');
      return { kind: ended ? 'ended' : 'recorded', view: await viewOf(decided.operation) };
    },

    async trace(receiptId) {
      const id = receiptId.replace(/^rc_/, 'op_');
      const operation = await ledger.get(id);
      const receipt = operation?.receipt;
      if (operation === undefined || receipt === undefined || receipt.id !== receiptId) return undefined;
      // As far as the row goes that it is held against: late evidence may have come since.
      const history = (await ledger.history(id)).slice(0, operation.seq);
      // Its time was over in between.
      if (history.length < operation.seq) return undefined;
      const ending = history[receipt.seq - 1];
      const evidence = history.filter(
        ({ event }) => event.evidenceId !== undefined && receipt.evidence.includes(event.evidenceId),
      );
      const { descriptor } = await descriptors.of(operation);
      const { tool, arguments: args } = operation;
      const { matched, result } = receipt;
      const checks = [
        {
          what: 'the history, read again from its beginning, gives the stored operation and this receipt',
          holds:
            canonicalJson(fold(history, descriptor.traits) as unknown as Json) === canonicalJson(operation as unknown as Json),
        },
        {
          what: 'the event that ended the operation is at the position that the receipt names',
          holds: ending?.event.at === receipt.at,
        },
        {
          what: 'every piece of evidence that the receipt names is in the history',
          holds: evidence.length === receipt.evidence.length,
        },
        {
          what: 'tool and arguments have the digest that the receipt names',
          holds: digestOf({ tool, arguments: args }) === matched.requestDigest,
        },
        {
          what: 'the descriptor that the operation ran by has the digest that the receipt names',
          holds: digestOf(descriptor as unknown as Json) === matched.descriptorDigest,
        },
        ...(result === undefined
          ? []
          : [{ what: 'the stored result has the digest that the receipt names', holds: await isIntact(result) }]),
      ];
      return { operation, descriptor, receipt, ...(ending !== undefined && { ending }), evidence, checks };
    },
  };

  async function isIntact(result: HeldResult): Promise<boolean> {
    const payload = await payloads.open(result).catch(() => undefined);
    return payload !== undefined && digestOf(payload as unknown as Json) === result.digest;
  }
}

interface Base {
  readonly at: number;
  readonly source: 'operator';
  readonly message: string;
  readonly evidenceId: string;
  readonly actor: string;
}

/** The event that a verdict is for an operation as it stands, or why it is none (O2, O3). */
function eventOf(
  row: Operation,
  job: Job,
  { verdict }: Settlement,
  held: HeldResult | 'empty',
  base: Base,
): OperationEvent | string {
  const isUnsure = (UNSURE as readonly string[]).includes(row.life);
  const isOpen = row.effects === 'REQUIRED' || row.effects === 'ESCALATED';
  if (!isUnsure && !isOpen) return howItStands(row);
  const known = row.reference?.id;
  const outcome = row.receipt?.outcome;
  const settles = (finding: string): OperationEvent => ({ ...base, type: 'operator_settles', finding });
  switch (verdict.kind) {
    case 'found': {
      const reference = job.adapter.referenceOf?.(verdict.job, callOf(row, job), job.descriptor) ?? { id: verdict.job };
      if (typeof reference === 'string') return `${verdict.job} can't be followed: ${reference}`;
      if (known !== undefined && known !== reference.id)
        return `the upstream has already named its job ${known}, and ${reference.id} is another; say how ${known} ended, or give up`;
      return { ...base, type: 'operator_found', reference, pollAt: base.at };
    }
    case 'never':
      if (known !== undefined)
        return `the upstream has named a job, ${known}, so that one was created; say how it ended, or give up`;
      return isUnsure ? { ...base, type: 'operator_never' } : settles('never created');
    case 'result':
      if (isUnsure) return { ...base, type: 'operator_result', ending: verdict.ending, held };
      if (held !== 'empty')
        return `it has ended as ${outcome}, which stands: a result can't be handed in any more; say how the job ended without one`;
      return settles(verdict.ending);
    case 'give_up':
      return isUnsure ? { ...base, type: 'operator_gives_up' } : settles('given up');
    case 'effects':
      if (isUnsure)
        return `it is ${row.life} and has not ended; say that the job was found, never created, how it ended, or give up`;
      return settles(verdict.finding);
  }
}

/** Why there is nothing for an operator to settle, and the way on. */
function howItStands({ life, leaseUntil, reference, receipt, effects, finding }: Operation): string {
  switch (life) {
    case 'QUEUED':
      return 'it is QUEUED: nothing has been sent; cancel it if it must not start';
    case 'SUBMITTING':
      return `it is SUBMITTING: its request is on the wire, at the latest until ${new Date(leaseUntil ?? 0).toISOString()}`;
    case 'WORKING':
    case 'INPUT_REQUIRED':
      return `it is ${life}: the upstream has it as ${reference?.id ?? 'a job without a name'} and goes on with it; cancel it, or wait`;
    case 'TERMINAL_OBSERVED':
      return 'it is TERMINAL_OBSERVED: the upstream says that it has ended, and its result is being fetched';
    case 'SUBMISSION_UNKNOWN':
    case 'NEEDS_RECONCILIATION':
      return `it is ${life}, and this says nothing new about it`;
    case 'ACCEPTED':
    case 'CANCELLED_ACCEPTED':
      return `it has ended as ${receipt?.outcome}, and nothing about it is open (effects ${effects}${finding === undefined ? '' : `: ${finding}`})`;
  }
}
