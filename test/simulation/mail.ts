// What must hold of deliveries (rule 7), watched at every answer to a sender, at every commit, and once more when all is quiet.
//   W1. What was acknowledged is durable: it is in the inbox, and comes to be settled, whatever is killed in between.
//   W2. What nobody vouches for is refused, and is never stored. What is signed is never refused.
//   W3. Only what a service itself wrote for a callback URL moves its operation, and each event once.
//   W4. Where polls decide, a delivery makes the next one due now, may name the job, and decides nothing.

import type { Operation, OperationEvent } from '../../src/core/operation.ts';
import { EARLY } from '../../src/core/transitions.ts';
import type { PendingDelivery, ReceivedEvent, SettledAs } from '../../src/ledger/inbox.ts';
import type { Reply } from '../../src/webhooks/scheme.ts';
import { callOf, type Report, text } from './breach.ts';
import type { Letter } from './callbacks.ts';
import type { FORGERIES, LETTER_FATES } from './post.ts';
import type { Truth } from './truth.ts';
import type { Upstreams } from './upstreams.ts';

type How = (typeof FORGERIES)[number];

/** Nobody vouches for these. */
const UNVOUCHED: readonly How[] = ['wrong-secret', 'unsigned', 'tampered', 'stale', 'other-upstream'];

/** What a hint may change of an operation. */
const OF_HINTS: readonly (keyof Operation)[] = [
  'seq',
  'updatedAt',
  'changedSeq',
  'movedSeq',
  'pollAt',
  'reference',
  'shared',
  'mayExist',
  'trouble',
  'troubleSince',
  'windowUntil',
];

const keyOf = (upstream: string, token: string, eventId: string) => `${upstream} ${token} ${eventId}`;
const keyOfLetter = ({ upstream, token, eventId }: Letter) => keyOf(upstream, token, eventId);

interface Sent {
  readonly letter: Letter;
  readonly how?: How;
  readonly isMarred: boolean;
  /** Another job's event came to the same address under the same id: it is not known which of them counted. */
  readonly isMixed?: true;
}

export class Mail {
  /** Clocks were set: what is fresh to a sender may be stale to a worker. */
  unsteady = false;
  /** Whether an operation may have been deleted, its time being over: then nobody waits for a delivery. */
  mayBeGone: (row: Operation) => boolean = () => false;
  readonly #upstreams: Upstreams;
  readonly #truth: Truth;
  readonly #report: Report;
  readonly #rows: ReadonlyMap<string, { readonly row: Operation }>;
  readonly #sent = new Map<string, Sent>();
  readonly #accepted = new Set<string>();
  readonly #stored = new Set<string>();
  /** Known by an event that counted elsewhere. */
  readonly #hidden = new Set<string>();
  readonly #byId = new Map<number, string>();
  readonly #settled = new Map<string, SettledAs>();
  readonly #evidence = new Set<string>();
  /** Calls whose job's id was given to another job. */
  readonly #contested = new Set<number>();

  constructor(upstreams: Upstreams, truth: Truth, rows: ReadonlyMap<string, { readonly row: Operation }>, report: Report) {
    this.#upstreams = upstreams;
    this.#truth = truth;
    this.#rows = rows;
    this.#report = report;
  }

  tokenOf(call: number): string | undefined {
    return this.#rowOf(call)?.callbackToken;
  }

  jobIdOf(call: number): string | undefined {
    return this.#upstreams.truth(call).jobs[0]?.id;
  }

