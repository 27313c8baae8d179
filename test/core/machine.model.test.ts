// The machine against the model that was searched exhaustively before it was written. The model is not part of the repository;
// it is found through LONGSHORE_SHARED, or beside the checkout.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import type { Traits } from '../../src/core/descriptor.ts';
import { isEnded, namesAnotherJob } from '../../src/core/guards.ts';
import { dueWork, step } from '../../src/core/machine.ts';
import type { Operation, OperationEvent } from '../../src/core/operation.ts';
import { EVENTS, LIFE, OBSERVATIONS } from '../../src/core/transitions.ts';
import { randomEvent, reachable, seededRandom } from './machine.histories.ts';

const SEED = 2;
const PAIRS_MIN = 60_000;
const modelFile = join(resolve(process.env['LONGSHORE_SHARED'] ?? '../shared'), 'model/table.mjs');

/** The model's abstract state: small numbers and letters. */
type Abstract = Record<string, string | number>;
interface Model {
  makeStep(table: Model, rules: { endRule: unknown }): (state: Abstract, event: object, traits: object) => string;
  dueWork(state: Abstract, traits: object): string[];
  endRule: unknown;
}

const LETTER = { succeeded: 'S', failed: 'F', cancelled: 'C', unknown: 'U' } as const;

function abstractOf(o: Operation): Abstract {
  const cap = (count: number) => Math.min(3, count);
  const closed = o.answers === undefined ? 0 : 4;
  return {
    life: o.life,
    can: o.cancellation,
    eff: o.effects,
    rec: o.receipt === undefined ? '-' : o.life === 'CANCELLED_ACCEPTED' ? 'X' : LETTER[o.receipt.outcome],
    gen: cap(o.generation),
    ref: o.reference === undefined ? 0 : 1,
    may: o.mayExist ? 1 : 0,
    att: o.attempt,
    doubts: o.doubted ? 1 : 0,
    seen: o.seen === undefined ? '-' : LETTER[o.seen],
    held: o.held === undefined ? 0 : 1,
    inp: { NONE: 0, OPEN: 1, ANSWERED: 2, SENT: 3, CLOSED: closed }[o.input],
    ft: cap(o.fetchTries),
    ct: cap(o.cancelTries),
    bud: o.budgetOver ? 1 : 0,
  };
}

function abstractEvent(operation: Operation, event: OperationEvent, traits: Traits): object {
  const isObservation = (OBSERVATIONS as readonly string[]).includes(event.type);
  const isStranger = namesAnotherJob(operation, event, traits);
  if (isObservation && isStranger) return { t: 'seen_ref', ref: 2 };
  return {
    t: event.type,
    ref: isStranger ? 2 : 1,
    a: event.attempt,
    fresh: event.readAt === undefined || event.readAt >= operation.changedSeq,
    ...('ending' in event && { k: LETTER[event.ending] }),
    ...('held' in event && { held: 1 }),
    ...('proof' in event && { proof: event.proof }),
    ...('sticky' in event && { sticky: event.sticky }),
  };
}

const abstractTraits = (traits: Traits) => ({
  key: traits.deduplicates,
  lookup: traits.lookup,
  status: traits.status ? 'poll' : 'hook',
  cancel: traits.cancel === 'asks' ? 'coop' : traits.cancel,
  maxAttempts: traits.submitAttemptsMax,
  maxFetch: traits.fetchTriesMax - 1, // the model counts retries
  maxCancel: traits.cancelTriesMax,
});

const hasMoreTries = (o: Operation, { cancelTriesMax }: Traits) =>
  o.cancellation === 'UNANSWERED' && o.generation > 1 && o.cancelTries >= cancelTriesMax;

/** Where the machine differs from the model on purpose: what differs, and why. */
const DIFFERENCES: Readonly<Record<string, (operation: Operation, event: OperationEvent, traits: Traits) => boolean>> = {
  'a cooperative cancel that is repeated is late: the model counts it and changes nothing': (o, e) =>
    e.type === 'cancel' && !e.sticky && !isEnded(o) && !['NONE', 'REFUSED', 'UNANSWERED'].includes(o.cancellation),
  'a cancel that is asked for anew has tries of its own: the model counts all together': (o, e, t) =>
    e.type === 'cancel_sent' && hasMoreTries(o, t),
  'a second round opens like the first: the model knows one round': (o, e) =>
    e.type === 'seen_input' && e.round > o.round && o.round > 0,
  'a question whose answer we still hold counts, so that the next poll is paced: the model calls it late': (o, e) =>
    e.type === 'seen_input' && o.life === 'WORKING' && o.input === 'ANSWERED',
  'another job that is named while effects are open counts, so that the next look is paced: the model calls it late': (
    o,
    e,
    t,
  ) => isEnded(o) && o.effects === 'REQUIRED' && namesAnotherJob(o, e, t),
  'reads that say nothing about effects count, so that the next look is paced: the model calls them late': (o, e) =>
    isEnded(o) && o.effects === 'REQUIRED' && ['lookup_absent', 'lookup_cannot', 'seen_not_visible'].includes(e.type),
  'only an ANSWERED round can be sent: the model leaves that to due work': (o, e) =>
    e.type === 'answer_sent' && o.input !== 'ANSWERED',
  'an answer to a part of the questions leaves the round open: the model knows whole answers': (o, e) =>
    e.type === 'input_provided' && e.partly === true && o.input === 'OPEN',
  'a round that closes with a part of its answers is closed: the model knows it as one that was never answered': (o) =>
    o.input === 'OPEN' && o.answers !== undefined,
  'a round that is open when another job turns up closes: the model leaves it open outside INPUT_REQUIRED': (o, e, t) =>
    o.input === 'OPEN' && namesAnotherJob(o, e, t),
  'an operator who points at the job puts aside what was seen before: the model keeps it': (o, e) =>
    e.type === 'operator_found' && (o.seen !== undefined || o.fetchTries > 0),
  'an operator who points at a job after the end has it followed: the model calls it late': (o, e) =>
    e.type === 'operator_found' && (o.effects === 'REQUIRED' || o.effects === 'ESCALATED'),
  'an ending that is repeated may name the job: the model learns no reference from it': (o, e) =>
    e.type === 'seen_ended' && o.life === 'TERMINAL_OBSERVED' && (o.reference === undefined || !o.mayExist),
  'a job that is gone after a delete whose answer was lost is gone, and nobody knows how: the model takes it for deleted': (
    o,
    e,
    t,
  ) => e.type === 'seen_missing' && t.cancel === 'deletes' && (o.cancellation === 'SENT' || o.cancellation === 'UNANSWERED'),
  'a confirmed cancel of what was never sent is refused: the model believes it': (o, e) =>
    e.type === 'cancel_confirmed' && o.attempt === 0,
  'a result that is out of reach for good is known to be: the model only counts tries': (o, e) =>
    (e.type === 'result_bad' && e.permanent) || (e.type === 'seen_ended' && o.seen !== undefined && o.fetchAt === undefined),
};

