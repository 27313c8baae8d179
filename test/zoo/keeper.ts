// The zoo itself: one HTTP server that answers for every species, below a path of its name, as its table says.
//   K1. A job runs for as many looks as RUNS_FOR, then ends; how, its name says (species.ts, Z1).
//   K2. A name may also hold a quirk: `quirk-503` and the like spoil the first look, `quirk-fetch-503` the first fetch of the
//       result, `quirk-retry-after-…` every look while the job runs, and `quirk-at-once` has the job over before its submit is
//       answered.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Answer, CALLBACK_HEADER, CALLBACK_TOKEN, type Route, type Species } from './species.ts';

const RUNS_FOR = 2;

interface Job {
  readonly id: string;
  readonly number: number;
  readonly name: string;
  /** Looks so far, by route. */
  readonly looks: Map<Route, number>;
  ended: boolean;
  cancelled: boolean;
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
  /** How often they were looked at. */
  looks(species: string, name: string): number;
  /** Requests that nobody understood: `POST /x/jobs/7`. */
  readonly strangers: readonly string[];
  close(): Promise<void>;
}

/** Opens a zoo of these species on a free port of the loopback. */
export async function openZoo(species: readonly Species[]): Promise<Zoo> {
  const cages = new Map(species.map((one) => [one.name, { one, jobs: new Map<string, Job>() }]));
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
    const told = answer(cage.one, cage.jobs, asked, () => ++number);
    if (told === undefined) strangers.push(`${asked.method} ${request.url}`);
    if (told?.spoilt !== undefined) return spoil(response, told.spoilt);
    const call = told?.calls;
    if (call !== undefined) {
      const isEarly = told?.job?.name.includes('quirk-early') === true;
      if (isEarly) await call(`${url}/${name}`);
      else response.once('finish', () => void call(`${url}/${name}`));
    }
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
function answer(species: Species, jobs: Map<string, Job>, asked: Asked, next: () => number): Told | undefined {
  const main = species.routes.find((route) => route.running !== undefined && route.before !== true && route.cancels !== true);
  for (const route of species.routes) {
    const id = idOf(route, asked);
    const job = id === undefined ? undefined : jobs.get(id);
    if (job === undefined) continue;
    const { query, header } = route.needs ?? {};
    const isShort = (query && !asked.query.has(query)) || (header && asked.headers[header] === undefined);
    if (isShort) return { answer: { code: 400, json: { message: 'something is missing' } }, job };
    return looked(route, job, route === main);
  }
  const [method, path = ''] = species.submit.split(' ');
  const found = asked.method === method ? matched(path, asked.path) : undefined;
  if (found === undefined) return undefined;
  const number = next();
  const sent = asked.text === '' ? {} : (JSON.parse(asked.text) as Record<string, unknown>);
  const job: Job = {
    id: species.idFrom === undefined ? String(number) : (found[species.idFrom] ?? ''),
    number,
    name: String(sent['name'] ?? asked.query.get('name') ?? found['name'] ?? ''),
    looks: new Map(),
    ended: false,
    cancelled: false,
  };
  jobs.set(job.id, job);
  job.ended = main !== undefined && job.name.includes('quirk-at-once');
  const calls = callOf(species, job, asked);
  return { answer: job.ended && main !== undefined ? main.succeeded : species.accepted, job, ...(calls && { calls }) };
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
    const event = job.name.includes('broken') ? calls.failed : calls.succeeded;
    const headers = { 'Content-Type': 'application/json', [CALLBACK_HEADER]: CALLBACK_TOKEN };
    const { status } = await fetch(url, { method: 'POST', headers, body: filled(JSON.stringify(event), job, base) });
    if (status !== 200) throw new Error(`a delivery was answered with ${status}`);
  };
}

function looked(route: Route, job: Job, isMain: boolean): Told {
  const looks = job.looks.get(route) ?? 0;
  job.looks.set(route, looks + 1);
  const gone: Answer = { code: 404, json: { message: 'gone' } };
  if (route.cancels === true) {
    job.cancelled ||= !job.ended;
    return { answer: job.ended ? route.succeeded : (route.running ?? route.succeeded), job };
  }
  if (route.before === true) return { answer: looks < 1 && route.running !== undefined ? route.running : route.succeeded, job };
  if (isMain && job.cancelled) return { answer: route.cancelled ?? gone, job };
  const spoilt = /quirk-(\d{3}|truncated|empty|html|hangup)/.exec(job.name)?.[1];
  if (isMain && looks === 0 && spoilt !== undefined) return { answer: gone, job, spoilt };
  if (isMain && looks === 1 && job.name.includes('quirk-vanishes')) return { answer: gone, job };
  const runs = job.name.includes('endless') || (!job.ended && looks < RUNS_FOR);
  if (isMain && runs && route.running !== undefined) return { answer: hurried(route.running, job), job };
  if (isMain) job.ended = true;
  if (!job.ended) return { answer: gone, job };
  const lost = /quirk-fetch-(\d{3}|truncated|empty|html|hangup)/.exec(job.name)?.[1];
  if (!isMain && looks === 0 && lost !== undefined) return { answer: gone, job, spoilt: lost };
  return { answer: job.name.includes('broken') ? (route.failed ?? route.succeeded) : route.succeeded, job };
}

/** Retry-After as services are known to send it. */
const RETRY_AFTER: Readonly<Record<string, string>> = {
  zero: '0',
  negative: '-5',
  decimal: '0.1',
  past: 'Wed, 21 Oct 2015 07:28:00 GMT',
  huge: '99999999999',
  word: 'soon',
};

function hurried(running: Answer, { name }: Job): Answer {
  const value = RETRY_AFTER[/quirk-retry-after-(\w+)/.exec(name)?.[1] ?? ''];
  return value === undefined ? running : { ...running, headers: { ...running.headers, 'Retry-After': value } };
}

function idOf({ on, idIn, header }: Route, asked: Asked): string | undefined {
  const [method, path = ''] = on.split(' ');
  if (asked.method !== method || (header !== undefined && asked.headers[header[0]] !== header[1])) return undefined;
  const found = matched(path, asked.path);
  if (found === undefined) return undefined;
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

function write(response: ServerResponse, { code, headers = {}, json }: Answer, job: Job | undefined, base: string): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, filled(value, job, base));
  if (json === undefined) return void response.writeHead(code).end();
  const text = filled(JSON.stringify(json), job, base);
  response.writeHead(code, { 'Content-Type': 'application/json' }).end(worded(text, job));
}

/** The status word as the quirk has it. */
function worded(text: string, job: Job | undefined): string {
  const looks = Math.max(0, ...(job?.looks.values() ?? []));
  const isNews = looks === 1 && job?.name.includes('quirk-news') === true;
  if (!isNews && job?.name.includes('quirk-shouting') !== true) return text;
  return text.replace(
    /"status":"(\w+)"/,
    (_whole, word: string) => `"status":"${isNews ? 'policy_checked' : word.toUpperCase()}"`,
  );
}

function spoil(response: ServerResponse, how: string): void {
  const json = { 'Content-Type': 'application/json' };
  if (how === 'hangup') response.destroy();
  else if (how === 'truncated') response.writeHead(200, json).end('{"status": "complet');
  else if (how === 'empty') response.writeHead(200, json).end();
  else if (how === 'html') response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>Please log in</html>');
  else response.writeHead(Number(how)).end();
}
