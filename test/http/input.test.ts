// Input, as each kind of client meets it: on the wire, with a scripted engine behind it.

import { describe, expect, test } from 'vitest';
import { formOf } from '../../src/core/form.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { Operation } from '../../src/core/operation.ts';
import { EXTENSION, META, post, request, session, standUp, type Wire } from './kit.ts';
import { job, json } from './scripted-engine.ts';

const FORM = formOf({ type: 'object', properties: { name: { type: 'string' } }, required: ['name'] });
const WHO = { message: 'Who is it for?', form: FORM };
const SURE = { message: 'Sure?', form: formOf({ type: 'boolean' }) };

/** The operation as the machine leaves it when the service asks. */
const asks = (round: number, ...questions: readonly object[]): Partial<Operation> => ({
  life: 'INPUT_REQUIRED',
  input: 'OPEN',
  round,
  inputRequest: { questions, declinable: false } as unknown as JsonObject,
});
const ADA = { action: 'accept', content: { name: 'Ada' } };
const FORMS = { [META('clientCapabilities')]: { elicitation: {}, extensions: { [EXTENSION]: {} } } };
const ONLY_FORMS = { [META('clientCapabilities')]: { elicitation: {} } };

/** Resolves once the engine has what is asked for. */
async function until(engine: Awaited<ReturnType<typeof standUp>>['engine'], holds: () => boolean): Promise<void> {
  if (holds()) return;
  await new Promise<void>((resolve) => {
    const stop = engine.subscribe(() => {
      if (!holds()) return;
      stop();
      resolve();
    });
  });
}

describe('2026-07-28: a task that asks', () => {
  async function waiting(...questions: readonly object[]) {
    const up = await standUp();
    const created = await request(up.url, 'tools/call', { name: 'create_export', arguments: {} }, { meta: FORMS });
    const taskId: string = created.result.taskId;
    up.engine.change(taskId, asks(1, ...questions));
    const get = (meta: object = FORMS) => request(up.url, 'tasks/get', { taskId }, { meta });
    const update = (inputResponses: object) => request(up.url, 'tasks/update', { taskId, inputResponses }, { meta: FORMS });
    return { ...up, taskId, get, update };
  }

  test('shows its questions by key, and takes their answers one by one', async () => {
    const { get, update, engine, taskId } = await waiting(WHO, SURE);
    expect((await get()).result).toMatchObject({
      status: 'input_required',
      inputRequests: {
        'input-1.1': {
          method: 'elicitation/create',
          params: { mode: 'form', message: 'Who is it for?', requestedSchema: FORM.schema },
        },
        'input-1.2': { method: 'elicitation/create' },
      },
    });
    expect((await update({ 'input-1.2': { action: 'accept', content: { answer: true } } })).result).toMatchObject({
      resultType: 'complete',
    });
    const half = (await get()).result;
    expect(half.status).toBe('input_required');
    expect(Object.keys(half.inputRequests)).toEqual(['input-1.1']);
    await update({ 'input-1.1': ADA });
    const whole = (await get()).result;
    expect(whole.status).toBe('working');
    expect(whole).not.toHaveProperty('inputRequests');
    expect(engine.answers.map(({ id }) => id)).toEqual([taskId, taskId]);
  });

  test('acknowledges answers to keys that nobody was given, and changes nothing', async () => {
    const { get, update } = await waiting(WHO);
    expect((await update({ 'input-7.1': ADA, nonsense: ADA })).result).toMatchObject({ resultType: 'complete' });
    expect((await update({})).result).toMatchObject({ resultType: 'complete' });
    expect((await get()).result.status).toBe('input_required');
  });

  test('asks a client that can put no forms for nothing, and says in words what it waits for', async () => {
    const { get } = await waiting(WHO);
    const { result } = await get({ [META('clientCapabilities')]: { extensions: { [EXTENSION]: {} } } });
    expect(result).toMatchObject({ status: 'input_required', inputRequests: {} });
    expect(result.statusMessage).toContain('Who is it for?');
  });

  test('is not found by an answer to another task', async () => {
    const { url } = await waiting(WHO);
    const { error } = await request(url, 'tasks/update', { taskId: 'op_9', inputResponses: {} }, { meta: FORMS });
    expect(error.code).toBe(-32602);
  });
});

