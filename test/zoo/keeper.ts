// The zoo itself: one HTTP server that answers for every species, below a path of its name, as its table says.
//   K1. A job runs for as many looks as RUNS_FOR, then ends; how, its name says (species.ts, Z1).
//   K2. A name may also hold a quirk (quirks.ts). `quirk-at-once` has the job over before its submit is answered.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isJsonObject, type JsonObject, valueAt } from '../../src/core/json.ts';
import { deliveries, has, loses, MOVED, refusedSubmit, spoil, spoilt, spoiltFetch, whileRunning, worded } from './quirks.ts';
import { type Answer, CALLBACK_HEADER, CALLBACK_TOKEN, type Route, type Species } from './species.ts';

const RUNS_FOR = 2;

interface Job {
  readonly id: string;
  readonly number: number;
  readonly name: string;
  /** What its submit carried to be known again. */
  readonly key: string | undefined;
  /** Looks so far, by route. */
  readonly looks: Map<Route, number>;
  /** Steps that have come, each as often as it did. */
  readonly steps: Route[];
  ended: boolean;
  cancelled: boolean;
}

interface Cage {
  readonly one: Species;
  readonly jobs: Map<string, Job>;
  /** How many submits came, by the name that they asked for. */
  readonly submits: Map<string, number>;
}

/** A request as tables are asked about it. */
interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

export interface Zoo {
  readonly url: string;
  /** How many jobs of that name a species has begun. */
  begun(species: string, name: string): number;
  /** How often steps of theirs came. */
  steps(species: string, name: string): number;
  /** How often they were looked at. */
  looks(species: string, name: string): number;
  /** Requests that nobody understood: `POST /x/jobs/7`. */
  readonly strangers: readonly string[];
  close(): Promise<void>;
}

