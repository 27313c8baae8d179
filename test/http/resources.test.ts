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
      { uriTemplate: 'longshore://answers/{answer}' },
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
