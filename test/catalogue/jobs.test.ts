import { describe, expect, test } from 'vitest';
import { readExtension } from '../../src/catalogue/x-longshore.ts';
import type { JobTool, Tool } from '../../src/core/tool.ts';
import { body, compile, OK, only, openapi, propertiesOf, type Settings } from './kit.ts';

const text = { type: 'string' };
const json = (schema: object) => ({ 'application/json': { schema } });
const STATUS = {
  type: 'object',
  properties: { id: text, status: { type: 'string', enum: ['queued', 'running', 'done', 'error'] } },
};

/** `POST /exports` as described, and the operations that serve it. */
const exportsWith = (submit: object, more: object = {}) =>
  openapi(
    {
      '/exports': {
        post: {
          operationId: 'createExport',
          summary: 'Export',
          responses: { 202: { description: 'ok', content: json(STATUS) } },
          ...submit,
        },
      },
      '/exports/{id}': { get: { operationId: 'getExport', responses: { 200: { description: 'ok', content: json(STATUS) } } } },
      '/exports/{id}/file': { get: { operationId: 'downloadExport', responses: OK } },
      '/exports/{id}/cancel': { post: { operationId: 'cancelExport', responses: OK } },
    },
    more,
  );

const described = {
  status: { operation: 'getExport', id: '$response.body#/id' },
  state: { at: '/status', succeeded: ['done'], failed: ['error'], unknownFor: '10m' },
  result: { operation: 'downloadExport' },
  cancel: { operation: 'cancelExport' },
  submissionKey: { header: 'Idempotency-Key', retention: 'P1D' },
  expect: 'PT4M',
};

async function job(extension: unknown, settings: Settings = {}): Promise<JobTool> {
  const made = only(
    await compile(exportsWith({ 'x-longshore': extension }), { tools: { include: ['createExport'] }, ...settings }),
  );
  if (made.kind !== 'job') throw new Error(`no job: ${made.why}`);
  return made;
}

describe('x-longshore', () => {
  test.each<[string, unknown, object]>([
    ['true', true, { kind: 'job', description: {} }],
    ['an empty object', {}, { kind: 'job', description: {} }],
    ['false', false, { kind: 'synchronous' }],
    ['synchronous', { synchronous: true }, { kind: 'synchronous' }],
    ['nothing', undefined, { kind: 'absent' }],
    ['null', null, { kind: 'absent' }],
    [
      'a whole description',
      described,
      {
        kind: 'job',
        description: {
          handle: { id: '$response.body#/id' },
          status: { operation: 'getExport' },
          state: { at: '/status', succeeded: ['done'], failed: ['error'], unknownForMs: 600_000 },
          result: { operation: 'downloadExport' },
          cancel: { operation: 'cancelExport' },
          submissionKey: { header: 'Idempotency-Key', retentionMs: 86_400_000 },
          expectMs: 240_000,
        },
      },
    ],
    [
      'names of operations',
      { status: 'a', result: 'b', cancel: 'DELETE /x' },
      {
        kind: 'job',
        description: { status: { operation: 'a' }, result: { operation: 'b' }, cancel: { operation: 'DELETE /x' } },
      },
    ],
    [
      'pace and timing',
      { pace: { interval: '100ms', max: '1s' }, timing: { submitTimeout: '1s', inlineWait: '0s' } },
      {
        kind: 'job',
        description: { pace: { intervalMs: 100, maxMs: 1000 }, timing: { submitTimeoutMs: 1000, inlineWaitMs: 0 } },
      },
    ],
  ])('is read when it is %s', (_name, value, expected) => {
    expect(readExtension(value as never)).toEqual(expected);
  });

  test.each<[string, unknown, string[]]>([
    ['a number', 5, ['']],
    ['a typo', { stauts: 'x' }, ['/stauts']],
    ['a typo further down', { status: { operaton: 'x' } }, ['/status/operaton']],
    ['a duration', { expect: 'soon' }, ['/expect']],
    ['an endless duration', { timing: { waitBudget: '999999d' } }, ['/timing/waitBudget']],
    ['a pointer', { state: { at: 'status' } }, ['/state/at']],
    ['an expression', { handle: { id: 'body.id' } }, ['/handle/id']],
    ['pages that are counted and named', { result: { pages: { by: 'page', at: '/next', query: 'page' } } }, ['/result/pages']],
    ['a number that goes nowhere', { result: { pages: { by: 'item' } } }, ['/result/pages']],
    ['a total of nothing', { result: { pages: { at: '/next', total: '/n' } } }, ['/result/pages']],
    ['a word at two places', { state: { header: 'X-State', at: '/state' } }, ['/state']],
    ['a success that says nothing', { state: { codes: { unreadable: [200] } } }, ['/state/codes/unreadable/0']],
    ['two places for a key', { submissionKey: { header: 'a', query: 'b' } }, ['/submissionKey']],
    [
      'several things',
      { adapter: '', state: { working: [] }, cancel: { deletes: 'yes' } },
      ['/adapter', '/state/working', '/cancel/deletes'],
    ],
  ])('with %s that is wrong says where', (_name, value, pointers) => {
    const reading = readExtension(value as never);
    expect(reading.kind === 'faulty' ? reading.faults.map(({ pointer }) => pointer) : []).toEqual(pointers);
  });
});

