// What the documentation shows of `x-longshore` can be used as it stands: every example is laid over an operation and compiled.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { adapters } from '../../adapters/index.ts';
import { compileCatalogue } from '../../src/catalogue/catalogue.ts';
import { holdSecret } from '../../src/config/secret.ts';
import { isJsonObject, type JsonObject } from '../../src/core/json.ts';
import { faultIn } from '../../src/webhooks/authenticate.ts';
import { projectFile } from '../e2e/gateway.ts';
import { body, library, openapi, upstream } from './kit.ts';

const PAGES = ['adapters', 'webhooks', 'operations'];
/** Examples of the configuration, of a document, of a preset's file, and of other tools' files. */
const OTHERS = /^ *(upstreams|webhooks|paths|admin|metrics|description|# prometheus)/;
/** Of a webhook; the rest are members of `x-longshore` itself. */
const OF_WEBHOOK = ['verify', 'event', 'handshake'];
/** Members that need another one, which their page shows once for all examples. */
const NEEDS: Readonly<Record<string, JsonObject>> = { lookup: { submissionKey: { header: 'Idempotency-Key' } } };

interface Example {
  readonly where: string;
  readonly section: string;
  readonly extension: JsonObject;
}

function examplesOf(page: string): readonly Example[] {
  const text = readFileSync(projectFile(`docs/${page}.md`), 'utf8');
  const found: Example[] = [];
  let section = '';
  for (const match of text.matchAll(/^## ([^\n]*)$|^```yaml\n([\s\S]*?)^```/gm)) {
    const [, heading, block = ''] = match;
    if (heading !== undefined) section = heading;
    if (heading !== undefined || OTHERS.test(block)) continue;
    const line = text.slice(0, match.index).split('\n').length;
    for (const written of alternatives(block)) {
      const value: unknown = parse(written);
      if (!isJsonObject(value)) throw new Error(`docs/${page}.md:${line}: no example: ${written}`);
      const inner = value['x-longshore'] ?? value;
      found.push({ where: `docs/${page}.md:${line}`, section, extension: inner as JsonObject });
    }
  }
  return found;
}

/** A block is one example, unless it shows the same member several times: then each is one of its own. */
function alternatives(block: string): readonly string[] {
  const parts = block.split(/^(?=\S)/m).filter((part) => !part.startsWith('#') && part.trim() !== '');
  const names = parts.map((part) => part.slice(0, part.indexOf(':')));
  return new Set(names).size === names.length ? [block] : parts;
}

const TEXT = { type: 'string' };
const answer = (code: number, properties: object) => ({
  [code]: { description: 'ok', content: { 'application/json': { schema: { type: 'object', properties } } } },
});
const JOB = answer(202, { id: TEXT, status: TEXT });
const OPERATION = answer(200, { name: TEXT, done: { type: 'boolean' }, error: {}, response: {} });
const ID = { parameters: [{ name: 'id', in: 'path', required: true, schema: TEXT }] };
const BODY = body({ type: 'object', properties: { name: TEXT } });

/** Every operation that an example names. */
function neighbours(examples: readonly Example[]): Record<string, object> {
  const text = JSON.stringify(examples.map(({ extension }) => extension));
  const named = new Set(
    [...text.matchAll(/"((?:get|list|download|cancel|delete|answer|discard|upload)[A-Z]\w*)"/g)].map(([, id]) => id),
  );
  const byId = { ...ID, parameters: [{ ...ID.parameters[0], name: 'job_id' }] };
  const one = {
    '/jobs/{job_id}': { ...byId, get: { operationId: 'getOneJob', responses: answer(200, { id: TEXT, status: TEXT }) } },
  };
  const rest = Object.fromEntries(
    [...named].map((operationId = '') => {
      const reads = /^(get|list|download)/.test(operationId);
      const operation = { operationId, responses: answer(200, { id: TEXT, status: TEXT }) };
      return [
        `/jobs/{id}/${operationId}`,
        { ...ID, ...(reads ? { get: operation } : { post: { ...operation, requestBody: BODY } }) },
      ];
    }),
  );
  return { ...one, ...rest };
}

/** The example as `x-longshore` of an operation, with the least that it stands beside. */
function whole({ section, extension }: Example): JsonObject {
  const rest = Object.fromEntries(Object.entries(extension).filter(([name]) => !OF_WEBHOOK.includes(name)));
  const ofWebhook = Object.fromEntries(Object.entries(extension).filter(([name]) => OF_WEBHOOK.includes(name)));
  const needed = Object.assign({}, ...Object.keys(extension).map((name) => NEEDS[name] ?? {}));
  const onlyCallsBack = isJsonObject(extension['webhook']) && extension['webhook']['role'] === 'only';
  const isLro = section.startsWith('aip-151') || extension['adapter'] === 'aip-151';
  const base = isLro
    ? { adapter: 'aip-151' }
    : 'preset' in extension || onlyCallsBack
      ? {}
      : { status: { url: '/jobs/{id}', id: '$response.body#/id' }, state: { at: '/status' } };
  const webhook =
    Object.keys(ofWebhook).length === 0
      ? {}
      : { webhook: { inject: { header: 'X-Callback' }, verify: { scheme: 'unsigned' }, ...ofWebhook } };
  return { ...base, ...needed, ...webhook, ...rest };
}

const examples = PAGES.flatMap(examplesOf);

describe('an example of the documentation', () => {
  test('is found at all', () => {
    expect(examples.length).toBeGreaterThan(60);
  });

  test('can be used as it stands, and what it describes is a job', async () => {
    const jobs = examples.map((example, at) => {
      const extension = whole(example);
      const isLro = extension['adapter'] === 'aip-151';
      // What is asked for at its own address is no POST, and neither is what is put under an id of ours.
      const keyed = isJsonObject(extension['submissionKey']) ? extension['submissionKey']['path'] : undefined;
      const isPut =
        keyed !== undefined || extension['handle'] === 'self' || JSON.stringify(extension['result'] ?? '').includes('"self"');
      const method = isPut ? 'put' : 'post';
      const operation = {
        operationId: `example${at}`,
        requestBody: BODY,
        responses: isLro ? OPERATION : JOB,
        'x-longshore': extension,
      };
      return [`/examples/${at}${keyed === undefined ? '' : `/{${keyed}}`}`, { [method]: operation }];
    });
    const document = openapi({ ...neighbours(examples), ...Object.fromEntries(jobs) });
    const webhooks = {
      secrets: [holdSecret(`whsec_${Buffer.alloc(24, 3).toString('base64')}`)],
      keySets: ['https://keys.example.com/jwks.json'],
      allowedOrigins: ['https://notify.example.com'],
    };
    const { tools, leftOut, warnings } = await compileCatalogue({
      config: { upstreams: [upstream({ webhooks, infer: false })], limits: { inlineWaitMs: 1_000 } },
      adapters,
      read: library({ '/doc.yaml': document }).read,
      faultOfRules: faultIn,
    });
    const exampleAt = (operationId = '') => examples[Number(operationId.slice('example'.length))]?.where;
    const refused = leftOut.filter(({ because }) => because === 'refused');
    expect(refused.map(({ source, reason }) => `${exampleAt(source.operationId)} ${reason}`)).toEqual([]);
    expect(
      warnings.filter(({ message }) => message.includes('webhook')).map(({ pointer, message }) => `${pointer} ${message}`),
    ).toEqual([]);
    const calls = examples.flatMap((example, at) => (tools.get(`example${at}`)?.kind === 'job' ? [] : [example.where]));
    expect(calls).toEqual([]);
  });
});
