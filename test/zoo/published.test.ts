// Presets on documents as their services publish them: what is made of each, and jobs of those that live in the zoo. The
// documents are large and not part of the repository; LONGSHORE_SHARED names the folder above specs/, and without it this says
// so and passes.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adapters } from '../../adapters/index.ts';
import { connectExtTasks, type ToolClient } from '../../demo/clients.ts';
import { compileCatalogue } from '../../src/catalogue/catalogue.ts';
import { readSource } from '../../src/catalogue/read.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { upstream } from '../catalogue/kit.ts';
import { closing } from '../e2e/gateway.ts';
import { FOLDER, PUBLISHED as SPECIES } from './published.ts';
import { argumentsFor, holds, type Visit, visit } from './visit.ts';

const OVERLAY = '/zoo.overlay.json';

/** A document, the operation that starts a job, what describes it, and in part the protocol that comes of it. */
const PUBLISHED: readonly (readonly [document: string, submit: string, extension: JsonObject, protocol: JsonObject])[] = [
  [
    'kubernetes.json',
    'POST /apis/batch/v1/namespaces/{namespace}/jobs',
    { preset: 'kubernetes-job@1' },
    {
      status: { method: 'GET', url: 'http://up.test/apis/batch/v1/namespaces/{a0}/jobs/{id}', arguments: ['namespace'] },
      cancel: { method: 'DELETE', url: '{statusUrl}' },
    },
  ],
  [
    'elasticsearch-serverless.json',
    'POST /{index}/_async_search',
    { preset: 'elasticsearch-async@1' },
    { status: { url: 'http://up.test/_async_search/{id}' }, cancel: { method: 'DELETE' } },
  ],
  [
    'ogcapi-processes.json',
    'POST /processes/{processID}/execution',
    { preset: 'ogc-processes@1' },
    { status: { url: 'http://up.test/jobs/{id}' }, result: { helper: { url: '{statusUrl}/results' } } },
  ],
  [
    'openeo.yaml',
    'POST /jobs/{job_id}/results',
    { preset: 'openeo@1' },
    { status: { url: 'http://up.test/jobs/{a0}' }, result: { helper: { url: 'http://up.test/jobs/{a0}/results' } } },
  ],
  ['replicate.yaml', 'POST /predictions', { preset: 'body-urls@1' }, { url: '$response.body#/urls/get' }],
  [
    'openai.yaml',
    'POST /batches',
    {
      preset: 'status-resource@1',
      status: 'retrieveBatch',
      result: { url: '/files/{id}/content', id: '/output_file_id' },
      progress: { done: '/request_counts/completed', total: '/request_counts/total' },
      cancel: 'cancelBatch',
    },
    { status: { url: 'http://up.test/batches/{id}' }, result: { idAt: '/output_file_id' } },
  ],
  [
    'snowflake-sqlapi.yaml',
    'POST /api/v2/statements',
    {
      preset: 'code-only@1',
      submit: { sync: { codes: [200] } },
      handle: { id: '$response.body#/statementHandle' },
      status: 'GET /api/v2/statements/{statementHandle}',
      cancel: 'POST /api/v2/statements/{statementHandle}/cancel',
    },
    { status: { url: 'http://up.test/api/v2/statements/{id}' }, codes: { '408': 'failed' }, sync: { codes: [200] } },
  ],
  ['jenkins-swaggy.yaml', 'POST /job/{name}/build', { preset: 'jenkins-queue@1' }, { append: 'api/json' }],
  ['github.json', 'GET /repos/{owner}/{repo}/stats/contributors', { preset: 'repeat-get@1' }, { self: true }],
  [
    'assemblyai.yaml',
    'POST /v2/transcript',
    { preset: 'status-resource@1', status: { url: '/v2/transcript/{id}' } },
    { status: { url: 'http://up.test/v2/transcript/{id}' } },
  ],
  [
    'hetzner.json',
    'POST /servers/{id}/actions/poweron',
    {
      handle: { id: '$response.body#/action/id' },
      status: { url: '/actions/{id}' },
      state: { at: '/action/status' },
      error: { message: '/action/error/message' },
    },
    { status: { url: 'http://up.test/actions/{id}' } },
  ],
  [
    'aws-athena.json',
    'POST /#X-Amz-Target=AmazonAthena.StartQueryExecution',
    {
      preset: 'aws-json-rpc@1',
      handle: { id: '$response.body#/QueryExecutionId' },
      status: { headers: { 'X-Amz-Target': 'AmazonAthena.GetQueryExecution' }, body: { QueryExecutionId: '{id}' } },
      state: { at: '/QueryExecution/Status/State' },
    },
    { status: { method: 'POST', url: 'http://up.test/', sent: { body: { QueryExecutionId: '{id}' } } } },
  ],
];

if (!existsSync(FOLDER)) console.log(`no published documents in ${FOLDER}: set LONGSHORE_SHARED to try them`);

describe('a published document', () => {
  for (const [document, submit, extension, protocol] of PUBLISHED) {
    const file = join(FOLDER, document);
    test.skipIf(!existsSync(file))(`${document}: ${submit}`, { timeout: 60_000 }, async () => {
      const [method = '', path = ''] = submit.split(' ');
      const target = `$.paths['${path}'].${method.toLowerCase()}`;
      const overlay = {
        overlay: '1.0.0',
        info: { title: 'zoo', version: '1' },
        actions: [{ target, update: { 'x-longshore': extension } }],
      };
      const { tools, leftOut } = await compileCatalogue({
        config: {
          upstreams: [
            upstream({ document: file, overlays: [OVERLAY], baseUrl: 'http://up.test', tools: { include: [submit] } }),
          ],
          limits: { inlineWaitMs: 25_000 },
        },
        adapters,
        read: (location, ...rest) =>
          location === OVERLAY ? Promise.resolve({ text: JSON.stringify(overlay), location }) : readSource(location, ...rest),
      });
      const jobs = [...tools.values()].filter(({ kind }) => kind === 'job');
      expect(jobs.length, JSON.stringify(leftOut.filter(({ because }) => because !== 'helper').slice(0, 3))).toBe(1);
      expect(jobs[0]).toMatchObject({ descriptor: { protocol } });
    });
  }
});

describe.skipIf(SPECIES.length === 0).concurrent('a job behind a published document', () => {
  const { keep, closeAll } = closing();
  let visited: Visit;
  let client: ToolClient;
  beforeAll(async () => {
    visited = keep(await visit(SPECIES), (it) => it.close());
    client = keep(await connectExtTasks(visited.gateway.url, '2026-07-28'), (it) => it.close());
  }, 120_000);
  afterAll(closeAll);

  test.each(SPECIES.map((one) => [one.name, one] as const))(
    '%s: one job, its result and its failure',
    async (name, species) => {
      const tool = visited.toolOf(species);
      const answer = await client.callTool(tool, argumentsFor(species, 'bridge'));
      expect(answer.isError, answer.text).toBe(false);
      expect(holds(answer.text, species, 'bridge'), answer.text).toBe(true);
      expect(visited.zoo.begun(name, 'bridge')).toBe(1);
      const failure = await client.callTool(tool, argumentsFor(species, 'broken'));
      expect(failure.isError).toBe(true);
      expect(failure.text).toContain(species.failure);
    },
  );
});
