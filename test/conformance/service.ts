// The service behind the gateway while the official suite runs: a small REST API whose operations are what the suite's tools need.

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What an operation answers. A string is plain text, bytes have their type, anything else is JSON. */
interface Reply {
  readonly status?: number;
  readonly location?: string;
  readonly type?: string;
  readonly body: unknown;
}

type Handler = (request: { readonly url: URL; readonly body: Record<string, unknown>; readonly id: string }) => Reply;

interface Job {
  readonly endsAt: number;
  readonly end: Readonly<Record<string, unknown>>;
  /** What each read of it shows before the end, in order. */
  readonly progress: number[];
  /** What it asks before it goes on. */
  questions: readonly Question[];
  /** What it ends with once it was answered. */
  answers?: unknown;
  cancelled: boolean;
}

interface Question {
  readonly id: string;
  readonly text: string;
  readonly schema: object;
}

const CONFIRM = { type: 'object', properties: { name: { type: 'string' }, confirm: { type: 'boolean' } } };
/** A form whose members have defaults, and one with every kind of choice: SEP-1034, SEP-1330. */
const DEFAULTS = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'User name', default: 'John Doe' },
    age: { type: 'integer', description: 'User age', default: 30 },
    score: { type: 'number', description: 'User score', default: 95.5 },
    status: { type: 'string', description: 'User status', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', description: 'Verification status', default: true },
  },
};
const titled = ['one', 'two', 'three'].map((word, at) => ({ const: `value${at + 1}`, title: `Option ${word}` }));
const CHOICES = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: { type: 'string', oneOf: titled },
    legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
    titledMulti: { type: 'array', items: { anyOf: titled } },
  },
};

/** One pixel, and a moment of silence. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const SILENCE = Buffer.from('UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=', 'base64');

/** Listens on a free port of the loopback. */
export async function startService(): Promise<{ readonly url: string; close(): void }> {
  const jobs = new Map<string, Job>();
  const start = (lastsMs: number, end: Job['end'], progress: number[] = [], questions: readonly Question[] = []): Reply => {
    const id = `job-${jobs.size + 1}`;
    jobs.set(id, { endsAt: performance.now() + lastsMs, end, progress, questions, cancelled: false });
    return { status: 202, location: `/jobs/${id}`, body: { id, status: 'running' } };
  };
  const asking = (...questions: readonly Question[]): Reply => start(0, { status: 'succeeded' }, [], questions);
  const look = (job: Job): Readonly<Record<string, unknown>> => {
    if (job.cancelled) return { status: 'cancelled' };
    if (job.questions.length > 0) return { status: 'waiting', questions: job.questions };
    if (job.answers !== undefined) return { status: 'succeeded', result: job.answers };
    const percent = job.progress.shift();
    if (percent !== undefined) return { status: 'running', percent };
    return performance.now() < job.endsAt ? { status: 'running' } : job.end;
  };
  const found = (id: string, answer: (job: Job) => Reply): Reply => {
    const job = jobs.get(id);
    return job === undefined ? { status: 404, body: { error: { message: 'no such job' } } } : answer(job);
  };

  const handlers: Readonly<Record<string, Handler>> = {
    'GET /greeting': ({ url }) => ({ body: `Hello, ${url.searchParams.get('name')}!` }),
    'GET /text': () => ({ body: 'This is a simple text response for testing.' }),
    'GET /image': () => ({ type: 'image/png', body: PIXEL }),
    'GET /audio': () => ({ type: 'audio/wav', body: SILENCE }),
    'GET /resource': () => ({ type: 'application/octet-stream', body: Buffer.from('This is an embedded resource.') }),
    'GET /error': () => ({ status: 500, body: { error: { message: 'This tool always fails.' } } }),
    'POST /computations': ({ body }) => {
      const seconds = Number(body['seconds']);
      return start(seconds * 1000, { status: 'succeeded', result: { label: body['label'], seconds } });
    },
    'POST /failures': () => start(1000, { status: 'failed', error: { message: 'The job failed, as it always does.' } }),
    'POST /deletions': ({ body }) => asking({ id: 'sure', text: `Delete ${body['filename']}?`, schema: CONFIRM }),
    'POST /interviews': () =>
      asking(
        { id: 'first', text: 'What is first?', schema: CONFIRM },
        { id: 'second', text: 'What is second?', schema: CONFIRM },
      ),
    'POST /questions': ({ body }) => asking({ id: 'asked', text: String(body['message']), schema: CONFIRM }),
    'POST /profiles': () => asking({ id: 'profile', text: 'Who are you?', schema: DEFAULTS }),
    'POST /choices': () => asking({ id: 'choice', text: 'What do you choose?', schema: CHOICES }),
    'POST /jobs/:id/answers': ({ id, body }) =>
      found(id, (job) => {
        job.answers = body;
        job.questions = [];
        return { body: { status: 'running' } };
      }),
    'POST /uploads': () => start(0, { status: 'succeeded', result: 'uploaded' }, [0, 50, 100]),
    'GET /jobs/:id': ({ id }) => found(id, (job) => ({ body: look(job) })),
    'DELETE /jobs/:id': ({ id }) =>
      found(id, (job) => {
        job.cancelled = true;
        return { status: 202, body: { status: 'cancelling' } };
      }),
  };

  const server = createServer(async (request, response) => {
    const { status = 200, location, type, body } = await answer(request);
    const isText = typeof body === 'string';
    const mediaType = type ?? (isText ? 'text/plain; charset=utf-8' : 'application/json');
    response.writeHead(status, { 'content-type': mediaType, ...(location !== undefined && { location }) });
    response.end(isText || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  });

  async function answer(request: IncomingMessage): Promise<Reply> {
    const url = new URL(request.url ?? '/', 'http://service');
    const sent = await text(request);
    const [, id = '', rest = ''] = /^\/jobs\/([^/]+)(\/answers)?$/.exec(url.pathname) ?? [];
    const handler = handlers[`${request.method} ${id === '' ? url.pathname : `/jobs/:id${rest}`}`];
    return handler?.({ url, id, body: sent === '' ? {} : JSON.parse(sent) }) ?? { status: 404, body: {} };
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
