import { describe, expect, test } from 'vitest';
import { request, session, standUp } from './kit.ts';
import { call, job } from './scripted-engine.ts';

const LARGE = 'x'.repeat(20_000);

/** A gateway with an ended operation that has a large text result, seen by both kinds of client. */
async function large(body = LARGE, encoding: 'text' | 'base64' = 'text') {
  const up = await standUp({ tools: [job('create_export')] });
  const created = await request(up.url, 'tools/call', { name: 'create_export', arguments: {} });
  const taskId: string = created.result.taskId;
  const mediaType = encoding === 'text' ? 'text/plain' : 'application/zip';
  up.engine.end(taskId, 'succeeded', { mediaType, encoding, body });
  const client = await session(up.url);
  return { ...up, taskId, client, uri: `longshore://results/${taskId}` };
}

describe('a result that is too large to show', () => {
  test('is shown as a preview with a link, under which it is read whole', async () => {
    const { url, taskId, client, uri } = await large();
    const { result } = await request(url, 'tasks/get', { taskId });
    const [preview, link] = result.result.content;
    expect(preview.text).toContain('20000 bytes');
    expect(preview.text.length).toBeLessThan(LARGE.length);
    expect(link).toMatchObject({ type: 'resource_link', uri, mimeType: 'text/plain', size: 20_000 });
    expect((await client.rpc('tasks/result', { taskId })).result.content[1]).toMatchObject({ type: 'resource_link', uri });
    const whole = { contents: [{ uri, mimeType: 'text/plain', text: LARGE }] };
    expect((await request(url, 'resources/read', { uri })).result).toMatchObject(whole);
    expect((await client.rpc('resources/read', { uri })).result).toMatchObject(whole);
  });

  test('that is binary is read as the bytes it is', async () => {
    const blob = Buffer.alloc(20_000, 7).toString('base64');
    const { client, uri } = await large(blob, 'base64');
    expect((await client.rpc('resources/read', { uri })).result.contents).toEqual([{ uri, mimeType: 'application/zip', blob }]);
    const taskId = uri.split('/').at(-1);
    const link = (await client.rpc('tasks/result', { taskId })).result.content.at(-1);
    expect(link).toMatchObject({ type: 'resource_link', uri, mimeType: 'application/zip', size: 20_000 });
  });

  test('has no link where it is short', async () => {
    const { url, taskId } = await large('short');
    expect((await request(url, 'tasks/get', { taskId })).result.result.content).toEqual([{ type: 'text', text: 'short' }]);
  });
});

