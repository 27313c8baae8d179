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
    '/parts': operation('parts', { result: { url: '/jobs/{id}/parts' } }),
    '/halves': {
      get: { operationId: 'halves', responses: { '200': { description: 'Parts.', content: { 'multipart/mixed': {} } } } },
    },
    '/moved': operation('moved', { result: { url: '/jobs/{id}/result' } }),
  },
};

const PHOTO = Buffer.alloc(300_000, 7);

/** An answer of two parts, one of them of bytes that are no text. */
const PARTS = Buffer.concat([
  Buffer.from('--cut here\r\nContent-Type: application/json\r\nContent-ID: <meta>\r\n\r\n{"pages":1}\r\n--cut here\r\n'),
  Buffer.from('Content-Type: image/png\r\nContent-Disposition: attachment; filename="p1.png"\r\n\r\n'),
  PHOTO,
  Buffer.from('\r\n--cut here--\r\n'),
]);
const OF_PARTS = { 'Content-Type': 'multipart/mixed; boundary="cut here"' };

/** A service whose results are on a host of files, and a gateway that is told of that host in one of two ways. */
async function setting(told: 'allowedOrigins' | 'trustedOrigins') {
  let links = 0;
  let halves = 0;
  const files = await Loopback.listen((request, response) => {
    const isExpired = request.target.includes('sig=1');
    if (isExpired) response.writeHead(403).end('expired');
    else response.writeHead(200, { 'Content-Type': 'text/csv' }).end('a,b\n1,2\n');
  });
  keep(files, (it) => it[Symbol.asyncDispose]());
  const api = await Loopback.listen((request, response) => {
    if (request.method === 'POST') return void response.writeHead(202, json).end('{"id":"7"}');
    // The first time without its end, as by a proxy that lost the rest.
    if (request.target.endsWith('/parts')) {
      halves += 1;
      return void response.writeHead(200, OF_PARTS).end(halves === 1 ? PARTS.subarray(0, 200_000) : PARTS);
    }
    if (request.target === '/halves') return void response.writeHead(200, OF_PARTS).end(PARTS.subarray(0, 200_000));
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

describe('an answer in several parts', { timeout: 60_000 }, () => {
  test('is fetched again where it is cut, shown part by part, and each part is read to the byte, also after a restart', async () => {
    const { api, gateway } = await setting('allowedOrigins');
    const task = await ended(gateway, 'parts');
    expect(task['status']).toBe('completed');
    expect(api.received.filter(({ method, target }) => method === 'GET' && target.endsWith('/parts'))).toHaveLength(2);
    const { content } = task['result'] as { readonly content: readonly Record<string, unknown>[] };
    expect(content).toMatchObject([
      { type: 'text', text: 'Part 1 of 2, meta: application/json, 11 bytes.' },
      { type: 'text', text: '{"pages":1}' },
      { type: 'text', text: 'Part 2 of 2, p1.png: image/png, 300000 bytes.' },
      { type: 'text', text: expect.stringContaining('too large to be shown') },
      { type: 'resource_link', name: 'p1.png', mimeType: 'image/png', size: 300_000 },
      { type: 'resource_link', name: 'The whole result', mimeType: 'multipart/mixed' },
    ]);
    await gateway.kill9();
    await gateway.start();
    const client = await session(gateway.url);
    const read = async (link: Record<string, unknown> | undefined) => {
      const { contents } = (await client.rpc('resources/read', { uri: link?.['uri'] })).result;
      const [one] = contents as readonly { readonly mimeType: string; readonly blob: string }[];
      return { mimeType: one?.mimeType, bytes: Buffer.from(one?.blob ?? '', 'base64') };
    };
    expect((await read(content[4])).bytes.equals(PHOTO)).toBe(true);
    const whole = await read(content[5]);
    expect(whole.mimeType).toBe('multipart/mixed; boundary="cut here"');
    expect(whole.bytes.equals(PARTS)).toBe(true);
  });

  test('that is cut is no success of a call either', async () => {
    const { gateway } = await setting('allowedOrigins');
    const { result } = await modern(gateway.url).rpc('tools/call', { name: 'halves', arguments: {} });
    expect(result['isError']).toBe(true);
    expect(textOf(result)).toContain('the call was carried out, but the answer is multipart/mixed, and it is cut in part 2');
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