/** Opens a zoo of these species on a free port of the loopback. */
export async function openZoo(species: readonly Species[]): Promise<Zoo> {
  const cages = new Map<string, Cage>(species.map((one) => [one.name, { one, jobs: new Map(), submits: new Map() }]));
  const strangers: string[] = [];
  let url = '';
  let number = 1000;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const at = new URL(request.url ?? '/', url);
    const [, name = '', ...rest] = at.pathname.split('/');
    const cage = cages.get(name);
    if (cage === undefined) return void response.writeHead(404).end();
    const asked: Asked = {
      method: request.method ?? '',
      path: decodeURIComponent(`/${rest.join('/')}`),
      query: at.searchParams,
      headers: request.headers,
      text,
    };
    const told = answer(cage, asked, () => ++number);
    if (told === undefined) strangers.push(`${asked.method} ${request.url}`);
    const call = told?.calls;
    if (call !== undefined && has(told?.job?.name ?? '', 'early')) await call(`${url}/${name}`);
    else if (call !== undefined) response.once('close', () => void call(`${url}/${name}`));
    if (told?.spoilt !== undefined) return spoil(response, told.spoilt);
    write(response, told?.answer ?? { code: 404, json: { message: 'there is nothing here' } }, told?.job, `${url}/${name}`);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch((error: Error) => response.writeHead(500).end(error.message));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const jobs = (of: string, name: string) => [...(cages.get(of)?.jobs.values() ?? [])].filter((job) => job.name === name);
  return {
    url,
    strangers,
    begun: (of, name) => jobs(of, name).length,
    steps: (of, name) => jobs(of, name).reduce((sum, job) => sum + job.steps.length, 0),
    looks: (of, name) => jobs(of, name).reduce((sum, job) => sum + [...job.looks.values()].reduce((a, b) => a + b, 0), 0),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Told {
  readonly answer: Answer;
  readonly job?: Job;
  readonly spoilt?: string;
  /** Ends the job and calls back. */
  readonly calls?: (base: string) => Promise<void>;
}

/** What a table says to a request; `undefined` where it says nothing. */
function answer({ one: species, jobs, submits }: Cage, asked: Asked, next: () => number): Told | undefined {
  const main = species.routes.find(
    (route) => route.running !== undefined && route.before !== true && route.cancels !== true && route.waits !== true,
  );
  for (const route of species.routes) {
    const id = idOf(route, asked);
    const job = id === undefined ? undefined : jobs.get(id);
    if (job === undefined) continue;
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
    key,
    looks: new Map(),
    steps: [],
    ended: false,
    cancelled: false,
  };
  jobs.set(job.id, job);
  job.ended = main !== undefined && has(job.name, 'at-once');
  const calls = callOf(species, job, asked);
  const answer = job.ended && main !== undefined ? atOnce(species.accepted, main.succeeded) : species.accepted;
  return { answer, job, ...(has(name, 'lost-submit') && { spoilt: 'hangup' }), ...(calls && { calls }) };
}

/** An ended job as it is shown by a service that names it as well. */
function atOnce({ headers, json: named }: Answer, { code, json }: Answer): Answer {
  const isPair = isJsonObject(named) && isJsonObject(json);
  return { code, ...(headers && { headers }), json: isPair ? { ...named, ...json } : json };
}

/** How the job calls back; `undefined` where it does not, or nobody said where. */
function callOf({ calls }: Species, job: Job, { query, text }: Asked): Told['calls'] | undefined {
  const { query: parameter, body: member } = calls ?? {};
  const url =
    (parameter === undefined ? undefined : query.get(parameter)) ??
    (member === undefined ? undefined : (JSON.parse(text) as Record<string, unknown>)[member]);
  if (calls === undefined || typeof url !== 'string' || job.name.includes('endless')) return undefined;
  return async (base) => {
    job.ended = true;
    for (const { event, forged, alias } of deliveries(job.name)) {
      const told = event === 'news' ? calls.news : job.name.includes('broken') ? calls.failed : calls.succeeded;
      const token = forged === true ? 'a token of nobody' : CALLBACK_TOKEN;
      const headers = { 'Content-Type': 'application/json', [CALLBACK_HEADER]: token };
      const body = filled(JSON.stringify(told), alias === true ? { ...job, id: `other-${job.id}` } : job, base);
      const { status } = await fetch(url, { method: 'POST', headers, body });
      if (status !== (forged === true ? 401 : 200)) throw new Error(`a delivery was answered with ${status}`);
    }
  };
}

/** @param species where the route is its main one */
function looked(route: Route, job: Job, species: Species | undefined, asked: Asked): Told {
  const isMain = species !== undefined;
  const looks = job.looks.get(route) ?? 0;
  job.looks.set(route, looks + 1);
  const gone: Answer = { code: 404, json: { message: 'gone' } };
  if (route.step === true) {
    job.steps.push(route);
    return { answer: route.succeeded, job, ...(looks === 0 && loses(job.name) && { spoilt: 'hangup' }) };
  }
  if (route.waits === true && !job.cancelled) {
    job.ended ||= looks > 0 && !job.name.includes('endless');
    if (!job.ended) return { answer: route.running ?? gone, job };
    return { answer: job.name.includes('broken') ? (route.failed ?? route.succeeded) : route.succeeded, job };
  }
  if (route.waits === true) return { answer: route.cancelled ?? gone, job };
  if (route.cancels === true) {
    job.cancelled ||= !job.ended;
    return { answer: job.ended ? route.succeeded : (route.running ?? route.succeeded), job };
  }
  if (route.before === true) return { answer: looks < 1 && route.running !== undefined ? route.running : route.succeeded, job };
  if (isMain && job.cancelled) return { answer: route.cancelled ?? gone, job };
  const how = isMain ? spoilt(job.name, looks) : undefined;
  if (how !== undefined) return { answer: gone, job, spoilt: how };
  if (isMain && has(job.name, 'moves') && looks > 0 && !asked.query.has(MOVED)) return { answer: gone, job };
  const isWaiting = species?.routes.some((one) => one.step === true && !job.steps.includes(one)) === true;
  if (isWaiting && route.waiting !== undefined) return { answer: route.waiting, job };
  const runs = job.name.includes('endless') || (!job.ended && looks < RUNS_FOR);
  if (isMain && runs && route.running !== undefined)
    return { answer: whileRunning(route.running, job.name, `{base}${asked.path}`), job };
  if (isMain) job.ended = true;
  if (!job.ended) return { answer: gone, job };
  const lost = isMain ? undefined : spoiltFetch(job.name, looks);
  if (lost !== undefined) return { answer: gone, job, spoilt: lost };
  if (job.name.includes('broken')) return { answer: route.failed ?? route.succeeded, job };
  return { answer: pageOf(route, asked), job };
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

/** A text of the tables with what its placeholders stand for. */
const filled = (text: string, job: Job | undefined, base: string): string =>
  text
    .replaceAll('"{n}"', String(job?.number))
    .replaceAll('{id}', job?.id ?? '')
    .replaceAll('{n}', String(job?.number))
    .replaceAll('{name}', job?.name ?? '')
    .replaceAll('{base}', base)
    .replaceAll('{root}', new URL(base).pathname);

function write(
  response: ServerResponse,
  { code, headers = {}, json, text: written }: Answer,
  job: Job | undefined,
  base: string,
): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, filled(value, job, base));
  if (written !== undefined) return void response.writeHead(code).end(filled(written, job, base));
  if (json === undefined) return void response.writeHead(code).end();
  const looks = Math.max(0, ...(job?.looks.values() ?? []));
  const text = worded(filled(JSON.stringify(json), job, base), job?.name ?? '', looks);
  response.writeHead(code, { 'Content-Type': 'application/json' }).end(text);
}
