// How what services call back reaches the gateway: signed, on its way for a while, at some worker, and again until somebody
// acknowledges it or the sender gives up. And what others send who are no service, or have a letter that is not for them.

import type { Ending } from '../../src/core/outcome.ts';
import type { Incoming, Reply } from '../../src/webhooks/scheme.ts';
import {
  bodyOf,
  callbackUrl,
  type Letter,
  type Moment,
  nonsenseOf,
  type Said,
  secretOf,
  signed,
  tokenIn,
} from './callbacks.ts';
import type { Fault } from './history.ts';
import type { Mail } from './mail.ts';
import { type Job, resultOf } from './service.ts';
import type { Chance, Schedule } from './time.ts';
import type { Upstream, Upstreams } from './upstreams.ts';
import type { Worker } from './worker.ts';

/** What becomes of one event on its way. */
export const LETTER_FATES = [
  'lost', // it never leaves
  'late',
  'twice', // at two workers at once
  'unheard', // taken, and the sender does not hear of it
  'again', // taken, and sent once more much later
  'lies', // says another end than the job has, or one that it has not
  'garbage', // signed, and no event
] as const;
/** What somebody sends who may not, or to where it does not belong. */
export const FORGERIES = [
  'wrong-secret',
  'unsigned',
  'tampered', // a genuine signature over other words
  'stale', // signed long ago
  'other-upstream', // signed by one service, sent to another's address
  'unknown-token',
  'names-another', // signed, to the right address, about a job that is not this one
  'elsewhere', // a genuine letter, sent to the address of another operation
] as const;

export type PostFault =
  | {
      readonly what: 'delivery';
      /** Of which service; the first. */
      readonly upstream?: number;
      /** Counted from 1 over the whole history, for each service. */
      readonly nth: number;
      readonly fate: (typeof LETTER_FATES)[number];
      readonly byMs?: number;
    }
  | {
      readonly what: 'forgery';
      readonly at: number;
      /** Whose callback URL, and what it claims. */
      readonly call: number;
      readonly how: (typeof FORGERIES)[number];
      readonly ending: Ending;
    };

type DeliveryFault = Extract<PostFault, { what: 'delivery' }>;
export type Forgery = Extract<PostFault, { what: 'forgery' }>;

const PATIENCE_MS = 10_000;
/** Before each further try. */
const AGAIN_AFTER_MS = [1_000, 3_000, 8_000, 15_000, 30_000, 60_000];

export class Post {
  /** Letters that somebody still means to deliver. */
  underway = 0;
  readonly #schedule: Schedule;
  readonly #chance: Chance;
  readonly #upstreams: Upstreams;
  readonly #workers: readonly Worker[];
  readonly #mail: Mail;
  readonly #fates = new Map<string, DeliveryFault>();
  readonly #counts = new Map<Upstream, number>();
  readonly #numbers = new Map<Job, number>();
  readonly #ended = new Set<Job>();
  readonly #last = new Map<number, Letter>();
  #messages = 0;

