import { describe, expect, test } from 'vitest';
import { answer, collection, findingOf, findingsOf, json, object, pairsOf, post, RECEIPT, STATES, text, words } from './kit.ts';

const thing = object({ id: text, status: STATES });
const operation = (operationId: string, schema?: object, more: object = {}) => ({
  operationId,
  responses: { 200: answer(schema) },
  ...more,
});

describe('a finding', () => {
  test('is asynchronous, proposed or synchronous by the sum of its evidence', async () => {
    expect(await findingOf('makeThing', collection(thing))).toMatchObject({ verdict: 'asynchronous', score: 70 });
    const bare = object({ id: text, name: text, status: text });
    expect(await findingOf('makeThing', collection(bare))).toMatchObject({
      verdict: 'synchronous',
      score: 35,
      description: {},
    });
    const likely = { '/batches': post({ 200: answer(bare) }), '/batches/{id}': { get: operation('look', bare) } };
    expect(await findingOf('submit', likely)).toMatchObject({ verdict: 'propose', score: 60 });
  });

  test('names its evidence, strongest first, with pointers into the document', async () => {
    const { evidence } = await findingOf('makeThing', collection(thing, { responses: { 202: answer(thing) } }));
    expect(evidence.map(({ rule, score }) => [rule, score])).toEqual([
      ['schema-identity', 70],
      ['accepted', 45],
    ]);
    for (const { pointer, says } of evidence) {
      expect(pointer).toMatch(/^\/paths\/~1things/);
      expect(says).not.toBe('');
    }
  });

  test('describes the job as an overlay would', async () => {
    const status = object({ id: text, status: STATES, progress: { type: 'number', maximum: 1 } });
    const finding = await findingOf(
      'makeThing',
      collection(
        status,
        { parameters: [{ in: 'header', name: 'Idempotency-Key', schema: text }] },
        {
          '/things/{id}/results': { get: operation('getResults') },
          '/things/{id}/cancel': { post: operation('cancelThing') },
        },
      ),
    );
    expect(finding).toMatchObject({
      description: {
        handle: { id: '$response.body#/id' },
        status: { operation: 'getThing' },
        state: {
          at: '/status',
          working: ['queued', 'running'],
          succeeded: ['succeeded'],
          failed: ['failed'],
          cancelled: ['cancelled'],
        },
        result: { operation: 'getResults' },
        progress: { at: '/progress', of: 1 },
        cancel: { operation: 'cancelThing' },
        submissionKey: { header: 'Idempotency-Key' },
      },
      taskSupport: 'optional',
      why: 'a job whose usual duration is not described',
      unknownWords: [],
    });
    expect(finding.lacks).toBeUndefined();
  });

  test('names an operation by method and path where its id names another as well', async () => {
    const paths = {
      '/a': { post: operation('make', thing) },
      '/a/{id}': { get: operation('get', thing) },
      '/b': { post: operation('makeB') },
      '/b/{id}': { get: operation('get') },
    };
    expect((await findingOf('make', paths)).description.status).toEqual({ operation: 'GET /a/{id}' });
  });

  test('is the same for any order of the document', async () => {
    const paths = collection(thing, {}, { '/things/{id}/cancel': { post: operation('cancelThing') } });
    const reversed = Object.fromEntries(Object.entries(paths).reverse());
    expect(pairsOf(await findingOf('makeThing', reversed))).toEqual(pairsOf(await findingOf('makeThing', paths)));
  });

  test('of an operation that cancels, answers or asks is never a job', async () => {
    const found = await findingsOf(
      collection(
        thing,
        {},
        {
          '/things/{id}/cancel': { post: { operationId: 'cancelThing', responses: { 202: answer(thing) } } },
          '/things/{id}/answer': { post: { operationId: 'submitAnswer', responses: { 202: answer(thing) } } },
          '/things/find': { post: operation('findThing', thing) },
        },
      ),
    );
    for (const id of ['cancelThing', 'submitAnswer', 'findThing', 'getThing']) {
      expect(found.get(id)?.verdict, id).toBe('synchronous');
    }
    expect(found.get('cancelThing')?.serves).toEqual([expect.objectContaining({ operationId: 'makeThing' })]);
  });
});

