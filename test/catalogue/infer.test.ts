import { describe, expect, test } from 'vitest';
import { compile, OK, openapi, type Settings } from './kit.ts';

const text = { type: 'string' };
const json = (schema: object) => ({ 'application/json': { schema } });
const thing = {
  type: 'object',
  properties: { id: text, status: { type: 'string', enum: ['queued', 'running', 'succeeded', 'failed'] } },
};
const answer = (schema: object, code = 200) => ({ [code]: { description: 'ok', content: json(schema) } });

const renders = (schema: object = thing, submit: object = {}, status: object = {}) =>
  openapi({
    '/renders': { post: { operationId: 'createRender', responses: answer(schema), ...submit } },
    '/renders/{id}': { get: { operationId: 'getRender', responses: answer(schema), ...status } },
    '/renders/{id}/cancel': { post: { operationId: 'cancelRender', responses: OK } },
  });

async function look(document: object, settings: Settings = {}) {
  const { tools, leftOut, warnings } = await compile(document, settings);
  return { made: tools.get('create_render'), names: [...tools.keys()], leftOut, warnings };
}

describe('what is plainly asynchronous', () => {
  test('becomes a job that says by which evidence, and its helpers no tools', async () => {
    const { made, names, leftOut, warnings } = await look(renders());
    expect(made).toMatchObject({
      kind: 'job',
      taskSupport: 'optional',
      descriptor: {
        adapter: 'http-202@1',
        traits: { cancel: 'asks' },
        protocol: { id: '$response.body#/id', stateAt: '/status', status: { operation: 'getRender' } },
      },
    });
    expect(made?.why).toBe(
      'a job whose usual duration is not described; inferred: it answers with what GET /renders/{id} shows, which has the state /status (queued, running, succeeded, failed); it can be cancelled: POST /renders/{id}/cancel is below it; it is worded as one (render)',
    );
    expect(names).toEqual(['create_render']);
    expect(leftOut.map(({ because, source }) => [because, source.operationId])).toEqual([
      ['helper', 'getRender'],
      ['helper', 'cancelRender'],
    ]);
    expect(warnings).toEqual([]);
  });

  test('stays a call where nothing may be inferred', async () => {
    const { made, names, warnings } = await look(renders(), { infer: false });
    expect(made).toMatchObject({ kind: 'call', why: 'nothing says that it answers later' });
    expect(names).toHaveLength(3);
    expect(warnings).toEqual([]);
  });

  test('stays a call where x-longshore says that it is none', async () => {
    const { made, warnings } = await look(renders(thing, { 'x-longshore': false }));
    expect(made?.kind).toBe('call');
    expect(warnings).toEqual([]);
  });

  test('takes the upstream’s defaults', async () => {
    const { made } = await look(renders(), { defaults: { taskSupport: 'required' } });
    expect(made?.taskSupport).toBe('required');
  });

  test('is described further by x-longshore that says little', async () => {
    const { made } = await look(renders(thing, { 'x-longshore': { expect: '2m' } }));
    expect(made).toMatchObject({
      kind: 'job',
      taskSupport: 'required',
      descriptor: { pace: { expectMs: 120_000 }, protocol: { stateAt: '/status', status: { operation: 'getRender' } } },
    });
  });

  test('stays a call, with a warning, where what was found is not enough', async () => {
    const flag = { type: 'object', properties: { id: text, is_running: { type: 'boolean' } } };
    const { made, warnings } = await look(renders(flag));
    expect(made?.kind).toBe('call');
    expect(warnings).toMatchObject([
      {
        pointer: '/paths/~1renders/post',
        message: expect.stringMatching(
          /^createRender starts a job \(.*\), which is not followed: \/is_running tells that it has ended, and not how$/,
        ),
        mend: 'describe what is missing with x-longshore, or write `x-longshore: false`',
      },
    ]);
  });

  test('stays a call, with a warning, where no adapter can follow it', async () => {
    const needing = { parameters: [{ in: 'query', name: 'zone', required: true, schema: text }] };
    const { made, leftOut, warnings } = await look(renders(thing, {}, needing));
    expect(made?.kind).toBe('call');
    expect(leftOut).toEqual([]);
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('which is not followed: nothing is known that {zone} could stand for'),
    ]);
  });
});

describe('what is likely asynchronous', () => {
  const likely = openapi({
    '/batches': {
      post: {
        operationId: 'createRender',
        responses: answer({ type: 'object', properties: { id: text, at: text, status: text } }),
      },
    },
    '/batches/{id}': {
      get: { operationId: 'getBatch', responses: answer({ type: 'object', properties: { id: text, at: text, status: text } }) },
    },
  }) as { paths: Record<string, { post?: Record<string, unknown> }> };

  test('stays a call, with a warning that says how to decide', async () => {
    const { made, warnings } = await look(likely);
    expect(made?.kind).toBe('call');
    expect(warnings).toMatchObject([
      {
        message: expect.stringMatching(/^createRender may start a job \(/),
        mend: 'write `x-longshore: true` if it does, else `x-longshore: false`',
      },
    ]);
  });

  test('is a job by what was found, once x-longshore says that it is one', async () => {
    const decided = structuredClone(likely);
    const post = decided.paths['/batches']?.post ?? {};
    post['x-longshore'] = true;
    const { made, warnings } = await look(decided);
    expect(made).toMatchObject({
      kind: 'job',
      descriptor: { protocol: { stateAt: '/status', status: { operation: 'getBatch' } } },
    });
    expect(warnings).toEqual([]);
  });
});