/** The model knows one operation: it is silent about jobs that two of them share. */
const isBeyondTheModel = ({ contested }: Operation, { type }: OperationEvent): boolean =>
  contested === true || type === 'reference_shared' || type === 'cancel_withheld';

const COMPARED = ['life', 'can', 'eff', 'rec', 'gen', 'ref', 'may', 'att', 'doubts', 'seen', 'held', 'ft', 'ct', 'bud'];

/** Once an ending was seen nothing asks whether a round is closed or never was. */
function comparable(state: Abstract): string {
  const isMoot = state['seen'] !== '-' || state['rec'] !== '-';
  const input = isMoot && state['inp'] === 4 ? 0 : state['inp'];
  return [...COMPARED.map((member) => `${member} ${state[member]}`), `inp ${input}`].join(', ');
}

function judge(operation: Operation, event: OperationEvent, traits: Traits): { disposition: string; state: string } {
  try {
    const stepped = step(operation, event, traits);
    return { disposition: stepped.disposition, state: comparable(abstractOf(stepped.operation)) };
  } catch {
    return { disposition: 'BUG', state: comparable(abstractOf(operation)) };
  }
}

async function loadModel(skip: (note: string) => void): Promise<Model> {
  if (!existsSync(modelFile)) skip(`no model at ${modelFile}: LONGSHORE_SHARED names the folder that holds model/table.mjs`);
  return (await import(pathToFileURL(modelFile).href)) as Model;
}

test('judges as the model does, in disposition and in the next state, but for the differences listed', async ({ skip }) => {
  const model = await loadModel(skip);
  const modelStep = model.makeStep(model, { endRule: model.endRule });
  const random = seededRandom(SEED);
  const differing = new Set<string>();
  const lives = new Set<string>();
  const disagreements: unknown[] = [];
  let pairs = 0;

  for (const { operation, traits } of reachable(random)) {
    if (pairs >= PAIRS_MIN) break;
    for (const type of EVENTS) {
      const event = randomEvent(random, operation, type);
      if (isBeyondTheModel(operation, event)) continue;
      const state = { ...abstractOf(operation), keyOver: event.at > (operation.keyUntil ?? event.at) ? 1 : 0 };
      const next: Abstract = { ...state };
      const disposition = modelStep(next, abstractEvent(operation, event, traits), abstractTraits(traits));
      const theirs = { disposition: disposition.split(' ')[0], state: comparable(next) };
      const mine = judge(operation, event, traits);
      pairs++;
      lives.add(operation.life);
      if (mine.disposition === theirs.disposition && mine.state === theirs.state) continue;
      const reason = Object.keys(DIFFERENCES).find((name) => DIFFERENCES[name]?.(operation, event, traits));
      if (reason === undefined) disagreements.push({ state, event, mine, theirs });
      else differing.add(reason);
    }
  }

  expect(disagreements.slice(0, 3)).toEqual([]);
  expect(pairs).toBeGreaterThanOrEqual(PAIRS_MIN);
  expect(lives).toEqual(new Set(LIFE));
  expect([...differing].sort(), 'every difference that is listed was met').toEqual(Object.keys(DIFFERENCES).sort());
});

test('finds the same work due as the model does', async ({ skip }) => {
  const model = await loadModel(skip);
  const renamed: Readonly<Record<string, string>> = { heartbeat: 'poll', 'window:0': 'window' };
  let operations = 0;
  for (const { operation, traits } of reachable(seededRandom(SEED + 1))) {
    if (++operations > 5000) break;
    if (operation.contested) continue;
    const keyOver = operation.submitAt > (operation.keyUntil ?? operation.submitAt) ? 1 : 0;
    const theirs = model
      .dueWork({ ...abstractOf(operation), keyOver }, abstractTraits(traits))
      .map((kind) => renamed[kind] ?? kind)
      // Nothing is fetched of a cancelled job, nor what is known to be out of reach.
      .filter((kind) => kind !== 'fetch' || (operation.seen !== 'cancelled' && operation.fetchAt !== undefined));
    // A cancel on the wire is watched, so that a crash between sending and answer is found.
    const ours = hasMoreTries(operation, traits) ? ['cancel_suspect', 'cancel'] : ['cancel_suspect'];
    const mine = dueWork(operation, traits).filter(({ kind }) => !ours.includes(kind));
    expect(mine.map(({ kind }) => kind).sort(), operation.life).toEqual(theirs.sort());
  }
});
