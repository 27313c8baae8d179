import { describe, expect, test } from 'vitest';
import { request, session, standUp } from './kit.ts';
import { job } from './scripted-engine.ts';

const WORDS = 'This result is partial: the service says that it is not all of what was asked for.';

describe('a partial result', () => {
  test('is said to be that in words, before it is shown, and in _meta, through both contracts', async () => {
    const up = await standUp({ tools: [job('create_export')] });
    const { taskId } = (await request(up.url, 'tools/call', { name: 'create_export', arguments: {} })).result;
    up.engine.end(taskId, 'succeeded', { mediaType: 'application/json', encoding: 'text', body: '[1]', partial: true });
    const content = [
      { type: 'text', text: WORDS },
      { type: 'text', text: '[1]' },
    ];
    const task = (await request(up.url, 'tasks/get', { taskId })).result;
    expect(task).toMatchObject({ status: 'completed', statusMessage: WORDS });
    expect(task.result).toMatchObject({ content, _meta: { 'longshore/partial': true } });
    expect(task.result).not.toHaveProperty('isError');
    const older = (await (await session(up.url)).rpc('tasks/result', { taskId })).result;
    expect(older).toMatchObject({
      content,
      _meta: { 'longshore/partial': true, 'io.modelcontextprotocol/related-task': { taskId } },
    });
  });

  test('is said of no other', async () => {
    const up = await standUp({ tools: [job('create_export')] });
    const { taskId } = (await request(up.url, 'tools/call', { name: 'create_export', arguments: {} })).result;
    up.engine.end(taskId, 'succeeded', { mediaType: 'application/json', encoding: 'text', body: '[1]' });
    const { result } = (await request(up.url, 'tasks/get', { taskId })).result;
    expect(result.content).toEqual([{ type: 'text', text: '[1]' }]);
    expect(result).not.toHaveProperty('_meta');
  });
});