describe('a result in several parts', () => {
  const image = Buffer.alloc(3_000, 7);
  const parts = [
    Buffer.from('--b\r\nContent-Type: application/json\r\nContent-ID: <meta>\r\n\r\n{"n":1}\r\n'),
    Buffer.from('--b\r\nContent-Type: image/png\r\nContent-Disposition: attachment; filename="a.png"\r\n\r\n'),
    image,
    Buffer.from(`\r\n--b\r\n\r\n${LARGE}\r\n--b\r\n\r\n\r\n--b--\r\n`),
  ];
  const body = Buffer.concat(parts).toString('base64');

  async function inParts(payload = body) {
    const up = await standUp({ tools: [job('create_export')] });
    const { result } = await request(up.url, 'tools/call', { name: 'create_export', arguments: {} });
    const { taskId } = result;
    up.engine.end(taskId, 'succeeded', { mediaType: 'multipart/mixed', encoding: 'base64', boundary: 'b', body: payload });
    const uri = `longshore://results/${taskId}`;
    const read = async (of: string) => request(up.url, 'resources/read', { uri: of });
    return { ...up, taskId, uri, read, shown: async () => (await request(up.url, 'tasks/get', { taskId })).result.result };
  }

  test('is shown part by part: what fits, and links to what does not', async () => {
    const { uri, shown } = await inParts();
    const { content, isError } = await shown();
    expect(isError ?? false).toBe(false);
    expect(content).toMatchObject([
      { type: 'text', text: 'Part 1 of 4, meta: application/json, 7 bytes.' },
      { type: 'text', text: '{"n":1}' },
      { type: 'text', text: 'Part 2 of 4, a.png: image/png, 3000 bytes.' },
      { type: 'image', mimeType: 'image/png', data: image.toString('base64') },
      { type: 'text', text: 'Part 3 of 4: text/plain, 20000 bytes.' },
      { type: 'text', text: expect.stringContaining('the whole is 20000 bytes') },
      { type: 'resource_link', uri: `${uri}/3`, name: 'Part 3', mimeType: 'text/plain', size: 20_000 },
      { type: 'text', text: 'Part 4 of 4: nothing, 0 bytes.' },
      { type: 'resource_link', uri, name: 'The whole result', mimeType: 'multipart/mixed' },
    ]);
  });

  test('is read part by part, to the byte, and whole with what is between them', async () => {
    const { uri, read } = await inParts();
    expect((await read(`${uri}/2`)).result.contents).toEqual([
      { uri: `${uri}/2`, mimeType: 'image/png', blob: image.toString('base64') },
    ]);
    expect((await read(`${uri}/3`)).result.contents).toEqual([{ uri: `${uri}/3`, mimeType: 'text/plain', text: LARGE }]);
    expect((await read(uri)).result.contents).toEqual([{ uri, mimeType: 'multipart/mixed; boundary="b"', blob: body }]);
  });

  test.each(['/0', '/4', '/5', '/01', '/1/1', '/', '/x'])('has no part %s', async (part) => {
    const { uri, read } = await inParts();
    expect((await read(`${uri}${part}`)).error).toMatchObject({ code: -32602, message: 'Resource not found.' });
  });

  test('that are many is shown as far as is useful, and all of them can be read', async () => {
    const many = Array.from({ length: 70 }, (_part, index) => `--b\r\n\r\nn${index + 1}\r\n`).join('');
    const { uri, read, shown } = await inParts(Buffer.from(`${many}--b--`).toString('base64'));
    const { content } = await shown();
    expect(content).toHaveLength(101);
    expect(content.at(-1)).toMatchObject({ text: `There are 20 more parts, such as ${uri}/51.` });
    expect((await read(`${uri}/70`)).result.contents).toMatchObject([{ text: 'n70' }]);
  });

  test('inside a part is one thing', async () => {
    const inner = '--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n\r\nx\r\n--c--\r\n--b--';
    const { uri, shown } = await inParts(Buffer.from(inner).toString('base64'));
    expect((await shown()).content).toMatchObject([
      { text: 'Part 1 of 1: multipart/mixed, 15 bytes.' },
      { type: 'resource', resource: { uri: `${uri}/1`, mimeType: 'multipart/mixed' } },
    ]);
  });
});