describe('pairing', () => {
  const pairs = async (paths: object, id = 'submit') => pairsOf(await findingOf(id, paths));

  test('matches parameters by their place, whatever they are called', async () => {
    const paths = {
      '/spaces/{space}/renders': post({ 200: answer(RECEIPT) }),
      '/spaces/{space_id}/renders/{r}': { get: operation('look', object({ status: STATES })) },
      '/spaces/{s}/renders/{x}/stop': { put: operation('stopIt') },
    };
    expect(await pairs(paths)).toEqual({ status: 'look', result: 'look', cancel: 'stopIt' });
    expect((await findingOf('submit', paths)).description.handle).toEqual({ id: '$response.body#/id' });
  });

  test('prefers what is for every kind of action to what is for one', async () => {
    const action = object({ action: object({ id: text, type: text, status: words('in-progress', 'completed', 'errored') }) });
    const paths = {
      '/disks/{disk}/resize': post({ 202: answer(action) }),
      '/disks/{disk}/actions/{id}': { get: operation('diskAction', action) },
      '/actions/{id}': { get: operation('anyAction', action) },
    };
    expect(await pairs(paths)).toEqual({ status: 'anyAction' });
    expect((await findingOf('submit', paths)).description).toMatchObject({
      handle: { id: '$response.body#/action/id' },
      state: { at: '/action/status', succeeded: ['completed'], failed: ['errored'] },
    });
  });

  test('takes a lighter status where there is one, and the whole as its result', async () => {
    const paths = {
      '/runs': post({ 200: answer(object({ run_id: text })) }),
      '/runs/{run_id}': { get: operation('getRun', object({ run_id: text, state: STATES, log: text })) },
      '/runs/{run_id}/status': { get: operation('getStatus', object({ run_id: text, state: STATES })) },
      '/runs/{run_id}/cancel': { post: operation('cancelRun') },
    };
    expect(await pairs(paths)).toEqual({ status: 'getStatus', result: 'getRun', cancel: 'cancelRun' });
  });

  test('finds a status that takes the id in the query', async () => {
    const paths = {
      '/lint': {
        post: { operationId: 'submit', responses: { 202: answer(object({ run_id: text })) } },
        get: operation('look', object({ run_id: text, status: STATES }), {
          parameters: [{ in: 'query', name: 'run_id', schema: text }],
        }),
      },
    };
    expect(await pairs(paths)).toMatchObject({ status: 'look' });
    expect((await findingOf('submit', paths)).description).toMatchObject({
      handle: { id: '$response.body#/run_id' },
      status: { method: 'GET', url: '/lint?run_id={id}' },
    });
  });

  test('finds what a receipt refers to by name', async () => {
    const run = object({ id: text, status: text, conclusion: text });
    const paths = {
      '/repos/{repo}/dispatches': post({ 200: answer(object({ workflow_run_id: { type: 'integer' }, run_url: text })) }),
      '/repos/{repo}/runs/{run_id}': { get: operation('getRun', run) },
    };
    expect(await pairs(paths)).toMatchObject({ status: 'getRun' });
    expect((await findingOf('submit', paths)).description).toMatchObject({
      handle: { id: '$response.body#/workflow_run_id' },
      state: { at: '/conclusion' },
    });
  });

  test('goes by names where paths say nothing, and says that this can’t be followed', async () => {
    const rpc = (name: string, schema?: object) => ({ post: operation(name, schema) });
    const paths = {
      '/#Service.StartQueryExecution': rpc('StartQueryExecution', object({ QueryExecutionId: text })),
      '/#Service.GetQueryExecution': rpc(
        'GetQueryExecution',
        object({ QueryExecution: object({ Status: object({ State: words('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED') }) }) }),
      ),
      '/#Service.GetQueryResults': rpc('GetQueryResults', object({ Rows: {} })),
      '/#Service.StopQueryExecution': rpc('StopQueryExecution'),
    };
    expect(await pairs(paths, 'StartQueryExecution')).toEqual({
      status: 'GetQueryExecution',
      result: 'GetQueryResults',
      cancel: 'StopQueryExecution',
    });
    expect((await findingOf('StartQueryExecution', paths)).lacks).toContain('with the id in the body');
  });

  test('finds a cancel of another version, or of another place for the same thing', async () => {
    const deploy = object({ id: text, name: text, state: STATES });
    const paths = {
      '/v2/sites/{site}/deploys': post({ 200: answer(deploy) }),
      '/v2/sites/{site}/deploys/{id}': { get: operation('look', deploy) },
      '/v1/deploys/{deploy}/cancel': { post: operation('cancelDeploy', deploy) },
    };
    expect(await pairs(paths)).toMatchObject({ cancel: 'cancelDeploy' });
  });

  test('takes a DELETE for a cancel only where it says so', async () => {
    const paths = (description: string) =>
      collection(
        thing,
        {},
        {
          '/things/{id}': { get: operation('getThing', thing), delete: operation('deleteThing', undefined, { description }) },
        },
      );
    expect(await pairs(paths('Cancels the job and removes it.'), 'makeThing')).toMatchObject({ cancel: 'deleteThing' });
    expect((await findingOf('makeThing', paths('Cancels the job.'))).description.cancel).toMatchObject({ deletes: true });
    expect(await pairs(paths('Removes the data; this does not cancel the job.'), 'makeThing')).not.toHaveProperty('cancel');
  });

  test('does not take what is done to a thing for the making of one', async () => {
    const paths = collection(thing, {}, { '/things/{id}/lock': { post: operation('lockThing', thing) } });
    expect((await findingOf('lockThing', paths)).verdict).toBe('synchronous');
  });

  test('of an envelope that is part of itself ends', async () => {
    const more = {
      components: { schemas: { Node: object({ id: text, status: STATES, data: { $ref: '#/components/schemas/Node' } }) } },
    };
    const node = { $ref: '#/components/schemas/Node' };
    expect((await findingOf('makeThing', collection(node), more)).verdict).toBe('asynchronous');
  });

  test('passes over references that lead nowhere', async () => {
    const found = await findingsOf(collection({ $ref: '#/components/schemas/Gone' }));
    expect(found.get('makeThing')?.verdict).toBe('synchronous');
  });
});

