// The zoo itself: one HTTP server that answers for every species, below a path of its name, as its table says (cage.ts), and the
// store that some hand their results out from.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import { type Asked, answer, type Cage } from './cage.ts';
import { CERTIFICATE, PRIVATE_KEY, SECURE_HOST } from './certificate.ts';
import { type Base, filled, type Job } from './job.ts';
import { isEarly } from './quirks/callback.ts';
import type { Spoiling } from './quirks/name.ts';
import { worded } from './quirks/status.ts';
import { isHeld } from './quirks/submit.ts';
import { CERTIFICATE_AT, CONFIRM_AT, CONFIRMED, KEYS } from './senders.ts';
import type { Answer, Species } from './species.ts';
import { openStore } from './store.ts';

export interface Zoo {
  readonly url: string;
  /** Of another host of the services, and of that of their files. Neither should see a credential. */
  readonly annex: string;
  readonly store: string;
  /** Of the host of files that gets them. */
  readonly vault: string;
  /** Where those are that are reached by https, and the certificate of that host. */
  readonly secure: string;
  readonly certificate: string;
  /** How many jobs of that name a species has begun. */
  begun(species: string, name: string): number;
  /** How many submits asked for one. */
  submits(species: string, name: string): number;
  /** How often steps of theirs came. */
  steps(species: string, name: string): number;
  /** How often they were looked at, or anything else was asked of them. */
  looks(species: string, name: string): number;
  /** How often they were asked to stop. */
  cancels(species: string, name: string): number;
  /** How often they were looked at sooner than was asked for. */
  hasty(species: string, name: string): number;
  /** The most looks at it that came within any second. */
  busiest(species: string): number;
  /** Ends the jobs of that name. */
  end(species: string, name: string): void;
  /** Answers the submit that is held (`quirk-held`). */
  letGo(species: string, name: string): void;
  /** Requests that nobody understood, or that came without the https that they need: `POST /x/jobs/7`. */
  readonly strangers: readonly string[];
  /** Credentials that these were shown. */
  readonly leaks: number;
  close(): Promise<void>;
}

/** Where the keys are published that some sign their deliveries with. */
export const KEYS_AT = '/keys.json';

