// docs/transcript.md: what a model reads that calls a job through a host without Tasks, word for word. The gateway's own engine and wire
// on virtual time, in front of a scripted service; a plain tool-calling client before it. Made anew by `npx vitest run test/http/transcript.test.ts -u`.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { JobDescription } from '../../src/core/description.ts';
import { silentLog } from '../../src/core/log.ts';
import type { JobTool } from '../../src/core/tool.ts';
import { createApp } from '../../src/http/app.ts';
import { ANSWERS, DESCRIPTION, type House, house, jobTool, type Script, type Scripted } from '../engine/kit.ts';
import { configOf, session, type Wire } from './kit.ts';
import { catalogueOf } from './scripted-engine.ts';

const { accepted, running, done, lost, missing } = ANSWERS;

function report(description: JobDescription = DESCRIPTION): JobTool {
  return {
    ...jobTool(description),
    name: 'create_report',
    description: 'Creates the report of a month.',
    inputSchema: {
      type: 'object',
      properties: { body: { type: 'object', properties: { month: { type: 'string' } }, required: ['month'] } },
      required: ['body'],
    },
    inlineWaitMs: 20_000,
  };
}

const ASKS: JobDescription = {
  ...DESCRIPTION,
  state: { at: '/status', input: ['waiting'] },
  input: { url: '/jobs/{id}/answer', message: '/question', form: '/form' },
};
const FORM = { type: 'object', properties: { approved: { type: 'boolean' } }, required: ['approved'] };
const asking: Scripted = { status: 200, json: { status: 'waiting', question: 'Send it to all 1,200 customers?', form: FORM } };
const at = (percent: number): Scripted => ({ status: 200, json: { status: 'running', percent } });
const PROGRESS: JobDescription = { ...DESCRIPTION, progress: { at: '/percent', of: 100 } };
const slowly = (polls: number, ...end: readonly Scripted[]): readonly Scripted[] => [
  ...Array.from({ length: polls }, () => running),
  ...end,
];

/** A conversation: what is called, and what comes back. */
class Transcript {
  readonly lines: string[] = [];

  scene(title: string, words: string): void {
    this.lines.push(`## ${title}`, '', words, '');
  }

  /** What comes back, as a host shows it to its model. */
  heard(name: string, args: object, messages: readonly Wire[]): Wire {
    const block = (info: string, text: string) => this.lines.push(`\`\`\`${info}`, text, '```', '');
    this.lines.push(`**calls** \`${name}\``, '');
    block('json', JSON.stringify(args, null, 2));
    const told = messages.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params);
    for (const { progress, total, message } of told) {
      this.lines.push(
        `*progress*: ${progress}${total === undefined ? ' s' : ` of ${total}`}${message === undefined ? '' : `, ${message}`}`,
        '',
      );
    }
    const { result, error } = messages.find((one) => 'result' in one || 'error' in one) ?? {};
    this.lines.push(
      `**reads**${result?.isError === true ? ', as an error' : error === undefined ? '' : ', as an error of the protocol'}`,
      '',
    );
    for (const content of result?.content ?? [{ text: error.message }]) block('text', content.text);
    if (result?.structuredContent !== undefined) block('json', JSON.stringify(result.structuredContent, null, 2));
    return result;
  }
}

const bare = configOf();
const CONFIG = { ...bare, limits: { ...bare.limits, inlineWaitMs: 20_000 } };

/** A host without Tasks, before a gateway whose service does as the script says. */
async function host(scripts: Readonly<Record<string, Script | readonly Scripted[]>>, tool: JobTool) {
  const home: House = await house(scripts, { tool });
  const catalogue = catalogueOf(tool);
  const { app, close } = createApp({ engine: home.engine, catalogue, config: CONFIG, log: silentLog, clock: home.clock });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    await close();
    server.closeAllConnections();
    server.close();
    await home.close();
  });
  const client = await session(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, {
    version: '2025-06-18',
    tasks: false,
  });
  return async (name: string, args: object, meta: object = {}): Promise<readonly Wire[]> => {
    let over = false;
    const answer = client.rpc('tools/call', { name, arguments: args, _meta: meta }).finally(() => {
      over = true;
    });
    while (!over) await home.clock.advance(1_000);
    return (await answer).messages;
  };
}

const MONTH = { body: { month: '2026-10' } };

