// One species in its place: its jobs, and what its table says to a request.
//   C1. A job runs for as many looks as RUNS_FOR, then ends; how, its name says (species.ts, Z1).
//   C2. A name may also hold a quirk (quirks/name.ts). `quirk-at-once` has the job over before its submit is answered.

import type { IncomingMessage } from 'node:http';
import { type JsonObject, valueAt } from '../../src/core/json.ts';
import { type Calling, callOf } from './callbacks.ts';
import type { Job } from './job.ts';
import { cancelling } from './quirks/cancel.ts';
import { has, type Spoiling, spoiling } from './quirks/name.ts';
import { isForgotten, spoiltFetch } from './quirks/result.ts';
import { isMisversioned, isOutOfDate, MOVED, spoilt, whenOver, whileRunning } from './quirks/status.ts';
import { isOverAtOnce, losesStep, losesSubmit, refusedSubmit, submitted } from './quirks/submit.ts';
import { busyFor, wishOf } from './quirks/time.ts';
import type { Answer, Route, Species } from './species.ts';

const RUNS_FOR = 2;

export interface Cage {
  readonly one: Species;
  readonly jobs: Map<string, Job>;
  /** How many submits came, by the name that they asked for. */
  readonly submits: Map<string, number>;
  /** When its jobs were asked for, in milliseconds of a clock that never goes back. */
  readonly lookedAt: number[];
}

/** A request as tables are asked about it. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

export interface Told {
  readonly answer: Answer;
  readonly job?: Job;
  readonly spoilt?: Spoiling;
  readonly isSubmit?: true;
  readonly calls?: Calling;
}

/** What a table says to a request; `undefined` where it says nothing. */
export function answer({ one: species, jobs, submits }: Cage, asked: Asked, next: () => number): Told | undefined {
  const main = species.routes.find(
    (route) => route.running !== undefined && route.before !== true && route.cancels !== true && route.waits !== true,
  );
  for (const route of species.routes) {
    if (route.lists !== undefined && asked.method === 'GET' && asked.path === route.on.split(' ')[1])
      return { answer: { code: 200, json: { jobs: [...jobs.values()].map(route.lists) } } };
    const id = idOf(route, asked);
    const job = id === undefined ? undefined : jobs.get(id);
    if (job === undefined || job.owner !== ownerIn(species, asked)) continue;
    const { query, header } = route.needs ?? {};
    const isShort = (query && !asked.query.has(query)) || (header && asked.headers[header] === undefined);
    if (isShort) return { answer: { code: 400, json: { message: 'something is missing' } }, job };
    return looked(route, job, route === main ? species : undefined, asked);
  }
  const [method, path = ''] = species.submit.split(' ');
  const found = asked.method === method ? matched(path, asked.path) : undefined;
  if (found === undefined) return undefined;
  const sent = asked.text.startsWith('{') ? (JSON.parse(asked.text) as JsonObject) : {};
  const whole = { path: { ...found }, query: Object.fromEntries(asked.query), body: sent };
  const named = species.nameAt === undefined ? { ...found, ...whole.query, ...sent }['name'] : valueAt(whole, species.nameAt);
  const name = String(named ?? '');
  const tries = submits.get(name) ?? 0;
  submits.set(name, tries + 1);
  const refused = refusedSubmit(name, tries);
  if (refused !== undefined) return { answer: refused };
  const { remembers } = species;
  const key =
    remembers === undefined
      ? undefined
      : String(remembers.startsWith('{') ? found[remembers.slice(1, -1)] : asked.headers[remembers.toLowerCase()]);
  const known = [...jobs.values()].find((job) => key !== undefined && job.key === key);
  if (known !== undefined) return { answer: species.accepted, job: known };
  const number = next();
  const job: Job = {
    id: species.idFrom === undefined ? String(number) : (found[species.idFrom] ?? ''),
    number,
    name,
    owner: ownerIn(species, asked),
    key,
    looks: new Map(),
    steps: [],
    ended: main !== undefined && isOverAtOnce(name),
    cancelled: false,
    told: false,
    signatures: 0,
    notBefore: 0,
    hasty: 0,
  };
  jobs.set(job.id, job);
  const calls = callOf(species, job, asked);
  const answer = submitted(species.accepted, name, main?.succeeded);
  return { answer, job, isSubmit: true, ...(losesSubmit(name) && { spoilt: 'hangup' }), ...(calls && { calls }) };
}

const ownerIn = ({ owner }: Species, { headers }: Asked): string | undefined =>
  owner === undefined ? undefined : String(headers[owner.toLowerCase()]);

const gone: Answer = { code: 404, json: { message: 'gone' } };