describe('2026-07-28: a call without the extension', () => {
  async function asked(meta: object = ONLY_FORMS) {
    const up = await standUp();
    const params = { name: 'maybe_export', arguments: { size: 3 } };
    const unsubscribe = up.engine.subscribe((operation) => {
      if (operation.life !== 'WORKING' || operation.round > 0) return;
      unsubscribe();
      queueMicrotask(() => up.engine.change(operation.id, asks(1, WHO)));
    });
    const first = await request(up.url, 'tools/call', params, { meta });
    const again = (more: object, changed: object = {}) =>
      request(up.url, 'tools/call', { ...params, ...changed, ...more }, { meta });
    return { ...up, first, again };
  }

  test('is answered with the question, and goes on with the same operation when it is made again', async () => {
    const { engine, first, again } = await asked();
    expect(first.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { 'input-1.1': { method: 'elicitation/create' } },
      requestState: expect.any(String),
    });
    const stop = engine.subscribe((operation) => {
      if (operation.input === 'ANSWERED' && operation.receipt === undefined) {
        stop();
        queueMicrotask(() => engine.end(operation.id, 'succeeded', json({ for: 'Ada' })));
      }
    });
    const { result } = await again({ requestState: first.result.requestState, inputResponses: { 'input-1.1': ADA } });
    expect(result).toMatchObject({ resultType: 'complete', content: [{ type: 'text', text: '{"for":"Ada"}' }] });
    expect(engine.started).toHaveLength(1);
  });

  test('asks again where the answer is missing or does not fit', async () => {
    const { engine, first, again } = await asked();
    const { requestState } = first.result;
    const missing = await again({ requestState, inputResponses: {} });
    expect(missing.result).toMatchObject({ resultType: 'input_required', inputRequests: { 'input-1.1': {} } });
    const wrong = await again({ requestState, inputResponses: { 'input-1.1': { action: 'accept', content: { name: 7 } } } });
    expect(wrong.result.resultType).toBe('input_required');
    expect(engine.started).toHaveLength(1);
  });

  test('refuses a state that was changed, or that was given for another call', async () => {
    const { engine, first, again } = await asked();
    const state: string = first.result.requestState;
    const answers = { inputResponses: { 'input-1.1': ADA } };
    for (const tampered of [`${state}x`, state.replace('.1.', '.2.'), 'op_1', '', 'op_1.1.AAAA'])
      expect((await again({ requestState: tampered, ...answers })).error).toMatchObject({
        code: -32602,
        data: { reason: 'invalid_request_state' },
      });
    const other = await again({ requestState: state, ...answers }, { arguments: { size: 4 } });
    expect(other.error).toMatchObject({ code: -32602 });
    expect(engine.answers).toEqual([]);
    expect(engine.started).toHaveLength(1);
  });

  test('of a client that can put no forms is answered in words, and names the tool that answers', async () => {
    const { first } = await asked({ [META('clientCapabilities')]: {} });
    expect(first.result).toMatchObject({
      resultType: 'complete',
      structuredContent: {
        outcome: 'pending',
        input: { answerWith: 'answer_operation', questions: [{ question: 'input-1.1', message: 'Who is it for?' }] },
      },
    });
    expect(first.result.content[0].text).toMatch(/ask the user.*answer_operation/i);
  });
});