test('what a model reads is as docs/transcript.md shows it', async () => {
  const page = new Transcript();
  const play = async (
    title: string,
    words: string,
    scripts: Parameters<typeof host>[0],
    tool: JobTool,
    calls: readonly (readonly [name: string, args: object | ((operation: string) => object), meta?: object])[],
  ) => {
    page.scene(title, words);
    const call = await host(scripts, tool);
    let operation = '';
    for (const [name, given, meta] of calls) {
      const args = typeof given === 'function' ? given(operation) : given;
      const result = page.heard(name, args, await call(name, args, meta));
      operation = result?.structuredContent?.operation ?? operation;
    }
  };
  const of = (operation: string) => ({ operation });

  await play(
    'A job that ends while its call waits',
    'Nothing shows that it was a job at all.',
    { 'POST /jobs': [accepted], 'GET /jobs/7': [running, done] },
    report(),
    [['create_report', MONTH]],
  );
  await play(
    'A job that outlasts its call',
    'The host gave a progress token. The call waits for 20 seconds, then says that it is not finished and how to go on; so does every wait.',
    {
      'POST /jobs': [accepted],
      'GET /jobs/7': (_request, count) => (count < 26 ? at([5, 20, 20, 15, 40][count - 1] ?? 60) : done),
    },
    report(PROGRESS),
    [
      ['create_report', MONTH, { progressToken: 'p' }],
      ['wait_for_operation', (operation) => ({ operation, seconds: 5 })],
      ['wait_for_operation', (operation) => ({ operation, seconds: 50 })],
      ['get_operation', of],
    ],
  );
  await play(
    'A job that asks',
    'The host can put no forms, so that the model asks its user and passes the answer on.',
    {
      'POST /jobs': [accepted],
      'GET /jobs/7': (_request, count) => (count < 4 ? asking : done),
      'POST /jobs/7/answer': [{ status: 204 }],
    },
    report(ASKS),
    [
      ['create_report', MONTH],
      ['answer_operation', (operation) => ({ operation, answer: { approved: 'yes' } })],
      ['answer_operation', (operation) => ({ operation, answer: { approved: true } })],
    ],
  );
  await play(
    'A job that fails',
    'The service’s own words come first, and what else it said after them.',
    {
      'POST /jobs': [accepted],
      'GET /jobs/7': [
        { status: 200, json: { status: 'failed', error: { message: 'The books of 2026-10 are not closed yet' } } },
      ],
    },
    report({ ...DESCRIPTION, error: { message: '/error/message' } }),
    [['create_report', MONTH]],
  );
  await play(
    'A cancel',
    'It is a request: the service may finish first.',
    {
      'POST /jobs': [accepted],
      'GET /jobs/7': (_request, count) => (count < 22 ? running : { status: 200, json: { status: 'cancelled' } }),
      'POST /jobs/7/cancel': [{ status: 202 }],
    },
    report(),
    [
      ['create_report', MONTH],
      ['cancel_operation', of],
      ['wait_for_operation', (operation) => ({ operation, seconds: 30 })],
    ],
  );
  await play(
    'A submit whose answer is lost, at a service that can not be asked for it',
    'Nobody can tell whether there is a job. It is not sent again, and the model is told not to call again.',
    { 'POST /jobs': [lost] },
    report(),
    [
      ['create_report', MONTH],
      ['wait_for_operation', (operation) => ({ operation, seconds: 50 })],
    ],
  );
  await play(
    'A job that the service no longer knows',
    'It was there, and is gone before its end was seen.',
    { 'POST /jobs': [accepted], 'GET /jobs/7': [running, running, missing] },
    report(),
    [
      ['create_report', MONTH],
      ['wait_for_operation', (operation) => ({ operation, seconds: 50 })],
      ['wait_for_operation', (operation) => ({ operation, seconds: 50 })],
    ],
  );
  await play(
    'What was called wrongly',
    'Nothing is sent to the service.',
    { 'POST /jobs': [accepted], 'GET /jobs/7': slowly(1, done) },
    report(),
    [
      ['create_report', {}],
      ['get_operation', { operation: 'op_00000000000000000000000000' }],
      ['wait_for_operation', { operation: 'op_00000000000000000000000000', seconds: -1 }],
    ],
  );
  const head = [
    '# What a model reads',
    '',
    '<!-- Generated: npx vitest run test/http/transcript.test.ts -u -->',
    '',
    'Most hosts know no Tasks. Their models call a tool and read what comes back; this is all of it, word for word, from the gateway’s own',
    'engine and wire in front of a scripted service, on virtual time. `create_report` is the operator’s tool, the others are Longshore’s.',
    '',
  ];
  const text = `${[...head, ...page.lines].join('\n').trimEnd()}\n`;
  await expect(text).toMatchFileSnapshot('../../docs/transcript.md');
  // Whoever is told that something is pending is told not to repeat it, by whom to go on, and is never told that it succeeded.
  expect(text.match(/"outcome": "pending"/g)?.length).toBe(
    text.match(/Nothing has been produced yet\. Do not call create_report again/g)?.length,
  );
});
