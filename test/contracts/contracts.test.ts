import { describe, expect, test } from 'vitest';
import type { Contract, Policy } from '../../src/contracts/contract.ts';
import { contractFor } from '../../src/contracts/index.ts';
import { call, ended, job, json, operation, receipt } from '../http/scripted-engine.ts';

const BOTH = ['2025-11-25', '2026-07-28'] as const;
const older = contractFor('session', '2025-11-25', BOTH);
const newer = contractFor('request', '2026-07-28', BOTH);
const EXTENSION = 'io.modelcontextprotocol/tasks';

const serve: Policy = { taskless: 'serve', identified: false };
const reject: Policy = { taskless: 'reject', identified: false };
const withTasks = { tasks: true };
const without = { tasks: false };
const needs = job('needs', { taskSupport: 'required' });
const may = job('may', { taskSupport: 'optional' });
const plain = call('plain');
const viewOf = (one = operation(), payload = json({ n: 1 })) => ({ operation: one, payload, pollIntervalMs: 500 });
const tasksOf = (contract: Contract) => {
  if (contract.tasks === undefined) throw new Error(`${contract.id} has no Tasks`);
  return contract.tasks;
};

describe('the contract for a protocol version', () => {
  test.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', 'none'],
    ['2024-11-05', 'none'],
    ['2099-01-01', '2025-11-25'],
  ])('on a session opened with %s is %s', (version, id) => {
    expect(contractFor('session', version, BOTH).id).toBe(id);
  });

  test('that is switched off is spoken without Tasks', () => {
    expect(contractFor('session', '2025-11-25', ['2026-07-28'])).toMatchObject({ id: 'none' });
    expect(contractFor('request', '2026-07-28', ['2025-11-25'])).toMatchObject({ id: 'none' });
  });
});

describe('2025-11-25 admits', () => {
  const admit = (tool: Parameters<Contract['admit']>[0], params = {}, client = withTasks, policy = serve) =>
    older.admit(tool, params, client, policy);

  test('a task where the client asks for one and the tool allows it', () => {
    expect(admit(needs, { task: { ttl: 60_000 } })).toEqual({ as: 'task', ttlMs: 60_000 });
    expect(admit(may, { task: {} })).toEqual({ as: 'task' });
  });

  test('no task of a tool that answers at once, and no plain call of one that needs a task', () => {
    expect(admit(plain, { task: {} })).toMatchObject({ as: 'refused', code: -32601 });
    expect(admit(needs)).toMatchObject({ as: 'refused', code: -32601 });
    expect(admit(may)).toEqual({ as: 'inline' });
    expect(admit(plain)).toEqual({ as: 'call' });
  });

  test('a plain call of a tool that needs a task from a client without Tasks, unless the operator rejects those', () => {
    expect(admit(needs, {}, without)).toEqual({ as: 'inline' });
    expect(admit(needs, {}, without, reject)).toMatchObject({ as: 'refused', code: -32601 });
    expect(older.entry(needs, without, serve)).toEqual({ execution: { taskSupport: 'optional' } });
    expect(older.entry(needs, without, reject)).toEqual({ execution: { taskSupport: 'required' } });
    expect(older.entry(needs, withTasks, serve)).toEqual({ execution: { taskSupport: 'required' } });
  });

  test.each([[0], [-1], ['60000'], [null], [Number.POSITIVE_INFINITY]])('no ttl of %j', (ttl) => {
    expect(admit(may, { task: { ttl } })).toMatchObject({ as: 'refused', code: -32602 });
  });

  test.each([[true], [7], [null], [[]]])('no params.task of %j', (task) => {
    expect(admit(may, { task })).toMatchObject({ as: 'refused', code: -32602 });
  });
});

describe('2026-07-28 admits', () => {
  const admit = (tool: Parameters<Contract['admit']>[0], client = withTasks, policy = serve) =>
    newer.admit(tool, { task: { ttl: 1 } }, client, policy);

  test('every job as a task where the request declares the extension, and looks at no params.task', () => {
    expect([admit(needs), admit(may), admit(plain)]).toEqual([{ as: 'task' }, { as: 'task' }, { as: 'call' }]);
  });

  test('a job inline without it, unless it needs a task and the operator rejects that', () => {
    expect([admit(needs, without), admit(may, without, reject)]).toEqual([{ as: 'inline' }, { as: 'inline' }]);
    expect(admit(needs, without, reject)).toEqual({
      as: 'refused',
      code: -32021,
      message: 'Missing required client capability',
      data: { requiredCapabilities: { extensions: { [EXTENSION]: {} } } },
    });
  });

  test('no sign of Tasks but the extension itself', () => {
    expect(newer.signs({ extensions: { [EXTENSION]: {} } })).toMatchObject(withTasks);
    expect(newer.signs({ tasks: { requests: {} } })).toMatchObject(without);
    expect(newer.signs(undefined)).toMatchObject(without);
  });

  test('forms are put to a client that declares elicitation, unless it takes URLs only', () => {
    for (const contract of [older, newer]) {
      expect(contract.signs({ elicitation: {} }).forms).toBe(true);
      expect(contract.signs({ elicitation: { form: {}, url: {} } }).forms).toBe(true);
      expect(contract.signs({ elicitation: { url: {} } }).forms).toBe(false);
      expect(contract.signs({}).forms).toBe(false);
    }
  });
});

