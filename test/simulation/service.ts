// The service behind the gateway, as a model that knows the truth: which jobs there are, for which call, how each ended, and
// what it ever let anybody see. What it does is told by the history; what it says can be made false by the network's lies.
//   V1. One job for each submit that arrives, but for a key that it remembers.
//   V2. A job is not to be seen before its lag is over, nor after its retention: then its id may be another job's. One that gives
//       away an id that is in use shows the newer job under it.
//   V3. What a job asks, and what it makes of answers, is in rounds.ts.
//   V4. A cancel stops a job only while it runs. Where cancelling deletes, it removes whatever is there.

import type { HttpRequest, HttpResponse } from '../../src/core/http.ts';
import type { Ending } from '../../src/core/outcome.ts';
import type { Dialect } from './dialects.ts';
import type { Fate, JobPlan } from './history.ts';
import { holdOf } from './holds.ts';
import { Dialogue, doesAsk, type Given } from './rounds.ts';
import { Stages } from './stages.ts';

export interface Job {
  readonly call: number;
  readonly key: string | undefined;
  readonly id: string;
  readonly plan: JobPlan;
  readonly createdAt: number;
  /** When it stops running, and how. */
  endsAt: number;
  ending: Ending;
  deletedAt?: number;
  /** Where it is called back. */
  readonly callback?: string;
  /** What it asks on its way; it has no end before that is over. */
  dialogue?: Dialogue;
  /** What it waits for before it begins; it has no end before that. */
  readonly stages?: Stages;
}

/** What is true of one call. */
export interface Truth {
  readonly jobs: Job[];
  /** Submits that the service refused for good. */
  rejections: number;
  /** Endings that were shown, truly or not. */
  readonly shown: Set<Ending>;
  /** When a cancel of the job reached the service. */
  readonly cancels: number[];
}

interface Answer {
  readonly status: number;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly url?: string;
}

export class Service {
  readonly dialect: Dialect;
  /** Told of every new job, and of every one that is to end otherwise. */
  onJob: ((job: Job, isNew: boolean) => void) | undefined;
  readonly #plans: ReadonlyMap<number, JobPlan>;
  /** How many requests were answered. */
  answered = 0;
  readonly #truths = new Map<number, Truth>();
  readonly #byId = new Map<string, Job>();
  readonly #byKey = new Map<string, Job>();
  readonly #free: string[] = [];
  #lastId = 0;

  constructor(dialect: Dialect, plans: ReadonlyMap<number, JobPlan>) {
    this.dialect = dialect;
    this.#plans = plans;
  }

  truth(call: number): Truth {
    const known = this.#truths.get(call);
    if (known !== undefined) return known;
    const truth: Truth = { jobs: [], rejections: 0, shown: new Set(), cancels: [] };
    this.#truths.set(call, truth);
    return truth;
  }

  get truths(): ReadonlyMap<number, Truth> {
    return this.#truths;
  }

  /** The ending of a job by now; `undefined` while it runs. */
  endingOf(job: Job, now: number): Ending | undefined {
    this.#move(job, now);
    return now >= job.endsAt ? job.ending : undefined;
  }

  /** What jobs were given, in the order in which it was taken. */
  readonly given: Given[] = [];