/** @param species where the route is its main one */
function looked(route: Route, job: Job, species: Species | undefined, asked: Asked): Told {
  const looks = job.looks.get(route) ?? 0;
  job.looks.set(route, looks + 1);
  if (route.step === true) {
    job.steps.push(route);
    return { answer: route.succeeded, job, ...(looks === 0 && losesStep(job.name) && { spoilt: 'hangup' }) };
  }
  const refused = route.waits === true && looks === 0 ? spoiling(job.name, 'wait-') : undefined;
  if (refused !== undefined) return { answer: gone, job, spoilt: refused };
  if (route.waits === true && !job.cancelled) {
    job.ended ||= looks > 0 && !job.name.includes('endless');
    if (!job.ended) return { answer: route.running ?? gone, job };
    return { answer: job.name.includes('broken') ? (route.failed ?? route.succeeded) : route.succeeded, job };
  }
  if (route.waits === true) return { answer: route.cancelled ?? gone, job };
  if (route.cancels === true) return asksToStop(route, job, looks);
  if (route.before === true) return { answer: looks < 1 && route.running !== undefined ? route.running : route.succeeded, job };
  if (species !== undefined) return mainLook(route, job, species, looks, asked);
  if (!job.ended) return { answer: gone, job };
  const lost = spoiltFetch(job.name, looks);
  if (lost !== undefined) return { answer: gone, job, spoilt: lost };
  return over(route, job, pageOf(route, asked));
}

/** A look at the job itself. */
function mainLook(route: Route, job: Job, { routes }: Species, looks: number, asked: Asked): Told {
  const now = Date.now();
  if (now < job.notBefore) job.hasty += 1;
  if (job.cancelled) return { answer: route.cancelled ?? gone, job };
  const how = isOutOfDate(job.name, looks, asked.headers.authorization) ? '401' : spoilt(job.name, looks);
  if (how !== undefined) return { answer: gone, job, spoilt: how };
  if (isMisversioned(job.name, asked.query)) return { answer: { code: 400, json: { message: 'which version?' } }, job };
  if (isForgotten(job.name, job.told)) return { answer: gone, job };
  if (has(job.name, 'moves') && looks > 0 && !asked.query.has(MOVED)) return { answer: gone, job };
  const isWaiting = routes.some((one) => one.step === true && !job.steps.includes(one));
  if (isWaiting && route.waiting !== undefined) return { answer: route.waiting, job };
  const busy = busyFor(job.name, looks, now);
  if (busy !== undefined) {
    job.notBefore = busy.notBefore;
    return { answer: busy.answer, job };
  }
  const runs = !job.ended && (job.name.includes('endless') || looks < RUNS_FOR);
  if (runs && route.running !== undefined) {
    const { retryAfter, notBefore = 0 } = wishOf(job.name, looks, now);
    job.notBefore = notBefore;
    const said = whileRunning(route.running, job.name, `{base}${asked.path}`, looks);
    const headers = { ...said.headers, ...(retryAfter !== undefined && { 'Retry-After': retryAfter }) };
    return { answer: { ...said, headers }, job };
  }
  job.ended = true;
  job.told = true;
  return over(route, job, whenOver(pageOf(route, asked), job.name));
}

const over = (route: Route, job: Job, succeeded: Answer): Told => ({
  answer: job.name.includes('broken') ? (route.failed ?? succeeded) : succeeded,
  job,
});

/** A cancel, which may come when the job is over, or be the moment in which it is. */
function asksToStop(route: Route, job: Job, cancels: number): Told {
  const { does, spoilt: how } = cancelling(job.name, cancels);
  if (does === 'stop') job.cancelled ||= !job.ended;
  if (does === 'delete_too_late') job.cancelled = true;
  if (does === 'too_late') job.ended = true;
  if (how === '409' || how === '405') return { answer: { code: Number(how), json: { message: 'it is past that' } }, job };
  const answer = does !== 'nothing' && job.ended ? route.succeeded : (route.running ?? route.succeeded);
  return { answer, job, ...(how !== undefined && { spoilt: how }) };
}

/** Which of its pages a route is asked for. */
function pageOf({ pages, succeeded }: Route, { query, text }: Asked): Answer {
  const { query: parameter, body: member, by = {} } = pages ?? {};
  const token =
    parameter === undefined
      ? member && (JSON.parse(text) as Record<string, unknown>)[member]
      : (query.get(parameter) ?? undefined);
  if (token === undefined) return succeeded;
  return by[String(token)] ?? { code: 400, json: { message: `there is no page ${String(token)}` } };
}

function idOf({ on, idIn, header, member }: Route, asked: Asked): string | undefined {
  const [method, path = ''] = on.split(' ');
  if (asked.method !== method || (header !== undefined && asked.headers[header[0]] !== header[1])) return undefined;
  const found = matched(path, asked.path);
  if (found === undefined) return undefined;
  if (member !== undefined && (JSON.parse(asked.text) as Record<string, unknown>)[member[0]] !== member[1]) return undefined;
  if (idIn?.query !== undefined) return asked.query.get(idIn.query) ?? undefined;
  const named =
    idIn?.body === undefined
      ? (found['id'] ?? found['path']?.split('/').at(-1))
      : String((JSON.parse(asked.text) as Record<string, unknown>)[idIn.body]);
  return named?.split(':').at(-1);
}

/** The parameters of a path that fits. */
function matched(template: string, path: string): Readonly<Record<string, string>> | undefined {
  const pattern = template
    .split(/(\{\+?\w+\})/)
    .map((part) =>
      part.startsWith('{+')
        ? `(?<${part.slice(2, -1)}>.+?)`
        : part.startsWith('{')
          ? `(?<${part.slice(1, -1)}>[^/]+?)`
          : part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
    )
    .join('');
  const found = new RegExp(`^${pattern}$`).exec(path);
  return found === null ? undefined : { ...found.groups };
}