describe('a job', () => {
  test('as described becomes a descriptor, its helpers no tools', async () => {
    const { tools, leftOut } = await compile(exportsWith({ 'x-longshore': described }));
    expect([...tools.keys()]).toEqual(['create_export']);
    expect(leftOut.map(({ because, reason, source }) => [because, reason, source.operationId])).toEqual([
      ['helper', 'it only serves createExport', 'getExport'],
      ['helper', 'it only serves createExport', 'downloadExport'],
      ['helper', 'it only serves createExport', 'cancelExport'],
    ]);
    expect(tools.get('create_export')).toMatchObject({
      kind: 'job',
      taskSupport: 'required',
      why: 'a job that usually takes 240 s, longer than a call should wait; described by x-longshore',
      inlineWaitMs: 25_000,
      descriptor: {
        version: 1,
        tool: 'create_export',
        upstream: 'up',
        adapter: 'http-202@1',
        allowedOrigins: ['http://up.test'],
        responseBytesMax: 1_000_000,
        traits: {
          status: true,
          cancel: 'asks',
          deduplicates: true,
          keyRetentionMs: 86_400_000,
          timing: { submitTimeoutMs: 30_000, submitLeaseMs: 45_000, readTimeoutMs: 30_000, unknownWordMs: 600_000 },
        },
        pace: { intervalMs: 2_000, intervalMinMs: 500, intervalMaxMs: 60_000, ageShare: 0.1, expectMs: 240_000 },
      },
    });
  });

  test('has helpers that are tools where that is wanted', async () => {
    const { tools } = await compile(exportsWith({ 'x-longshore': described }), { tools: { helpers: true } });
    expect([...tools.keys()]).toEqual(['create_export', 'get_export', 'download_export', 'cancel_export']);
  });

  test('says in plain words that it starts one', async () => {
    expect((await job({})).description).toMatch(/^Export\n\nThis starts a job: .+\.$/);
  });

  test.each<[object, Settings, string]>([
    [{}, {}, 'optional'],
    [{ expect: '5s' }, {}, 'optional'],
    [{ expect: '30s' }, {}, 'optional'],
    [{ expect: '31s' }, {}, 'required'],
    [{ expect: '31s', taskSupport: 'optional' }, {}, 'optional'],
    [{ taskSupport: 'required' }, {}, 'required'],
    [{}, { defaults: { taskSupport: 'required' } }, 'required'],
    [{}, { defaults: { expectMs: 60_000 } }, 'required'],
    [{ expect: '1s' }, { defaults: { expectMs: 60_000 } }, 'optional'],
  ])('described as %j with %j is %s', async (extension, settings, taskSupport) => {
    expect((await job(extension, settings)).taskSupport).toBe(taskSupport);
  });

  test('takes timing and pace from the upstream where it says none, member by member', async () => {
    const defaults = { pace: { intervalMs: 10, maxMs: 50 }, timing: { submitTimeoutMs: 5_000, inlineWaitMs: 7 } };
    const made = await job({ pace: { interval: '100ms' }, timing: { readTimeout: '1s' } }, { defaults });
    expect(made.descriptor.pace).toMatchObject({ intervalMs: 100, intervalMinMs: 100, intervalMaxMs: 100 });
    expect(made.descriptor.traits.timing).toMatchObject({
      submitTimeoutMs: 5_000,
      submitLeaseMs: 20_000,
      readTimeoutMs: 1_000,
    });
    expect(made.inlineWaitMs).toBe(7);
  });

  test('sends what it is described to send, and no argument can change it', async () => {
    const submit = { headers: { Prefer: 'respond-async' }, query: { async: 'true' }, body: { background: true } };
    const operation = {
      parameters: [
        { name: 'prefer', in: 'header', schema: text },
        { name: 'async', in: 'query', schema: text },
        { name: 'idempotency-key', in: 'header', schema: text },
      ],
      requestBody: body({ type: 'object', properties: { background: { type: 'boolean' }, name: text } }),
      'x-longshore': { submit, submissionKey: { header: 'Idempotency-Key' } },
    };
    const made = only(await compile(exportsWith(operation), { tools: { include: ['createExport'] } })) as JobTool;
    expect(Object.keys(propertiesOf(made))).toEqual(['name']);
    expect(made.descriptor.submit).toMatchObject({
      headers: [['Prefer', 'respond-async']],
      query: [['async', 'true']],
      bodyConstants: [{ pointer: '/background', value: true }],
      parameters: [],
    });
  });

  test.each<[window: string | undefined, submissionKey: object | undefined, warns: boolean]>([
    ['1s', { header: 'Idempotency-Key' }, true],
    ['500ms', { header: 'Idempotency-Key' }, true],
    ['2s', { header: 'Idempotency-Key' }, false],
    [undefined, { header: 'Idempotency-Key' }, false],
    ['1s', undefined, false],
    ['1s', { header: 'Idempotency-Key', deduplicates: false }, false],
  ])('whose doubt is over after %s, sent with the key %j, is looked at before the start: %s', async (window, key, warns) => {
    const timing = window === undefined ? {} : { timing: { reconcileWindow: window } };
    const extension = { ...described, submissionKey: key, ...timing };
    const { warnings } = await compile(exportsWith({ 'x-longshore': extension }), { tools: { include: ['createExport'] } });
    const about = warnings.filter(({ message }) => message.includes('reconcileWindow'));
    expect(about).toMatchObject(
      warns ? [{ pointer: '/paths/~1exports/post', mend: expect.stringContaining('longer'), line: expect.any(Number) }] : [],
    );
  });

  test.each<[string, unknown, string]>([
    ['a word that is not known', { stauts: 'getExport' }, 'x-longshore/stauts is not known here'],
    [
      'a word inside another',
      { status: { url: '/x', wait: { fro: '20s', for: '20s' } } },
      'x-longshore/status/wait/fro is not known here',
    ],
    ['a number for a text', { pace: { first: 10 } }, 'x-longshore/pace/first must be a text'],
    [
      'one of other words',
      { status: '/x', pace: { after: { at: '/a', unit: 'sec' } } },
      'x-longshore/pace/after/unit must be one of s, ms',
    ],
    ['a number that is too large', { cancel: { url: '/c', over: [700] } }, 'x-longshore/cancel/over/0 must be at most 599'],
    ['a word without its member', { status: { url: '/x', wait: {} } }, 'x-longshore/status/wait/for is missing'],
    ['a preset that there is not', { preset: 'azure-arm@9' }, 'x-longshore/preset is no preset: azure-arm@9'],
    ['an operation that does not exist', { status: 'getExprt' }, 'there is no operation getExprt'],
    ['an adapter that is not loaded', { adapter: 'soap' }, 'needs the adapter soap, which is not loaded'],
  ])('described with %s is left out with its reason, and the rest serve', async (_name, extension, reason) => {
    const { tools, leftOut } = await compile(exportsWith({ 'x-longshore': extension }));
    expect([...tools.keys()]).toEqual(['get_export', 'download_export', 'cancel_export']);
    expect(leftOut).toMatchObject([{ because: 'refused', source: { operationId: 'createExport' } }]);
    expect(leftOut[0]?.reason).toContain(reason);
    expect(leftOut[0]?.mend).toBeTruthy();
  });

  test.each<[unknown, string]>([
    [{ state: { at: '/status', suceeded: ['done'] } }, 'did you mean succeeded?'],
    [{ result: { operation: 'getExport', pages: { at: '/next', querry: 't' } } }, 'did you mean query?'],
    [{ submissionKey: { header: 'K', format: { as: 'base63' } } }, 'did you mean base36?'],
    [{ preset: 'azure-arm@9' }, 'did you mean azure-arm@1?'],
    [{ pace: { mni: '1s' } }, 'did you mean min?'],
    [{ pace: { colour: '1s' } }, 'known here: interval, min, max, first, after'],
  ])('described with a slip, %j, is told what was meant', async (extension, mend) => {
    const { leftOut } = await compile(exportsWith({ 'x-longshore': extension }));
    expect(leftOut).toMatchObject([{ mend }]);
  });

  test('described with several slips is told all of them, each with what was meant', async () => {
    const { leftOut } = await compile(exportsWith({ 'x-longshore': { stauts: 'getExport', pace: { maxx: '1s' } } }));
    expect(leftOut[0]?.reason).toContain('x-longshore/stauts is not known here, did you mean status?');
    expect(leftOut[0]?.reason).toContain('x-longshore/pace/maxx is not known here, did you mean max?');
  });

  test.each<[string, unknown]>([
    ['false', false],
    ['synchronous', { synchronous: true }],
    ['forbidden', { taskSupport: 'forbidden', submit: { query: { wait: '1' } } }],
  ])('that is turned off by %s is a call', async (_name, extension) => {
    const operation = {
      responses: { 202: { description: 'ok', headers: { Location: { schema: text } } } },
      'x-longshore': extension,
    };
    const made = only(await compile(exportsWith(operation), { tools: { include: ['createExport'] } }));
    expect(made).toMatchObject({ kind: 'call', taskSupport: 'forbidden', timeoutMs: 30_000 });
    const query = typeof extension === 'object' && extension !== null && 'submit' in extension ? [['wait', '1']] : [];
    expect(made.kind === 'call' && made.request.query).toEqual(query);
  });
});