  /** A job that asks works to its end only when it asks no more. */
  #move(job: Job, now: number): void {
    if (job.dialogue === undefined || job.endsAt !== Number.POSITIVE_INFINITY) return;
    const overAt = job.dialogue.overAt(now);
    if (overAt !== undefined) job.endsAt = overAt + job.plan.durationMs;
  }

  /** Does what a request asks, at the instant at which it arrives. A `lie` changes what is answered, not what is done. */
  answer(request: HttpRequest, now: number, lie: Fate | undefined): HttpResponse {
    this.answered += 1;
    const { status, json, headers, url } = this.#route(request, now, lie);
    return {
      status,
      url: url ?? request.url,
      headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
      body: new TextEncoder().encode(json === undefined ? '' : JSON.stringify(json)),
    };
  }

  /** Until when the answer to a request that came `sinceMs` ago is held, so far as the service knows: `now` where it is due. */
  heldUntil({ url }: HttpRequest, now: number, sinceMs: number): number {
    const asked = new URL(url);
    const endsAt = now - sinceMs + holdOf(asked);
    if (endsAt <= now) return now;
    const job = this.#visible(/\/([^/:]+)(?::wait)?$/.exec(asked.pathname)?.[1] ?? '', now);
    const waitsForUs = job?.stages?.begun === 0 || job?.dialogue?.shows(now, false) !== undefined;
    if (job === undefined || waitsForUs) return now;
    return Math.max(now, Math.min(endsAt, job.endsAt, job.dialogue?.asksAt(now) ?? endsAt));
  }

  #route(request: HttpRequest, now: number, lie: Fate | undefined): Answer {
    const url = new URL(request.url);
    const { pathname } = url;
    if (request.method === 'POST' && pathname === this.dialect.submitPath) return this.#submit(request, url, now, lie);
    const reference = url.searchParams.get('reference');
    if (reference !== null) return this.#lookup(reference, now);
    const [, id = '', cancels, result, answers, step] =
      /^\/(?:jobs|v1\/operations)\/([^/:]+)(?:[:/](?:(cancel)|(result)|(answer|decline)|(data|begin)|wait))?$/.exec(pathname) ??
      [];
    const job = this.#visible(id, now);
    if (cancels !== undefined || request.method === 'DELETE') return this.#cancel(job, request.method === 'DELETE', now);
    if (result !== undefined) return this.#result(job, now, url.searchParams.get('page'));
    if (answers !== undefined) return this.#give(job, request, answers === 'decline', now);
    if (step !== undefined) return this.#step(job, step, now);
    return this.#status(job, now, lie);
  }

  /** A request was refused, and changed nothing. */
  refused({ url }: HttpRequest, call: number | undefined): void {
    if (call !== undefined) this.truth(call).rejections += 1;
    // A job that is not given what it waits for has failed, as far as its caller is told.
    const [, id = ''] = /\/jobs\/([^/]+)\/(?:data|begin)$/.exec(url) ?? [];
    const job = this.#byId.get(id);
    if (job !== undefined) this.truth(job.call).shown.add('failed');
  }

  /** A request was answered with a 200 that is not the service's: of a cancel that deletes it says that the job is deleted. */
  saidYes({ method, url }: HttpRequest): void {
    if (method !== 'DELETE') return;
    for (const truth of this.#truths.values())
      if (truth.jobs.some(({ id }) => url.endsWith(`/jobs/${id}`))) truth.shown.add('cancelled');
  }

  #submit(request: HttpRequest, url: URL, now: number, lie: Fate | undefined): Answer {
    const body = JSON.parse(String(request.body)) as { readonly call: number; readonly callback?: string };
    const truth = this.truth(body.call);
    const plan = this.#plans.get(body.call);
    if (plan === undefined) throw new Error(`nobody planned call ${body.call}`);
    const sent =
      request.headers.find(([name]) => name.toLowerCase() === 'idempotency-key')?.[1] ??
      url.searchParams.get('requestId') ??
      undefined;
    const known = sent === undefined ? undefined : this.#byKey.get(sent);
    const { remembersKeysMs } = this.dialect;
    if (known !== undefined && remembersKeysMs !== undefined && now < known.createdAt + remembersKeysMs) {
      return this.#accepted(known, now);
    }
    if (plan.answer === 'rejects') {
      truth.rejections += 1;
      return { status: 422, json: { error: { message: 'size must be at most 10' } } };
    }
    const { asks } = this.dialect;
    const dialogue = asks && doesAsk(plan) ? new Dialogue(body.call, asks, plan.rounds ?? [], now, this.given) : undefined;
    const stages = this.dialect.steps === true && plan.answer === 'accepts' ? new Stages(plan.lagMs) : undefined;
    const endsAt = dialogue || stages ? Number.POSITIVE_INFINITY : now + (plan.answer === 'finishes' ? 0 : plan.durationMs);
    const used = lie === 'used-id' ? [...this.#byId.values()].find((job) => this.endingOf(job, now) === undefined) : undefined;
    const id = used?.id ?? this.#free.shift() ?? `j${++this.#lastId}`;
    const job: Job = {
      call: body.call,
      key: sent,
      id,
      plan,
      createdAt: now,
      endsAt,
      ending: plan.ending,
      ...(dialogue && { dialogue }),
      ...(stages && { stages }),
      ...(body.callback !== undefined && { callback: body.callback }),
    };
    truth.jobs.push(job);
    this.#byId.set(id, job);
    if (sent !== undefined) this.#byKey.set(sent, job);
    this.onJob?.(job, true);
    return this.#accepted(job, now);
  }

  #accepted(job: Job, now: number): Answer {
    if (job.plan.answer === 'finishes' && this.dialect.calls?.role !== 'only') {
      this.truth(job.call).shown.add(job.ending);
      return { status: 200, json: this.#picture(job, now) };
    }
    if (this.dialect.answersWith === 'location') return { status: 202, headers: { location: `/jobs/${job.id}` } };
    const picture = this.#picture(job, Math.min(now, job.endsAt - 1));
    return { status: this.dialect.speech === 'operations' ? 200 : 202, json: picture };
  }

  /** The job that an id names by now, where one can be seen. What is past its retention frees its id. */
  #visible(id: string, now: number): Job | undefined {
    const job = this.#byId.get(id);
    if (job === undefined || now < job.createdAt + job.plan.lagMs) return undefined;
    this.#move(job, now);
    if (now >= job.endsAt + job.plan.keptMs) {
      this.#byId.delete(id);
      this.#free.push(id);
      return undefined;
    }
    return job;
  }

  #lookup(key: string, now: number): Answer {
    const job = this.#byKey.get(key);
    const isSeen = job !== undefined && now >= job.createdAt + job.plan.lagMs;
    return isSeen ? { status: 200, json: { id: job.id } } : { status: 404, json: { error: { message: 'no such reference' } } };
  }

  #cancel(job: Job | undefined, deletes: boolean, now: number): Answer {
    if (job === undefined) return { status: 404, json: { error: { message: 'no such job' } } };
    this.truth(job.call).cancels.push(now);
    if (job.plan.onCancel === 'refuses') return { status: 409, json: { error: { message: 'not now' } } };
    if (deletes) {
      job.deletedAt = now;
      if (now < job.endsAt) Object.assign(job, { endsAt: now, ending: 'cancelled' });
      this.#byId.delete(job.id);
      this.onJob?.(job, false);
      return { status: 204 };
    }
    if (job.plan.onCancel === 'stops' && now < job.endsAt) {
      Object.assign(job, { endsAt: now + 300, ending: 'cancelled' });
      this.onJob?.(job, false);
    }
    if (job.plan.onCancel === 'claims' && this.dialect.speech === 'jobs')
      return { status: 200, json: { id: job.id, status: 'cancelled' } };
    // Taken, whether or not it changes anything: as many services answer.
    return { status: this.dialect.speech === 'operations' ? 200 : 202, json: {} };
  }

  #step(job: Job | undefined, step: string, now: number): Answer {
    if (job === undefined) return { status: 404, json: { error: { message: 'no such job' } } };
    const isStopped = job.endsAt !== Number.POSITIVE_INFINITY && job.stages?.begun === 0;
    const isOver = this.endingOf(job, now) !== undefined;
    const status = isStopped || isOver ? 409 : (job.stages?.take(step, now) ?? 409);
    if (status === 204 && step === 'begin' && job.endsAt === Number.POSITIVE_INFINITY) job.endsAt = now + job.plan.durationMs;
    return status === 204 ? { status } : { status, json: { error: { message: 'not now' } } };
  }

  #give(job: Job | undefined, { body }: HttpRequest, declines: boolean, now: number): Answer {
    if (job === undefined) return { status: 404, json: { error: { message: 'no such job' } } };
    const isOver = this.endingOf(job, now) !== undefined;
    const status = isOver ? 409 : (job.dialogue?.give(JSON.parse(String(body)), now, declines) ?? 409);
    this.#move(job, now);
    return { status, json: status === 200 ? {} : { error: { message: status === 422 ? 'not that one' : 'not asked' } } };
  }

  #result(job: Job | undefined, now: number, page: string | null): Answer {
    if (job === undefined) return { status: 404, json: { error: { message: 'no such job' } } };
    if (this.endingOf(job, now) !== 'succeeded') return { status: 409, json: { error: { message: 'not ready' } } };
    const { rows, ...rest } = resultOf(job);
    if (this.dialect.pages !== true) return { status: 200, json: { ...rest, rows } };
    const number = Number(page ?? '1');
    const row = rows.slice(number - 1, number);
    const next = number < rows.length ? { next: number + 1 } : {};
    return { status: 200, json: page === null ? { ...rest, rows: row, ...next } : { rows: row, ...next } };
  }

  #status(job: Job | undefined, now: number, lie: Fate | undefined): Answer {
    if (job === undefined || lie === 'missing') return { status: 404, json: { error: { message: 'no such job' } } };
    if (lie === 'unknown-word' && this.dialect.speech === 'jobs')
      return { status: 200, json: { id: job.id, status: 'wobbling' } };
    if (lie === 'stale' && job.dialogue === undefined && job.endsAt !== Number.POSITIVE_INFINITY)
      return { status: 200, json: this.#picture(job, job.endsAt - 1) };
    const asked = job.dialogue?.shows(now, lie === 'stale');
    if (asked !== undefined && (lie === 'stale' || this.endingOf(job, now) === undefined))
      return { status: 200, json: { id: job.id, ...asked } };
    const ending = this.endingOf(job, now);
    if (lie === 'contradicts' && ending !== undefined) {
      const other = { ...job, ending: ending === 'failed' ? 'succeeded' : 'failed' } as const;
      this.truth(job.call).shown.add(other.ending);
      return { status: 200, json: this.#picture(other, now) };
    }
    if (ending !== undefined) this.truth(job.call).shown.add(ending);
    return { status: 200, json: this.#picture(job, now) };
  }

  #picture(job: Job, now: number): unknown {
    const ending = this.endingOf(job, now);
    const said = { message: ending === 'cancelled' ? 'stopped on request' : 'out of paper' };
    if (this.dialect.speech === 'operations') {
      const name = `operations/${job.id}`;
      if (ending === undefined) return { name, metadata: { progressPercent: 10 } };
      if (ending === 'succeeded') return { name, done: true, response: resultOf(job) };
      return { name, done: true, error: { code: ending === 'cancelled' ? 1 : 13, ...said } };
    }
    if (ending === undefined) return { id: job.id, status: job.stages?.shows(now) ?? 'running' };
    if (ending !== 'succeeded') return { id: job.id, status: ending, error: said };
    const inline = this.dialect.answersWith !== 'location' || job.plan.answer === 'finishes';
    return { id: job.id, status: 'succeeded', ...(inline && { result: resultOf(job) }) };
  }
}

/** What a job gives: by it a receipt is held against the job that it should be about. */
export const resultOf = (job: Pick<Job, 'call' | 'plan'>) => ({
  call: job.call,
  ...(job.plan.big && { filling: 'x'.repeat(3_000) }),
  rows: [1, 2, 3],
});