describe('a new task', () => {
  test('is working under 2025-11-25 even where it has already ended', () => {
    expect(tasksOf(older).created(viewOf(ended('failed')))).toEqual({
      task: {
        taskId: 'op_1',
        status: 'working',
        createdAt: '2026-11-29T12:00:00.000Z',
        lastUpdatedAt: '2026-11-29T12:00:02.000Z',
        ttl: 3_600_000,
        pollInterval: 500,
      },
    });
  });

  test('is flat under 2026-07-28, and no task at all where it has already ended', () => {
    expect(tasksOf(newer).created(viewOf())).toEqual({
      resultType: 'task',
      taskId: 'op_1',
      status: 'working',
      createdAt: '2026-11-29T12:00:00.000Z',
      lastUpdatedAt: '2026-11-29T12:00:01.000Z',
      ttlMs: 3_600_000,
      pollIntervalMs: 500,
    });
    expect(tasksOf(newer).created(viewOf(ended('failed', { endingMessage: 'too big' })))).toEqual({
      resultType: 'complete',
      content: [
        { type: 'text', text: 'too big.' },
        { type: 'text', text: '{"n":1}' },
      ],
      isError: true,
    });
  });
});

describe('an ended task', () => {
  const never = () => {
    const { seen: _seen, ...rest } = ended('failed', { mayExist: false });
    return rest;
  };

  test.each([
    ['succeeded', ended('succeeded'), 'completed', 'completed'],
    ['failed', ended('failed'), 'failed', 'completed'],
    ['unknown', ended('unknown'), 'failed', 'completed'],
    ['cancelled', ended('cancelled'), 'cancelled', 'cancelled'],
    ['never started', never(), 'failed', 'failed'],
  ])('that is %s has its status in each contract', (_name, operation, atOlder, atNewer) => {
    expect(tasksOf(older).task(viewOf(operation))).toMatchObject({ status: atOlder });
    expect(tasksOf(newer).task(viewOf(operation))).toMatchObject({ status: atNewer });
  });

  test('carries its result inside under 2026-07-28, complete and without related-task', () => {
    expect(tasksOf(newer).task(viewOf(ended('succeeded')))).toMatchObject({
      resultType: 'complete',
      result: { resultType: 'complete', content: [{ type: 'text', text: '{"n":1}' }] },
    });
    expect(JSON.stringify(tasksOf(newer).task(viewOf(ended('succeeded'))))).not.toContain('related-task');
  });

  test('gives its result by tasks/result under 2025-11-25, naming its task', () => {
    expect(tasksOf(older).outcome?.(viewOf(ended('failed', { endingMessage: 'quota' })))).toEqual({
      as: 'result',
      result: {
        content: [
          { type: 'text', text: 'quota.' },
          { type: 'text', text: '{"n":1}' },
        ],
        isError: true,
        _meta: { 'io.modelcontextprotocol/related-task': { taskId: 'op_1' } },
      },
    });
    expect(tasksOf(older).outcome?.(viewOf())).toBe('not_yet');
  });

  test('that was cancelled or never started is an error in tasks/result', () => {
    const cancelled = ended('cancelled', { receipt: receipt('cancelled', { by: 'caller' }) });
    expect(tasksOf(older).outcome?.(viewOf(cancelled))).toMatchObject({
      as: 'refused',
      message: expect.stringContaining('Cancelled'),
    });
    expect(tasksOf(older).outcome?.(viewOf(never()))).toMatchObject({ as: 'refused', code: -32603 });
    expect(tasksOf(newer).task(viewOf(never()))).toMatchObject({
      error: { code: -32603, message: expect.stringContaining('safe') },
    });
  });

  test('refuses a cancel under 2025-11-25 and acknowledges it under 2026-07-28', () => {
    expect(tasksOf(older).cancelled(viewOf(ended('succeeded')), false)).toMatchObject({ as: 'refused', code: -32602 });
    expect(tasksOf(newer).cancelled(viewOf(ended('succeeded')), false)).toEqual({
      as: 'result',
      result: { resultType: 'complete' },
    });
  });
});

describe('a refusal before anything was recorded', () => {
  const refused = { as: 'refused', code: -32602, message: 'the key is taken' } as const;

  test('is an error under 2025-11-25, where only a task may be answered, and a tool error under 2026-07-28', () => {
    expect(tasksOf(older).notCreated(refused)).toEqual(refused);
    expect(tasksOf(newer).notCreated(refused)).toMatchObject({
      as: 'result',
      result: { isError: true, content: [{ type: 'text', text: 'the key is taken' }] },
    });
  });
});

describe('capabilities', () => {
  test('offer a list only where callers are told apart', () => {
    expect(tasksOf(older).capabilities(serve)).toEqual({ tasks: { cancel: {}, requests: { tools: { call: {} } } } });
    expect(tasksOf(older).capabilities({ ...serve, identified: true })).toMatchObject({ tasks: { list: {} } });
  });

  test('name the extension with exactly {}', () => {
    expect(tasksOf(newer).capabilities(serve)).toEqual({ extensions: { [EXTENSION]: {} } });
  });
});