  constructor(
    schedule: Schedule,
    chance: Chance,
    upstreams: Upstreams,
    workers: readonly Worker[],
    mail: Mail,
    faults: readonly Fault[],
  ) {
    this.#schedule = schedule;
    this.#chance = chance;
    this.#upstreams = upstreams;
    this.#workers = workers;
    this.#mail = mail;
    for (const fault of faults) {
      if (fault.what === 'delivery') this.#fates.set(`${fault.upstream ?? 0} ${fault.nth}`, fault);
      if (fault.what === 'forgery') schedule.at(fault.at, () => this.#forge(fault));
    }
    for (const upstream of upstreams.all) {
      const { calls } = upstream.dialect;
      if (calls !== undefined) upstream.service.onJob = (job, isNew) => this.#follow(upstream, job, isNew);
    }
  }

  /** A job was made, or its end is another than it was to be. */
  #follow(upstream: Upstream, job: Job, isNew: boolean): void {
    const schedule = this.#schedule;
    const { at = [] } = upstream.dialect.calls ?? {};
    if (job.callback === undefined) return;
    if (isNew && at.includes('started')) schedule.at(schedule.now, () => this.#write(upstream, job, 'started'));
    if (isNew && at.includes('progress')) {
      schedule.at(job.createdAt + job.plan.durationMs / 2, () => {
        if (schedule.now < job.endsAt) this.#write(upstream, job, 'progress');
      });
    }
    schedule.at(job.endsAt, () => {
      if (schedule.now < job.endsAt || this.#ended.has(job)) return;
      this.#ended.add(job);
      this.#write(upstream, job, 'ended');
    });
  }

  #write(upstream: Upstream, job: Job, moment: Moment): void {
    const { calls, speech } = upstream.dialect;
    if (calls === undefined || job.callback === undefined) return;
    const count = (this.#counts.get(upstream) ?? 0) + 1;
    this.#counts.set(upstream, count);
    const number = (this.#numbers.get(job) ?? 0) + 1;
    this.#numbers.set(job, number);
    const fault = this.#fates.get(`${upstream.index} ${count}`);
    const truly = moment === 'ended' ? job.ending : undefined;
    const ending = fault?.fate === 'lies' ? (truly === 'succeeded' ? 'failed' : 'succeeded') : truly;
    const said: Said = {
      eventId: calls.scheme === 'standard-webhooks' ? `msg_${++this.#messages}` : String(number),
      job: job.id,
      at: this.#schedule.now,
      ...(ending !== undefined && { ending }),
      ...(ending === 'succeeded' && { result: resultOf(job) }),
    };
    const letter: Letter = {
      upstream: upstream.name,
      token: tokenIn(job.callback),
      call: job.call,
      eventId: said.eventId,
      body: fault?.fate === 'garbage' ? nonsenseOf(calls, said) : bodyOf(calls, speech, said),
      ...(ending !== undefined && { ending }),
    };
    this.#last.set(job.call, letter);
    this.#mail.written(letter, fault?.fate, ending !== truly);
    this.#post(upstream, letter, fault);
  }

  #post(upstream: Upstream, letter: Letter, fault: DeliveryFault | undefined): void {
    const now = this.#schedule.now;
    switch (fault?.fate) {
      case 'lost':
        return;
      case 'late':
        this.#send(upstream, letter, now + (fault.byMs ?? 20_000), false);
        return;
      case 'twice':
        this.#send(upstream, letter, now, false, 0);
        this.#send(upstream, letter, now, false, 1);
        return;
      case 'again':
        this.#send(upstream, letter, now, false);
        this.#send(upstream, letter, now + (fault.byMs ?? 20_000), false);
        return;
      default:
        this.#send(upstream, letter, now, fault?.fate === 'unheard');
    }
  }

  /** Sends a letter at an instant, and again until it is acknowledged. `isUnheard`: the first acknowledgement is lost. */
  #send(upstream: Upstream, letter: Letter, at: number, isUnheard: boolean, worker?: number, tries = 0): void {
    const { calls } = upstream.dialect;
    if (calls === undefined) return;
    const schedule = this.#schedule;
    this.underway += 1;
    schedule.at(at, async () => {
      const incoming = signed(letter, calls, secretOf(upstream.name, calls.scheme), schedule.now);
      const reply = await this.#deliver(upstream.name, letter, incoming, worker);
      this.underway -= 1;
      const isTaken = reply !== undefined && reply.status < 300;
      if (reply !== undefined) this.#mail.answered(letter, reply);
      if (isTaken && !isUnheard) return;
      const againMs = AGAIN_AFTER_MS[tries];
      if (againMs === undefined) return this.#mail.givenUp(letter);
      this.#send(upstream, letter, schedule.now + againMs, isTaken ? false : isUnheard, undefined, tries + 1);
    });
  }

  /** One try, there and back. `undefined`: nobody answered in time. */
  async #deliver(upstream: string, { token }: Letter, incoming: Incoming, worker?: number): Promise<Reply | undefined> {
    const schedule = this.#schedule;
    const chance = this.#chance;
    const host = this.#workers[(worker ?? chance.between(0, this.#workers.length - 1)) % this.#workers.length];
    await schedule.sleep(chance.chance(0.5) ? 1 : chance.between(1, 400));
    const answered = host?.deliver(upstream, token, incoming);
    if (answered === undefined) return undefined;
    return new Promise((resolve) => {
      const callOff = schedule.at(schedule.now + PATIENCE_MS, () => resolve(undefined));
      void answered.then(async (reply) => {
        await schedule.sleep(chance.chance(0.5) ? 1 : chance.between(1, 400));
        callOff();
        resolve(reply);
      });
    });
  }

