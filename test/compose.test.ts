import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compile } from '../src/compose.ts';
import { loadConfig } from '../src/config/load.ts';
import { directory } from './config/files.ts';

const DOCUMENT = `openapi: 3.1.0
info: { title: Jobs, version: "1" }
servers: [{ url: "http://127.0.0.1:9" }]
paths:
  /jobs:
    post:
      operationId: createJob
      responses:
        "202": { description: Taken. }
      x-longshore:
        handle: { id: "$response.body#/id" }
        status: { url: "/jobs/{id}" }
        state: { at: /status }
`;

/** What compiling says of a configuration with these gates. */
async function compiled(gates: string): Promise<string> {
  const text = `gates: {set: [${gates}]}\nupstreams: {mill: {document: api.yaml}}\n`;
  await using place = await directory({ 'api.yaml': DOCUMENT, 'longshore.yaml': text });
  const config = await loadConfig({ file: join(place.path, 'longshore.yaml'), env: {} });
  return compile(config).then(
    () => 'fit',
    (error: { readonly faults: readonly { readonly pointer: string; readonly message: string }[] }) =>
      error.faults.map(({ pointer, message }) => `${pointer}: ${message}`).join('\n'),
  );
}

describe('a configured gate', () => {
  test('is about what there is', async () => {
    expect(await compiled('{adapter: http-202@1, contract: 2025-11-25, upstream: mill, tool: create_job, mode: drain}')).toBe(
      'fit',
    );
  });

  test.each([
    [
      'adapter',
      '{adapter: http-203@1, contract: none, mode: drain}',
      /^\/gates\/set\/0: there is no adapter http-203@1: there are /,
    ],
    [
      'upstream',
      '{adapter: http-202@1, contract: none, upstream: mil, mode: drain}',
      /there is no upstream mil: there is mill$/,
    ],
    ['tool', '{adapter: http-202@1, contract: none, tool: create_jobs, mode: drain}', /there is no job create_jobs$/],
  ])('of no %s is a fault', async (_what, gate, fault) => {
    expect(await compiled(gate)).toMatch(fault);
  });
});