/** Opens a zoo of these species on a free port of the loopback. */
export async function openZoo(species: readonly Species[]): Promise<Zoo> {
  const cages = new Map<string, Cage>(
    species.map((one) => [one.name, { one, jobs: new Map(), submits: new Map(), lookedAt: [] }]),
  );
  const strangers: string[] = [];
  const held = new Map<string, () => void>();
  const nameOf = (of: string, id: string) => cages.get(of)?.jobs.get(id)?.name;
  const store = await openStore('store', nameOf);
  const vault = await openStore('vault', nameOf);
  let number = 1000;
  let leaks = 0;
  const addresses = { url: '', annex: '', secure: '' };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const isSecure = request.socket instanceof TLSSocket;
    const url = isSecure ? addresses.secure : addresses.url;
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const at = new URL(request.url ?? '/', url);
    const [, name = '', ...rest] = at.pathname.split('/');
    if (at.pathname === CERTIFICATE_AT) return void response.writeHead(200).end(CERTIFICATE);
    if (at.pathname === CONFIRM_AT) {
      CONFIRMED.add(at.searchParams.get('Token') ?? '');
      return void response.writeHead(200).end();
    }
    if (at.pathname === KEYS_AT) return void response.writeHead(200, { 'Content-Type': 'application/json' }).end(KEYS);
    const cage = cages.get(name);
    if (cage === undefined) return void response.writeHead(404).end();
    const asked: Asked = {
      method: request.method ?? '',
      path: decodeURIComponent(`/${rest.join('/')}`),
      query: at.searchParams,
      headers: request.headers,
      text,
    };
    const base = {
      here: `${url}/${name}`,
      annex: `${addresses.annex}/${name}`,
      store: `${store.url}/${name}`,
      vault: `${vault.url}/${name}`,
    };
    const told = cage.one.secure === true && !isSecure ? undefined : answer(cage, asked, () => ++number);
    if (told === undefined) strangers.push(`${asked.method} ${request.url}`);
    const { job, calls } = told ?? {};
    if (job !== undefined && told?.isSubmit !== true) cage.lookedAt.push(performance.now());
    await calls?.ask(base);
    if (calls !== undefined && isEarly(job?.name ?? '')) await calls.deliver(base);
    else if (calls !== undefined) response.once('close', () => void calls.deliver(base));
    if (told?.isSubmit === true && job !== undefined && isHeld(job.name))
      await new Promise<void>((resolve) => held.set(`${name} ${job.name}`, resolve));
    if (told?.spoilt !== undefined) return spoil(response, told.spoilt);
    write(response, told?.answer ?? { code: 404, json: { message: 'there is nothing here' } }, job, base);
  };
  const answering = (request: IncomingMessage, response: ServerResponse): void =>
    void serve(request, response).catch((error: Error) => response.writeHead(500).end(error.message));
  const servers = [
    createServer(answering),
    createServer((request, response) => {
      if (request.headers.authorization !== undefined) leaks += 1;
      answering(request, response);
    }),
    createSecureServer({ key: PRIVATE_KEY.export({ format: 'pem', type: 'pkcs8' }), cert: CERTIFICATE }, answering),
  ];
  const [url = 0, annex = 0, secure = 0] = await Promise.all(servers.map(listening));
  addresses.url = `http://127.0.0.1:${url}`;
  addresses.annex = `http://127.0.0.1:${annex}`;
  addresses.secure = `https://${SECURE_HOST}:${secure}`;

  const jobs = (of: string, name: string) => [...(cages.get(of)?.jobs.values() ?? [])].filter((job) => job.name === name);
  const sum = (of: string, name: string, count: (job: Job) => number) =>
    jobs(of, name).reduce((all, job) => all + count(job), 0);
  return {
    ...addresses,
    certificate: CERTIFICATE,
    store: store.url,
    vault: vault.url,
    strangers,
    get leaks() {
      return leaks + store.leaks;
    },
    begun: (of, name) => jobs(of, name).length,
    submits: (of, name) => cages.get(of)?.submits.get(name) ?? 0,
    steps: (of, name) => sum(of, name, (job) => job.steps.length),
    looks: (of, name) => sum(of, name, (job) => [...job.looks.values()].reduce((a, b) => a + b, 0)),
    cancels: (of, name) => sum(of, name, (job) => [...job.looks].reduce((all, [{ cancels }, b]) => all + (cancels ? b : 0), 0)),
    hasty: (of, name) => sum(of, name, (job) => job.hasty),
    busiest: (of) => mostWithin(1000, cages.get(of)?.lookedAt ?? []),
    end: (of, name) => {
      for (const job of jobs(of, name)) job.ended = true;
    },
    letGo: (of, name) => held.get(`${of} ${name}`)?.(),
    close: async () => {
      for (const letGo of held.values()) letGo();
      await Promise.all([store.close(), vault.close()]);
      await Promise.all(servers.map(closed));
    },
  };
}

/** The most of these instants that lie within a span, wherever it begins. */
function mostWithin(spanMs: number, instants: readonly number[]): number {
  return Math.max(0, ...instants.map((from) => instants.filter((at) => at >= from && at < from + spanMs).length));
}

/** Its free port of the loopback. */
async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

function write(
  response: ServerResponse,
  { code, headers = {}, json, text: written }: Answer,
  job: Job | undefined,
  base: Base,
): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, filled(value, job, base));
  if (written !== undefined) return void response.writeHead(code).end(filled(written, job, base));
  if (json === undefined) return void response.writeHead(code).end();
  const looks = Math.max(0, ...(job?.looks.values() ?? []));
  const text = worded(filled(JSON.stringify(json), job, base), job?.name ?? '', looks);
  response.writeHead(code, { 'Content-Type': 'application/json' }).end(text);
}

function spoil(response: ServerResponse, how: Spoiling): void {
  const json = { 'Content-Type': 'application/json' };
  if (how === 'hangup') response.destroy();
  else if (how === 'truncated') response.writeHead(200, json).end('{"status": "complet');
  else if (how === 'empty') response.writeHead(200, json).end();
  else if (how === 'html') response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>Please log in</html>');
  else response.writeHead(Number(how)).end();
}