describe('2025-11-25: a task that asks', () => {
  /** A session whose client puts forms, with a task that does not ask yet. */
  async function opened() {
    const up = await standUp();
    const client = await session(up.url, { capabilities: { tasks: {}, elicitation: {} } });
    const created = await client.rpc('tools/call', { name: 'create_export', arguments: {}, task: {} });
    const taskId: string = created.result.task.taskId;
    const reply = (id: unknown, result: object) => post(up.url, { jsonrpc: '2.0', id, result }, client.headers);
    return { ...up, client, taskId, reply };
  }

  async function nextRequest(stream: { next(): Promise<Wire> }): Promise<Wire> {
    for (;;) {
      const message = await stream.next();
      if (message === undefined || message.method === 'elicitation/create') return message;
    }
  }

  test('is put once, on the session’s stream, and the answer counts', async () => {
    const { engine, client, taskId, reply } = await opened();
    const stream = await client.stream();
    engine.change(taskId, asks(1, WHO));
    const question = await nextRequest(stream);
    expect(question.params).toMatchObject({
      message: 'Who is it for?',
      requestedSchema: FORM.schema,
      _meta: { [META('related-task')]: { taskId } },
    });
    // While it is out there, tasks/result does not put it a second time.
    const result = client.rpc('tasks/result', { taskId });
    await reply(question.id, ADA);
    await until(engine, () => engine.answers.length === 1);
    engine.end(taskId, 'succeeded', json({ for: 'Ada' }));
    const answered = await result;
    expect(answered.messages.filter(({ method }) => method === 'elicitation/create')).toEqual([]);
    expect(answered.result.content[0].text).toBe('{"for":"Ada"}');
    expect(engine.answers).toEqual([{ id: taskId, given: { 'input-1.1': ADA } }]);
    stream.close();
  });

  test('is put on the stream of tasks/result where there is no other', async () => {
    const { engine, client, taskId, reply } = await opened();
    engine.change(taskId, asks(1, WHO));
    const stream = await client.open('tasks/result', { taskId });
    const question = await nextRequest(stream);
    expect(question.params._meta).toEqual({ [META('related-task')]: { taskId } });
    await reply(question.id, ADA);
    await until(engine, () => engine.answers.length === 1);
    engine.end(taskId, 'succeeded', json({ ok: true }));
    const last = await stream.next();
    expect(last.result.content[0].text).toBe('{"ok":true}');
  });

  test('is put again for a client that dismissed it and comes back, and not before', async () => {
    const { engine, client, taskId, reply } = await opened();
    engine.change(taskId, asks(1, WHO));
    const first = await client.open('tasks/result', { taskId });
    const question = await nextRequest(first);
    await reply(question.id, { action: 'cancel' });
    first.close();
    const second = await client.open('tasks/result', { taskId });
    const again = await nextRequest(second);
    expect(again.id).not.toBe(question.id);
    expect(again.params.message).toBe('Who is it for?');
    second.close();
  });

  test('moves to another stream when the one it was put on is gone', async () => {
    const { engine, client, taskId } = await opened();
    const stream = await client.stream();
    engine.change(taskId, asks(1, WHO));
    await nextRequest(stream);
    const result = await client.open('tasks/result', { taskId });
    stream.close();
    const question = await nextRequest(result);
    expect(question.params.message).toBe('Who is it for?');
    result.close();
  });

  test('is asked inline without naming a task, on the stream of the call', async () => {
    const up = await standUp();
    const client = await session(up.url, { capabilities: { elicitation: {} } });
    const call = await client.open('tools/call', { name: 'create_export', arguments: {} });
    await until(up.engine, () => up.engine.started.length === 1);
    up.engine.change('op_1', asks(1, WHO));
    const question = await nextRequest(call);
    expect(question.params).not.toHaveProperty('_meta');
    await post(up.url, { jsonrpc: '2.0', id: question.id, result: ADA }, client.headers);
    await until(up.engine, () => up.engine.answers.length === 1);
    up.engine.end('op_1', 'succeeded', json({ ok: true }));
    expect((await call.next()).result.content[0].text).toBe('{"ok":true}');
  });

  test('asks a client that can put no forms for nothing: tasks/result waits, and the status says for what', async () => {
    const up = await standUp();
    const client = await session(up.url);
    const created = await client.rpc('tools/call', { name: 'create_export', arguments: {}, task: {} });
    const { taskId } = created.result.task;
    up.engine.change(taskId, asks(1, WHO));
    const { result } = await client.rpc('tasks/get', { taskId });
    expect(result).toMatchObject({ status: 'input_required', statusMessage: expect.stringContaining('Who is it for?') });
    const waiting = client.rpc('tasks/result', { taskId });
    up.engine.end(taskId, 'succeeded', json({ ok: true }));
    const answered = await waiting;
    expect(answered.messages).toHaveLength(1);
  });
});