describe('what a finding lacks', () => {
  const lacks = async (status: object, submit: object = {}) => (await findingOf('makeThing', collection(status, submit))).lacks;

  test.each([
    [
      'a word for success',
      object({ id: text, phase: words('PENDING', 'BUILDING', 'ACTIVE', 'ERROR', 'CANCELED') }),
      /known to mean success/,
    ],
    ['how a flag ended', object({ id: text, is_running: { type: 'boolean' }, wait: text }), /and not how/],
    [
      'whether DONE is good',
      object({ id: text, status: words('PENDING', 'RUNNING', 'DONE'), error: object({ code: text }) }),
      /known to mean success/,
    ],
    ['words for how it ended', object({ id: text, state: text, result: text }), /words that the document does not list/],
  ])('is said: %s', async (_what, status, message) => {
    const { lacks } = await findingOf('makeThing', collection(status, { summary: 'Starts a run' }));
    expect(lacks).toMatch(message);
  });

  test('is the id where the answer has none', async () => {
    const paths = { '/runs': post({ 202: answer() }), '/runs/{id}': { get: operation('look', object({ status: STATES })) } };
    expect((await findingOf('submit', paths)).lacks).toBe('the document does not say where in the answer the job’s id is');
  });

  test('is the start of what creating does not start', async () => {
    const status = object({ id: text, status: words('created', 'queued', 'running', 'finished', 'error') });
    const paths = collection(
      status,
      {},
      {
        '/things/{id}/start': { post: { operationId: 'startThing', responses: { 202: answer() } } },
      },
    );
    const finding = await findingOf('makeThing', paths);
    expect(finding.lacks).toBe('creating it does not start it: POST /things/{id}/start does');
    expect(pairsOf(finding)).toMatchObject({ start: 'startThing' });
  });

  test('is nothing where 202 and a Location say all', async () => {
    const finding = await findingOf('submit', {
      '/exports': post({ 202: answer(undefined, { headers: { Location: { schema: text } } }) }),
    });
    expect(finding).toMatchObject({ verdict: 'asynchronous', description: { handle: { headers: ['location'] } } });
    expect(finding.lacks).toBeUndefined();
    expect(await lacks(thing, { requestBody: { content: json(object({ a: text })) } })).toBeUndefined();
  });

  test('leaves to run time what only an answer can tell', async () => {
    const bare = object({ id: text, name: text, state: text });
    const paths = {
      '/renders': post({ 202: answer(bare) }),
      '/renders/{id}': { get: operation('look', bare) },
    };
    expect((await findingOf('submit', paths)).atRunTime).toEqual([
      'whether a header names the status, which no answer declares',
      'which words /state holds',
    ]);
  });
});
