// Results on another host, through the real process: which credentials go there, and what becomes of URLs that run out.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { Loopback } from '../upstream/loopback.ts';
import { closing, folder, type GatewayUnderTest, serve, until } from './gateway.ts';
import { modern, session, textOf } from './wire.ts';

const { keep, closeAll } = closing();
afterEach(closeAll);

const json = { 'Content-Type': 'application/json' };
const operation = (id: string, longshore: object) => ({
  post: {
    operationId: id,
    security: [{ token: [] }],
    responses: { '202': { description: 'Taken.' } },
    'x-longshore': { status: { url: '/jobs/{id}' }, state: { at: '/status' }, ...longshore },
  },
});
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Files', version: '1' },
  components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/named': operation('named', { result: { urlAt: '/url' } }),
    '/photo': {
      get: { operationId: 'photo', responses: { '200': { description: 'A photo.', content: { 'image/png': {} } } } },
    },
    '/moved': operation('moved', { result: { url: '/jobs/{id}/result' } }),
  },
};

const PHOTO = Buffer.alloc(300_000, 7);

/** A service whose results are on a host of files, and a gateway that is told of that host in one of two ways. */
async function setting(told: 'allowedOrigins' | 'trustedOrigins') {
  let links = 0;
  const files = await Loopback.listen((request, response) => {
    const isExpired = request.target.includes('sig=1');
    if (isExpired) response.writeHead(403).end('expired');
    else response.writeHead(200, { 'Content-Type': 'text/csv' }).end('a,b\n1,2\n');
  });
  keep(files, (it) => it[Symbol.asyncDispose]());
  const api = await Loopback.listen((request, response) => {
    if (request.method === 'POST') return void response.writeHead(202, json).end('{"id":"7"}');
    if (request.target === '/photo') return void response.writeHead(200, { 'Content-Type': 'image/png' }).end(PHOTO);
    links += 1;
    const url = `${files.origin}/out.csv?sig=${links}`;
    if (request.target.endsWith('/result'))
      return void response.writeHead(302, { Location: `${files.origin}/out.csv?sig=9` }).end();
    response.writeHead(200, json).end(JSON.stringify({ id: '7', status: 'succeeded', url }));
  });
  keep(api, (it) => it[Symbol.asyncDispose]());
  const { path, remove } = await folder();
  keep(path, remove);
  await writeFile(join(path, 'api.json'), JSON.stringify(DOCUMENT));
  const upstreams = `
  up:
    document: ${join(path, 'api.json')}
    baseUrl: ${api.origin}
    credentials: { token: { env: UP_TOKEN } }
    ${told}: ['${files.origin}']
    defaults: { pace: { interval: 100ms, min: 50ms, max: 200ms } }
`;
  const gateway = keep(await serve(upstreams, { env: { UP_TOKEN: 'S3CRET' } }), (it) => it.dispose());
  return { api, files, gateway };
}

async function ended(gateway: GatewayUnderTest, name: string) {
  const wire = modern(gateway.url);
  const { result } = await wire.rpc('tools/call', { name, arguments: {} });
  return until('the end', async () => {
    const task = (await wire.rpc('tasks/get', { taskId: result['taskId'] })).result;
    return task['status'] !== 'working' && task;
  });
}

describe('a result on another host', { timeout: 60_000 }, () => {
  test.each(['named', 'moved'])('that is only allowed gets no credentials: %s', async (tool) => {
    const { api, files, gateway } = await setting('allowedOrigins');
    const task = await ended(gateway, tool);
    expect(textOf(task['result'])).toContain('a,b\n1,2');
    expect(api.received.every(({ headers }) => headers.authorization === 'Bearer S3CRET')).toBe(true);
    expect(files.received.length).toBeGreaterThan(0);
    expect(JSON.stringify(files.received)).not.toContain('S3CRET');
  });

  test.each(['named', 'moved'])('that is trusted gets the credentials of its service: %s', async (tool) => {
    const { files, gateway } = await setting('trustedOrigins');
    const task = await ended(gateway, tool);
    expect(textOf(task['result'])).toContain('a,b\n1,2');
    expect(files.received.map(({ headers }) => headers.authorization)).toContain('Bearer S3CRET');
  });

  test('at a URL that ran out is read at the one that the status names then', async () => {
    const { files, gateway } = await setting('allowedOrigins');
    await ended(gateway, 'named');
    expect(files.received.map(({ target }) => target)).toEqual(['/out.csv?sig=1', '/out.csv?sig=2']);
  });
});

test('a photo that is too large to be shown is read by its link, also after a restart', { timeout: 60_000 }, async () => {
  const { gateway } = await setting('allowedOrigins');
  const { result } = await modern(gateway.url).rpc('tools/call', { name: 'photo', arguments: {} });
  const [words, link] = result['content'] as readonly Record<string, unknown>[];
  expect(words).toMatchObject({ type: 'text', text: expect.stringContaining('300000 bytes of image/png') });
  expect(link).toMatchObject({ type: 'resource_link', mimeType: 'image/png', size: 300_000 });
  await gateway.kill9();
  await gateway.start();
  const read = await (await session(gateway.url)).rpc('resources/read', { uri: link?.['uri'] });
  const [content] = read.result['contents'] as readonly { readonly mimeType: string; readonly blob: string }[];
  expect(content?.mimeType).toBe('image/png');
  expect(Buffer.from(content?.blob ?? '', 'base64').equals(PHOTO)).toBe(true);
});