describe('a host without Tasks', () => {
  async function pending(...questions: readonly object[]) {
    const up = await standUp();
    const client = await session(up.url, { tasks: false });
    const calling = client.rpc('tools/call', { name: 'create_export', arguments: {} });
    await until(up.engine, () => up.engine.started.length === 1);
    up.engine.change('op_1', asks(1, ...questions));
    const call = (name: string, args: object) => client.rpc('tools/call', { name, arguments: args });
    return { ...up, pending: await calling, call };
  }

  test('is told what is asked, and by which tool it is answered', async () => {
    const { pending: answer, call, engine } = await pending(WHO);
    expect(answer.result).toMatchObject({
      structuredContent: {
        outcome: 'pending',
        doNotRepeat: true,
        input: { answerWith: 'answer_operation', questions: [{ question: 'input-1.1', answerSchema: FORM.schema }] },
      },
    });
    const answered = call('answer_operation', { operation: 'op_1', answer: { name: 'Ada' } });
    await until(engine, () => engine.answers.length === 1);
    engine.end('op_1', 'succeeded', json({ for: 'Ada' }));
    expect((await answered).result.content[0].text).toBe('{"for":"Ada"}');
  });

  test('is told what is wrong with an answer, and that nothing was answered', async () => {
    const { call } = await pending(WHO, SURE);
    const which = await call('answer_operation', { operation: 'op_1', answer: { name: 'Ada' } });
    expect(which.result).toMatchObject({ isError: true });
    expect(which.result.content[0].text).toContain('input-1.1, input-1.2');
    const wrong = await call('answer_operation', { operation: 'op_1', question: 'input-1.1', answer: {} });
    expect(wrong.result.content[0].text).toBe('Nothing was answered. /name: is missing');
    const none = await call('answer_operation', { operation: 'op_1', question: 'input-3.1', answer: {} });
    expect(none.result.content[0].text).toContain('does not wait for this answer');
    const declined = await call('answer_operation', { operation: 'op_1', question: 'input-1.1', action: 'decline' });
    expect(declined.result.content[0].text).toContain('no way to be told no');
    const gone = await call('answer_operation', { operation: 'op_9', answer: {} });
    expect(gone.result.isError).toBe(true);
  });

  test('is told where an answer goes that can not be given from here, and that one is too late', async () => {
    const { call, engine } = await pending();
    const there = await call('answer_operation', { operation: 'op_1', answer: { name: 'Ada' } });
    expect(there.result).toMatchObject({ isError: true });
    expect(there.result.content[0].text).toContain('waits for input before it goes on, which can only be given there');
    engine.end('op_1', 'succeeded', json({}));
    const late = await call('answer_operation', { operation: 'op_1', answer: { name: 'Ada' } });
    expect(late.result.content[0].text).toContain('It has ended.');
    expect(engine.answers).toEqual([]);
  });

  test('sees the tool in its list, and a client whose every job is a task does not', async () => {
    const { url } = await standUp({ tools: [job('create_export', { taskSupport: 'required' })] });
    const names = async (tasks: boolean) =>
      (await (await session(url, { tasks })).rpc('tools/list')).result.tools.map(({ name }: Wire) => name);
    expect(await names(false)).toContain('answer_operation');
    expect(await names(true)).not.toContain('answer_operation');
  });
});
