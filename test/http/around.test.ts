import { expect, test } from 'vitest';
import type { Around } from '../../src/http/gateway-server.ts';
import { request, session, standUp } from './kit.ts';

const around: Around = {
  capabilities: { prompts: {} },
  methods: ({ leg }) => (leg === 'session' ? ['prompts/list', 'resources/subscribe'] : ['prompts/list']),
  async handle({ method, params }, _context, own) {
    if (method === 'tools/call' && params['name'] === 'twice') return own?.({ name: 'get_order', arguments: {} }) ?? {};
    if (own !== undefined) return own();
    return method === 'prompts/list' ? { prompts: [{ name: 'one' }] } : {};
  },
};

test('what stands around the handlers adds methods and answers, and leaves the gateway’s own as they are', async () => {
  const { url, engine } = await standUp({ around });
  const s = await session(url);
  expect(s.opened.result.capabilities).toMatchObject({ prompts: {}, tasks: { cancel: {} } });
  expect((await s.rpc('prompts/list')).result.prompts).toEqual([{ name: 'one' }]);
  expect((await s.rpc('resources/subscribe', { uri: 'test://x' })).result).toEqual({});
  expect((await s.rpc('tools/call', { name: 'twice', arguments: {} })).result.content[0].text).toBe('{"ok":true}');
  expect(engine.called).toEqual([{ tool: 'get_order', args: {} }]);
  expect((await s.rpc('tools/call', { name: 'nothing', arguments: {} })).error.code).toBe(-32602);
  expect((await request(url, 'prompts/list')).result.prompts).toEqual([{ name: 'one' }]);
  expect((await request(url, 'resources/subscribe', { uri: 'test://x' })).http).toBe(404);
});

test('without it, the gateway has no prompts', async () => {
  const { url } = await standUp();
  expect((await (await session(url)).rpc('prompts/list')).error.code).toBe(-32601);
  expect((await request(url, 'prompts/list')).http).toBe(404);
});