  #forge(forgery: Forgery): void {
    const { how } = forgery;
    const [letter, incoming] = this.#forged(forgery) ?? [];
    if (letter === undefined || incoming === undefined) return;
    this.#mail.forged(letter, how);
    this.underway += 1;
    void this.#deliver(letter.upstream, letter, incoming).then((reply) => {
      this.underway -= 1;
      if (reply !== undefined) this.#mail.forgeryAnswered(letter, how, reply);
    });
  }

  /** What is sent; nothing where there is nothing of the kind. */
  #forged({ call, how, ending }: Forgery): readonly [Letter, Incoming] | undefined {
    const token = this.#mail.tokenOf(call);
    if (token === undefined) return undefined;
    const upstream = this.#upstreams.ofCall(call);
    const { calls, speech } = upstream.dialect;
    if (calls === undefined) return undefined;
    const { now } = this.#schedule;
    const secret = secretOf(upstream.name, calls.scheme);
    const eventId = `forged_${++this.#messages}`;
    const named = how === 'names-another' ? 'j999' : (this.#mail.jobIdOf(call) ?? 'j1');
    const body = bodyOf(calls, speech, { eventId, job: named, ending, result: { call: -1 }, at: now });
    const letter: Letter = { upstream: upstream.name, token, call, eventId, body, ending };
    const honest = signed(letter, calls, secret, now);
    switch (how) {
      case 'wrong-secret':
        return [letter, signed(letter, calls, secretOf('nobody', calls.scheme), now)];
      case 'unsigned':
        return [letter, { ...honest, headers: new Map([...honest.headers].filter(([name]) => !name.includes('signature'))) }];
      case 'tampered':
        return [letter, { ...honest, body: new TextEncoder().encode(`${body} `) }];
      case 'stale':
        return calls.scheme === 'github' ? undefined : [letter, signed(letter, calls, secret, now - 1_200_000)];
      case 'other-upstream': {
        const other = this.#upstreams.all.find((one) => one !== upstream && one.dialect.calls !== undefined);
        return other && [letter, signed(letter, calls, secretOf(other.name, calls.scheme), now)];
      }
      case 'unknown-token': {
        const lost = { ...letter, token: `${token}0` };
        return [lost, signed(lost, calls, secret, now)];
      }
      case 'names-another':
        return calls.says === 'nothing' ? undefined : [letter, honest];
      case 'elsewhere': {
        const other = this.#mail.otherCallOf(call);
        const last = this.#last.get(call);
        const theirs = other === undefined ? undefined : this.#mail.tokenOf(other);
        if (calls.says === 'nothing' || other === undefined || last === undefined || theirs === undefined) return undefined;
        // What names no job is as good for one address as for another.
        if (!last.body.includes(this.#mail.jobIdOf(call) ?? 'j0')) return undefined;
        const strayed = { ...last, call: other, token: theirs };
        return [strayed, { ...signed(last, calls, secret, now), url: callbackUrl(upstream.name, theirs) }];
      }
    }
  }
}