describe('what a document declares, without x-longshore,', () => {
  const make = async (submit: object, more: object = {}): Promise<{ made: Tool | undefined; messages: string[] }> => {
    const { tools, warnings } = await compile(exportsWith(submit, more), { infer: false });
    return { made: tools.get('create_export'), messages: warnings.map(({ message }) => message) };
  };
  const linked = (links: object, status = '202', schema: object = STATUS) => ({
    responses: { [status]: { description: 'ok', content: json(schema), links } },
  });
  const link = (operationId: string, id = '$response.body#/id') => ({ operationId, parameters: { id } });

  test('links that lead to a status make a job', async () => {
    const { made } = await make(
      linked({
        Get: link('getExport'),
        File: link('downloadExport'),
        Cancel: { operationRef: '#/paths/~1exports~1{id}~1cancel/post', parameters: { id: '$response.body#/id' } },
      }),
    );
    expect(made).toMatchObject({ kind: 'job', why: expect.stringContaining('the link Get of 202 leads to its status') });
    const { protocol } = (made as JobTool).descriptor;
    expect(protocol).toMatchObject({
      id: '$response.body#/id',
      stateAt: '/status',
      words: { working: ['queued', 'running'], succeeded: ['done'], failed: ['error'] },
      status: { operation: 'getExport' },
      result: { helper: { operation: 'downloadExport' } },
      cancel: { operation: 'cancelExport' },
    });
  });

  test.each([
    ['names an operation that does not exist', link('getExprt'), 'the operation that it names does not exist'],
    [
      'takes what the answer does not have',
      link('getExport', '$response.body#/data.id'),
      '$response.body#/data.id does not exist in the schema of the response',
    ],
    [
      'takes what is below a text',
      link('getExport', '$response.body#/id/x'),
      '$response.body#/id/x does not exist in the schema of the response',
    ],
  ])('a link that %s is not used, and said', async (_name, broken, message) => {
    const { made, messages } = await make(linked({ Broken: broken }));
    expect(made?.kind).toBe('call');
    expect(messages).toEqual([`the link Broken is not used: ${message}`]);
  });

  test('a link of something that was created is no job, unless its state ends', async () => {
    expect((await make(linked({ Get: link('getExport') }, '201'))).made?.kind).toBe('job');
    const plain = exportsWith(linked({ Get: { operationId: 'plain', parameters: { id: '$response.body#/id' } } }, '201')) as {
      paths: Record<string, object>;
    };
    plain.paths['/plain/{id}'] = { get: { operationId: 'plain', responses: OK } };
    expect((await compile(plain, { infer: false })).tools.get('create_export')?.kind).toBe('call');
  });

  test.each(['Location', 'operation-location', 'Azure-AsyncOperation'])(
    'the header %s of a 202 makes a job',
    async (header) => {
      const { made } = await make({ responses: { 202: { description: 'ok', headers: { [header]: { schema: text } } } } });
      expect(made).toMatchObject({
        kind: 'job',
        descriptor: { adapter: 'http-202@1', protocol: { headers: [header.toLowerCase()] } },
      });
    },
  );

  test.each([
    [
      'a Location of a 201',
      'post',
      '/exports',
      { 201: { description: 'ok', headers: { Location: { schema: text } } } },
      'call',
    ],
    ['a bare 202', 'post', '/exports', { 202: { description: 'ok' } }, 'call'],
    ['a GET with a Location', 'get', '/x', { 202: { description: 'ok', headers: { Location: { schema: text } } } }, 'call'],
    [
      'a cancel that answers 202',
      'post',
      '/x/{id}/cancel',
      { 202: { description: 'ok', headers: { Location: { schema: text } } } },
      'call',
    ],
  ])('%s makes none', async (_name, method, path, responses, kind) => {
    expect(only(await compile(openapi({ [path]: { [method]: { responses } } }))).kind).toBe(kind);
  });

  const Operation = { type: 'object', properties: { name: text, done: { type: 'boolean' }, error: {}, response: {} } };

  test('an answer that is a long-running operation makes a job of AIP-151', async () => {
    const answer = { 200: { description: 'ok', content: json({ $ref: '#/components/schemas/Operation' }) } };
    const document = openapi(
      {
        '/v1/speech:recognize': { post: { operationId: 'recognize', responses: answer } },
        '/v1/operations/{name}': { get: { operationId: 'get', responses: answer } },
        '/v1/operations/{name}:cancel': { post: { operationId: 'cancel', responses: answer } },
      },
      { components: { schemas: { Operation: { allOf: [Operation] } } } },
    );
    const { tools } = await compile(document);
    expect(tools.get('recognize')).toMatchObject({ kind: 'job', descriptor: { adapter: 'aip-151@1' } });
    expect(tools.get('get')?.kind).toBe('call');
    expect(tools.get('cancel')?.kind).toBe('call');
  });

  test('x-longshore that says little is filled up with it', async () => {
    const made = await make({ ...linked({ Get: link('getExport') }), 'x-longshore': { expect: '1m' } });
    expect(made.made).toMatchObject({
      kind: 'job',
      taskSupport: 'required',
      descriptor: { protocol: { status: { operation: 'getExport' } } },
    });
  });
});

describe('x-longshore that names the status alone', () => {
  test.each(['getExport', { operation: 'GET /exports/{id}' }, { operation: 'getExport', id: '$response.body#/id' }])(
    'takes what the status shows from its schema, so that a job is not taken for done by a 200: %j',
    async (status) => {
      const { descriptor } = await job({ status });
      expect(descriptor.protocol).toMatchObject({ stateAt: '/status', id: '$response.body#/id' });
    },
  );

  test('is not mixed with what was found about another operation', async () => {
    const { descriptor } = await job({ status: 'downloadExport' });
    expect(descriptor.protocol).not.toHaveProperty('stateAt');
  });
});