  /** Another call of the same service. */
  otherCallOf(call: number): number | undefined {
    const upstream = this.#upstreams.ofCall(call);
    return [...this.#rows.values()]
      .map(({ row }) => callOf(row))
      .find((one) => one !== call && this.#upstreams.ofCall(one) === upstream);
  }

  /** A service writes a letter. Where only letters tell, one that goes astray touches its call; where polls do, it may not. */
  written(letter: Letter, fate: (typeof LETTER_FATES)[number] | undefined, isLie: boolean): void {
    const key = keyOfLetter(letter);
    // One that strayed to this address before may carry the same id.
    const isMarred = fate === 'lies' || fate === 'garbage' || this.#sent.has(key);
    this.#sent.set(key, { letter, isMarred });
    const isEvidence = this.#isEvidence(letter);
    if (fate !== undefined && isEvidence) this.#truth.touched.add(letter.call);
    if (isLie && isEvidence && letter.ending !== undefined) this.#upstreams.truth(letter.call).shown.add(letter.ending);
  }

  givenUp(letter: Letter): void {
    if (this.#isEvidence(letter)) this.#truth.touched.add(letter.call);
  }

  /** A worker answered a letter of a service. */
  answered(letter: Letter, { status }: Reply): void {
    const key = keyOfLetter(letter);
    if (status < 300) {
      this.#accepted.add(key);
      if (!this.#stored.has(key) && !this.#isGone(letter) && !(this.#hidden.has(key) && this.#countedElsewhere(letter)))
        this.#report('W1', `call ${letter.call}: event ${letter.eventId} is acknowledged, and not durable`, 'lostOperations');
    } else if (status !== 503 && !this.unsteady)
      this.#report('W2', `call ${letter.call}: event ${letter.eventId} is genuine, and is answered with ${status}`);
  }

  forged(letter: Letter, how: How): void {
    const key = keyOfLetter(letter);
    const own = this.#sent.get(key);
    // One that strays may carry the id of one that the service wrote for this address: then it is not known which of them came.
    this.#sent.set(key, own === undefined ? { letter, how, isMarred: true } : { ...own, isMarred: true, isMixed: true });
  }

  forgeryAnswered(letter: Letter, how: How, { status }: Reply): void {
    if (UNVOUCHED.includes(how) && status < 400)
      this.#report('W2', `call ${letter.call}: a delivery (${how}) is taken with ${status}`);
    if (!UNVOUCHED.includes(how) && status >= 400 && status !== 503 && !this.unsteady)
      this.#report('W2', `call ${letter.call}: a delivery that is signed (${how}) is answered with ${status}`);
  }

  /** The store answered a call. */
  stored(name: string, args: readonly unknown[], answer: unknown): void {
    if (name === 'receive') {
      const { upstream, token, delivery } = args[0] as ReceivedEvent;
      const key = keyOf(upstream, token, delivery.eventId);
      const sent = this.#sent.get(key);
      if (sent === undefined) this.#report('W3', `event ${delivery.eventId} is stored, and nobody sent it`);
      else if (sent.how !== undefined && UNVOUCHED.includes(sent.how))
        this.#report('W2', `call ${sent.letter.call}: a delivery (${sent.how}) is stored`);
      if (answer === 'stored') {
        this.#stored.add(key);
        this.#settled.delete(key);
      } else if (answer === 'duplicate' && !this.#stored.has(key)) this.#hidden.add(key);
    } else if (name === 'pendingDeliveries') {
      for (const { id, upstream, token, delivery } of answer as readonly PendingDelivery[])
        this.#byId.set(id, keyOf(upstream, token, delivery.eventId));
    } else if (name === 'settleDelivery' && answer === true) {
      this.#settled.set(this.#byId.get(args[0] as number) ?? '', args[1] as SettledAs);
    }
  }

  committed(before: Operation, row: Operation, event: OperationEvent): void {
    if (row.contested === true) this.#contested.add(callOf(row));
    // That a job is given to two is noticed, not said.
    if (event.source !== 'webhook' || event.type === 'reference_shared') return;
    const name = `call ${callOf(row)}`;
    const eventId = (event.evidenceId ?? '').replace(/^webhook:/, '');
    const key = keyOf(row.upstream, row.callbackToken ?? '', eventId);
    const sent = this.#sent.get(key);
    if (this.#evidence.has(key)) this.#report('W3', `${name}: event ${eventId} counts twice`);
    this.#evidence.add(key);
    if (sent === undefined) this.#report('W3', `${name}: moved by event ${eventId}, which was not written for it`);
    else if (sent.how !== undefined) this.#strayed(before, row, event, sent, name);
    else if (sent.isMixed) this.#mayHaveStrayed(row);
    if (this.#upstreams.traitsOf(row).status) this.#hurried(before, row, event, name);
  }

  /** What is signed and about another job changes nothing of who knows its own; others have nothing to tell it by. */
  #strayed(before: Operation, row: Operation, event: OperationEvent, { how = 'elsewhere' }: Sent, name: string): void {
    const isNamed =
      before.reference !== undefined &&
      before.reference.extra?.['unnamed'] === undefined &&
      !this.#truth.isShared(row) &&
      !this.#truth.strayed.has(callOf(row));
    if (isNamed || UNVOUCHED.includes(how)) this.#report('W3', `${name}: moved by a delivery that is not its own (${how})`);
    this.#mayHaveStrayed(row);
    // Whose job it is about shares it from now on, as far as anybody can tell.
    for (const { row: other } of this.#rows.values())
      if (other.upstream === row.upstream && other.reference?.id === event.reference?.id)
        this.#truth.touched.add(callOf(other));
    if ('ending' in event) this.#upstreams.truth(callOf(row)).shown.add(event.ending);
  }

  #mayHaveStrayed(row: Operation): void {
    this.#truth.touched.add(callOf(row));
    this.#truth.strayed.add(callOf(row));
  }

  /** W4. */
  #hurried(before: Operation, row: Operation, event: OperationEvent, name: string): void {
    if (event.type !== 'hint') this.#report('rule 7', `${name}: a delivery is taken for ${event.type}, and polls decide`);
    const isFound = (EARLY as readonly string[]).includes(before.life) && row.life === 'WORKING';
    const isReopened = before.receipt !== undefined && before.effects === 'NONE' && row.effects === 'REQUIRED';
    for (const member of new Set([...Object.keys(before), ...Object.keys(row)]) as Set<keyof Operation>) {
      if (OF_HINTS.includes(member) || text(before[member]) === text(row[member])) continue;
      if (member === 'life' && isFound) continue;
      if (isReopened && ['effects', 'effectsUntil', 'lookAt'].includes(member)) continue;
      this.#report('rule 7', `${name}: a hint changes ${member}`);
    }
    if (row.receipt === undefined && row.pollAt !== event.at)
      this.#report('rule 7', `${name}: a hint does not hurry the next poll`);
  }

  /** When all is quiet: what was acknowledged is settled, and what counted is in its operation's history. */
  check(): void {
    for (const [key, { letter, isMarred }] of this.#sent) {
      if (!this.#stored.has(key)) continue;
      const name = `call ${letter.call}: event ${letter.eventId}`;
      const settled = this.#settled.get(key);
      if (settled === undefined) this.#report('W1', `${name} was acknowledged, and nothing became of it`, 'lostOperations');
      if (settled === 'applied' && !this.#evidence.has(key)) this.#report('W1', `${name} is settled as applied, and is not`);
      // Where the job's id was given again, nothing that names it tells of it any more; where an operator named another job,
      // what names the true one is a stranger's.
      const { touched, told } = this.#truth;
      const isMoot = touched.has(letter.call) || told.has(letter.call);
      const isOurs = !isMarred && !isMoot && !this.#contested.has(letter.call) && !this.#isGone(letter);
      if (isOurs && (settled === 'stranger' || settled === 'unreadable'))
        this.#report('W3', `${name} is its own, and is settled as ${settled}`);
    }
  }

  /** An event of that id moved another operation, which had nothing to tell it by: no guard knows better. */
  #countedElsewhere({ upstream, token, eventId, call }: Letter): boolean {
    const has = [...this.#sent.values()].some(
      ({ letter }) =>
        letter.upstream === upstream &&
        letter.eventId === eventId &&
        letter.token !== token &&
        this.#evidence.has(keyOfLetter(letter)),
    );
    if (has) this.#truth.touched.add(call);
    return has;
  }

  #isGone({ call }: Letter): boolean {
    const row = this.#rowOf(call);
    return row !== undefined && this.mayBeGone(row);
  }

  #isEvidence({ upstream }: Letter): boolean {
    return !this.#upstreams.traitsOf({ upstream }).status;
  }

  #rowOf(call: number): Operation | undefined {
    return [...this.#rows.values()].find(({ row }) => callOf(row) === call)?.row;
  }
}