describe('an answer to a synchronous call that is too large to show', () => {
  const bytes = Buffer.alloc(20_000, 7);
  const photo = { mediaType: 'image/png', encoding: 'base64', body: bytes.toString('base64') } as const;

  test.each([
    ['bytes', photo, { mimeType: 'image/png', blob: photo.body }],
    ['text', { mediaType: 'text/plain', encoding: 'text', body: LARGE } as const, { mimeType: 'text/plain', text: LARGE }],
  ])('of %s has a link, under which its caller reads it whole, and nobody else', async (_what, payload, content) => {
    const up = await standUp({ tools: [call('get_photo')] });
    up.engine.comesTo = { kind: 'answered', status: 200, payload };
    const { result } = await request(up.url, 'tools/call', { name: 'get_photo', arguments: {} });
    const link = result.content.at(-1);
    expect(link).toMatchObject({ type: 'resource_link', mimeType: payload.mediaType, size: 20_000 });
    const read = { uri: link.uri };
    expect((await request(up.url, 'resources/read', read)).result.contents).toEqual([{ uri: link.uri, ...content }]);
    expect((await (await session(up.url)).rpc('resources/read', read)).result.contents).toEqual([
      { uri: link.uri, ...content },
    ]);
    const identity = { identified: true, principal: () => 'somebody else' };
    const foreign = await standUp({ identity, engine: up.engine });
    expect((await request(foreign.url, 'resources/read', read)).error).toMatchObject({ message: 'Resource not found.' });
  });

  test('and has several parts has a link to each that is too large, and to the whole', async () => {
    const up = await standUp({ tools: [call('get_pages')] });
    const page = Buffer.concat([Buffer.from('--b\r\nContent-Type: image/png\r\n\r\n'), bytes, Buffer.from('\r\n--b--')]);
    const payload = { mediaType: 'multipart/mixed', encoding: 'base64', boundary: 'b', body: page.toString('base64') } as const;
    up.engine.comesTo = { kind: 'answered', status: 200, payload };
    const { content } = (await request(up.url, 'tools/call', { name: 'get_pages', arguments: {} })).result;
    expect(content).toMatchObject([
      { text: 'Part 1 of 1: image/png, 20000 bytes.' },
      { text: expect.stringContaining('too large') },
      { type: 'resource_link', uri: expect.stringMatching(/^longshore:\/\/answers\/.+\/1$/), mimeType: 'image/png' },
      { type: 'resource_link', mimeType: 'multipart/mixed' },
    ]);
    const { uri } = content[2];
    expect((await request(up.url, 'resources/read', { uri })).result.contents).toEqual([
      { uri, mimeType: 'image/png', blob: photo.body },
    ]);
    const identity = { identified: true, principal: () => 'somebody else' };
    const foreign = await standUp({ identity, engine: up.engine });
    expect((await request(foreign.url, 'resources/read', { uri })).error).toMatchObject({ message: 'Resource not found.' });
  });

  test('is still shown where it could not be kept: the call has been carried out', async () => {
    const up = await standUp({ tools: [call('get_photo')] });
    up.engine.comesTo = { kind: 'answered', status: 200, payload: photo };
    up.engine.shelf.keep = () => Promise.reject(new Error('disk full'));
    const { result } = await request(up.url, 'tools/call', { name: 'get_photo', arguments: {} });
    expect(result.content).toEqual([{ type: 'text', text: '20000 bytes of image/png, which is too large to be shown here.' }]);
    expect(result).not.toHaveProperty('isError');
  });
});

describe('resources', () => {
  test('are never listed: a link is the only way to one', async () => {
    const { url, client } = await large();
    expect((await client.rpc('resources/list')).result.resources).toEqual([]);
    expect((await request(url, 'resources/list')).result.resources).toEqual([]);
    expect((await client.rpc('resources/templates/list')).result.resourceTemplates).toMatchObject([
      { uriTemplate: 'longshore://results/{operation}' },
      { uriTemplate: 'longshore://results/{operation}/{part}' },
      { uriTemplate: 'longshore://answers/{answer}' },
      { uriTemplate: 'longshore://answers/{answer}/{part}' },
    ]);
  });

  test('of somebody else, of a live operation, and of none at all are not found, in the same words', async () => {
    const up = await large();
    const identity = { identified: true, principal: () => 'somebody else' };
    const foreign = await standUp({ identity, engine: up.engine });
    const live = await request(up.url, 'tools/call', { name: 'create_export', arguments: {} });
    const answers = [
      await request(foreign.url, 'resources/read', { uri: up.uri }),
      await request(up.url, 'resources/read', { uri: `longshore://results/${live.result.taskId}` }),
      await request(up.url, 'resources/read', { uri: 'longshore://results/op_nothing' }),
      await request(up.url, 'resources/read', { uri: 'file:///etc/passwd' }),
    ];
    expect(answers.map(({ error }) => [error.code, error.message])).toEqual(answers.map(() => [-32602, 'Resource not found.']));
    expect((await up.client.rpc('resources/read', { uri: 'longshore://results/op_nothing' })).error).toMatchObject({
      code: -32602,
      data: { uri: 'longshore://results/op_nothing' },
    });
  });
});
