// Species of the zoo behind the documents that their services publish, as they stand, with the same descriptions of ours on top.
// These documents are large and not part of the repository; LONGSHORE_SHARED names the folder above specs/.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { JsonObject } from '../../src/core/json.ts';
import { projectFile } from '../e2e/gateway.ts';
import { SPECIES, type Species } from './species.ts';

export const FOLDER = resolve(process.env['LONGSHORE_SHARED'] ?? projectFile('../shared'), 'specs');

type Changes = Pick<Species, 'submit' | 'arguments' | 'nameAt'> & { readonly tool: string } & Partial<Species>;

const published = (of: string, document: string, changes: Changes): Species => {
  const base = SPECIES.find(({ name }) => name === of);
  if (base === undefined) throw new Error(`there is no ${of} in the zoo`);
  return { ...base, name: `published-${of}`, document: join(FOLDER, document), ...changes };
};

const ok = (json: JsonObject) => ({ code: 200, json });

const ALL: readonly Species[] = [
  published('conditions', 'kubernetes.json', {
    tool: 'create_batch_v1_namespaced_job',
    submit: 'POST /apis/batch/v1/namespaces/{namespace}/jobs',
    arguments: { namespace: 'default', metadata: { labels: { app: '{name}' } } },
    nameAt: '/body/metadata/labels/app',
  }),
  published('async-search', 'elasticsearch-serverless.json', {
    tool: 'async_search_submit_1',
    submit: 'POST /{index}/_async_search',
    arguments: { index: '{name}' },
    nameAt: '/path/index',
  }),
  published('ogc-processes', 'ogcapi-processes.json', {
    tool: 'execute',
    submit: 'POST /processes/{processID}/execution',
    arguments: { processID: 'RenderMap', inputs: { layer: '{name}' } },
    nameAt: '/body/inputs/layer',
  }),
  published('openeo', 'openeo.yaml', {
    tool: 'start_job',
    submit: 'POST /jobs/{job_id}/results',
    arguments: { job_id: '{name}' },
    nameAt: '/path/job_id',
  }),
  published('predictions', 'replicate.yaml', {
    tool: 'predictions_create',
    submit: 'POST /predictions',
    arguments: { version: 'v1', input: { prompt: '{name}' } },
    nameAt: '/body/input/prompt',
  }),
  published('batches', 'openai.yaml', {
    tool: 'create_batch',
    submit: 'POST /batches',
    arguments: {
      input_file_id: 'file-0',
      endpoint: '/v1/responses',
      completion_window: '24h',
      metadata: { name: '{name}' },
    },
    nameAt: '/body/metadata/name',
  }),
  published('statements', 'snowflake-sqlapi.yaml', {
    tool: 'submit_statement',
    submit: 'POST /api/v2/statements',
    arguments: { 'User-Agent': 'zoo', statement: '{name}' },
    nameAt: '/body/statement',
  }),
  published('build-queue', 'jenkins-swaggy.yaml', {
    tool: 'post_job_build',
    submit: 'POST /job/{name}/build',
    arguments: { name: 'site', json: '{}', token: '{name}' },
    nameAt: '/query/token',
  }),
  published('same-request', 'github.json', {
    tool: 'repos_get_contributors_stats',
    submit: 'GET /repos/{owner}/{repo}/stats/contributors',
    arguments: { owner: 'o1', repo: '{name}' },
    nameAt: '/path/repo',
    idFrom: 'repo',
    routes: [
      {
        on: 'GET /repos/o1/{id}/stats/contributors',
        running: { code: 202, json: {} },
        succeeded: { code: 200, json: [{ total: 1, author: null, weeks: [], note: '{name}' }] },
        failed: { code: 422, json: { message: 'the repository is empty' } },
      },
    ],
    result: '"note":"bridge"',
  }),
  published('transcripts', 'assemblyai.yaml', {
    tool: 'create_transcript',
    submit: 'POST /v2/transcript',
    arguments: { audio_url: 'https://audio.example.com/1', speech_models: ['universal-3-pro'], prompt: '{name}' },
    nameAt: '/body/prompt',
    routes: [
      {
        on: 'GET /v2/transcript/{id}',
        running: ok({ id: '{id}', status: 'processing' }),
        succeeded: ok({ id: '{id}', status: 'completed', text: 'hello {name}' }),
        failed: ok({ id: '{id}', status: 'error', error: 'Transcoding failed' }),
      },
    ],
    extension: { preset: 'status-resource@1', status: { url: '/v2/transcript/{id}' }, result: { at: '/text' } },
  }),
];

/** Those whose document is here. */
export const PUBLISHED: readonly Species[] = ALL.filter(({ document = '' }) => existsSync(document));
