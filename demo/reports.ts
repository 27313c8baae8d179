// The demo's legacy report service, as described by specs/demo/reports.openapi.yaml: a status monitor behind 202 + Location.
// A job's state is a function of its age, so the service needs no timers and a test needs only a clock.
// @see RFC 9110 §15.3.3 (202 Accepted), §10.2.3 (Retry-After)

import type { Clock, EpochMs } from '../src/core/time.ts';
import { application, listen, problem, type Service } from './service.ts';

interface Job {
  readonly id: string;
  readonly month: string;
  readonly currency: string;
  readonly begunAt: EpochMs;
  readonly durationMs: number;
  cancelledAt?: EpochMs;
}

const DURATION_DEFAULT_S = 1.8;
const DURATION_MAX_S = 3600;
const BOOKINGS = 156;
const STEPS = ['collecting bookings', 'matching payments', 'writing the report'];
const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

export async function startReports(options: { readonly port: number; readonly clock: Clock }): Promise<Service> {
  const { clock } = options;
  const jobs = new Map<string, Job>();
  const byKey = new Map<string, { readonly job: Job; readonly body: string }>();
  const app = application();

  app.get('/months', (_request, response) => {
    const now = new Date(clock.now());
    const months = Array.from({ length: 6 }, (_, back) => monthOf(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)));
    response.json({ months: months.map((month, back) => ({ month, closed: back > 0, bookings: BOOKINGS })) });
  });

  app.post('/reports', (request, response) => {
    const { month, currency = 'EUR', seconds = DURATION_DEFAULT_S } = (request.body ?? {}) as Record<string, unknown>;
    if (typeof month !== 'string' || !MONTH.test(month)) {
      return problem(response, 400, 'No such month', `"month" is ${JSON.stringify(month)}; give one as YYYY-MM.`);
    }
    if (typeof seconds !== 'number' || !(seconds >= 0 && seconds <= DURATION_MAX_S)) {
      return problem(response, 400, 'No such duration', `"seconds" is a number from 0 to ${DURATION_MAX_S}.`);
    }
    const key = request.get('Idempotency-Key');
    const body = JSON.stringify(request.body);
    const earlier = key === undefined ? undefined : byKey.get(key);
    if (earlier !== undefined && earlier.body !== body) {
      return problem(response, 422, 'Key used before', 'This Idempotency-Key came with another request before.');
    }
    const job = earlier?.job ?? {
      id: `r-${jobs.size + 1001}`,
      month,
      currency: String(currency),
      begunAt: clock.now(),
      durationMs: seconds * 1000,
    };
    jobs.set(job.id, job);
    if (key !== undefined) byKey.set(key, { job, body });
    response.status(202).location(`/report-jobs/${job.id}`).set('Retry-After', '1').json(stateOf(job, clock.now()));
  });

  app
    .route('/report-jobs/:id')
    .get((request, response) => {
      const job = jobs.get(request.params.id);
      if (job === undefined) return problem(response, 404, 'No such job', `There is no report job ${request.params.id}.`);
      const state = stateOf(job, clock.now());
      if (state.status === 'done') return void response.status(303).location(`/reports/${job.id}`).json(state);
      if (state.status === 'queued' || state.status === 'running') response.set('Retry-After', '1');
      response.json(state);
    })
    .delete((request, response) => {
      const job = jobs.get(request.params.id);
      if (job === undefined) return problem(response, 404, 'No such job', `There is no report job ${request.params.id}.`);
      const { status } = stateOf(job, clock.now());
      if (status === 'done' || status === 'failed') return problem(response, 409, 'Too late', `The job is ${status} already.`);
      job.cancelledAt ??= clock.now();
      response.status(202).json(stateOf(job, clock.now()));
    });

  app.get('/reports/:id', (request, response) => {
    const job = jobs.get(request.params.id);
    if (job === undefined || stateOf(job, clock.now()).status !== 'done') {
      return problem(response, 404, 'No such report', `There is no report ${request.params.id}.`);
    }
    response.json(reportOf(job));
  });

  const { url, close } = await listen(app, options.port);
  const jobsCreated = () => jobs.size;
  return { name: 'reports', title: 'legacy report service', style: '202 + Location', url, jobsCreated, close };
}

interface JobState {
  readonly id: string;
  readonly status: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  readonly percent?: number;
  readonly step?: string;
  readonly error?: { readonly message: string };
}

function stateOf(job: Job, now: EpochMs): JobState {
  const share = job.durationMs === 0 ? 1 : ((job.cancelledAt ?? now) - job.begunAt) / job.durationMs;
  if (job.cancelledAt !== undefined) return { id: job.id, status: 'cancelled', percent: Math.floor(share * 100) };
  if (share >= 1 && job.month >= monthOf(job.begunAt)) {
    return {
      id: job.id,
      status: 'failed',
      error: { message: `The books of ${job.month} are not closed yet: choose an earlier month.` },
    };
  }
  if (share >= 1) return { id: job.id, status: 'done', percent: 100 };
  const step = STEPS[Math.floor(share * STEPS.length)] ?? '';
  return { id: job.id, status: share === 0 ? 'queued' : 'running', percent: Math.floor(share * 100), step };
}

/** About 18 kB. The same month gives the same report. */
function reportOf(job: Job) {
  const entries = Array.from({ length: BOOKINGS }, (_, index) => {
    const day = String((index % 28) + 1).padStart(2, '0');
    const amount = (((index * 7919) % 90_000) + 1000) / 100;
    return {
      booking: `${job.month}-${String(index + 1).padStart(5, '0')}`,
      date: `${job.month}-${day}`,
      account: 4000 + (index % 7) * 100,
      text: `Invoice ${20_000 + index}, paid in full`,
      amount: amount.toFixed(2),
    };
  });
  const total = entries.reduce((sum, entry) => sum + Number(entry.amount), 0).toFixed(2);
  return { report: job.id, month: job.month, currency: job.currency, total, entries };
}

/** `2026-10` */
function monthOf(at: EpochMs): string {
  return new Date(at).toISOString().slice(0, 7);
}
