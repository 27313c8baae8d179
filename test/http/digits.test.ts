// A number that JavaScript cannot hold passes the gateway as it was written, through the SDK and both of its legs.

import { expect, test } from 'vitest';
import { META, post, session, standUp } from './kit.ts';
import { call, ended } from './scripted-engine.ts';

const ARGUMENTS = '{"id":9007199254740993,"in":[1.10,{"deep":12345678901234567890}]}';
const ANSWER = '{"bytes":12345678901234567890,"price":1.10}';
const payload = { mediaType: 'application/json', encoding: 'text', body: ANSWER } as const;
const text = { type: 'text', text: ANSWER };
const tools = [call('get_order', { outputSchema: { type: 'object' } })];

const message = (method: string, params: string) => `{"jsonrpc":"2.0","id":9,"method":"${method}","params":${params}}`;
const envelope = JSON.stringify({
  [META('protocolVersion')]: '2026-07-28',
  [META('clientInfo')]: { name: 'test', version: '1' },
  [META('clientCapabilities')]: { extensions: { [META('tasks')]: {} } },
});
const framing = (method: string, name: string) => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  'mcp-name': name,
});

test('in a session', async () => {
  const { url, engine } = await standUp({ tools });
  const { headers } = await session(url);
  engine.comesTo = { kind: 'answered', status: 200, payload };
  const answer = await post(url, message('tools/call', `{"name":"get_order","arguments":${ARGUMENTS}}`), headers);
  expect(JSON.stringify(engine.called)).toBe(`[{"tool":"get_order","args":${ARGUMENTS}}]`);
  expect(answer.result.content).toEqual([text]);
  expect(answer.text).toContain(`"structuredContent":${ANSWER}`);
});

test('in a request', async () => {
  const { url, engine } = await standUp({ tools });
  engine.comesTo = { kind: 'answered', status: 200, payload };
  const params = `{"name":"get_order","arguments":${ARGUMENTS},"_meta":${envelope}}`;
  const answer = await post(url, message('tools/call', params), framing('tools/call', 'get_order'));
  expect(JSON.stringify(engine.called)).toBe(`[{"tool":"get_order","args":${ARGUMENTS}}]`);
  expect(answer.result.content).toEqual([text]);
  expect(answer.text).toContain(`"structuredContent":${ANSWER}`);
});

test('in a batch of a session', async () => {
  const { url, engine } = await standUp({ tools });
  const { headers } = await session(url);
  const one = message('tools/call', `{"name":"get_order","arguments":${ARGUMENTS}}`);
  await post(url, `[${one},{"jsonrpc":"2.0","id":10,"method":"ping"}]`, headers);
  expect(JSON.stringify(engine.called)).toBe(`[{"tool":"get_order","args":${ARGUMENTS}}]`);
});

test('in the result of a task', async () => {
  const { url, engine } = await standUp({ tools });
  engine.put(ended('succeeded'), payload, tools[0]);
  const { headers } = await session(url);
  const older = await post(url, message('tasks/result', '{"taskId":"op_1"}'), headers);
  const newer = await post(url, message('tasks/get', `{"taskId":"op_1","_meta":${envelope}}`), framing('tasks/get', 'op_1'));
  for (const answer of [older, newer]) expect(answer.text).toContain(`"structuredContent":${ANSWER}`);
});
