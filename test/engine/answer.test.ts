import { describe, expect, onTestFinished, test } from 'vitest';
import { openQuestions } from '../../src/core/input.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { DESCRIPTION, type House, house, jobTool, type Script, type Scripted } from './kit.ts';

const DECLINE = { url: '/jobs/{id}/reject', body: { approved: false } };

function tool(more: object = {}) {
  return jobTool({
    ...DESCRIPTION,
    state: { at: '/status', input: ['waiting'] },
    input: { url: '/jobs/{id}/answer', message: '/question', form: '/form', id: '/asks', ...more },
  });
}

const FORM = { type: 'object', properties: { name: { type: 'string', minLength: 1 } }, required: ['name'] };
const waiting = (asks = 'who', question = 'Who is it for?'): Scripted => ({
  status: 200,
  json: { id: '7', status: 'waiting', asks, question, form: FORM },
});
const running: Scripted = { status: 200, json: { id: '7', status: 'running' } };
const done: Scripted = { status: 200, json: { id: '7', status: 'succeeded', result: { ok: true } } };

/** An upstream whose job shows what `shows` holds at the time. */
async function gateway(options: { readonly answer?: Script; readonly input?: object; readonly seed?: number } = {}) {
  const shows = { now: waiting() };
  const given: string[] = [];
  const answer: Script = (request, count) => {
    given.push(String(request.body));
    return options.answer?.(request, count) ?? { status: 204 };
  };
  const home = await house(
    {
      'POST /jobs': [{ status: 202, json: { id: '7', status: 'queued' } }],
      'GET /jobs/7': () => shows.now,
      'POST /jobs/7/answer': answer,
      'POST /jobs/7/reject': answer,
    },
    { tool: tool(options.input) },
  );
  onTestFinished(() => home.close());
  const id = await home.begun();
  await home.clock.advance(2_000);
  return { home, shows, given, id };
}

const row = async (home: House, id: string) => {
  const operation = await home.ledger.get(id);
  if (operation === undefined) throw new Error('gone');
  return operation;
};
const keys = async (home: House, id: string) => openQuestions(await row(home, id)).map(({ key }) => key);
const accept = (content: JsonObject): JsonObject => ({ action: 'accept', content });
const kindOf = async (home: House, id: string, given: JsonObject) =>
  [...((await home.engine.answer(id, 'local', given))?.verdicts ?? [])].map(([, { kind }]) => kind);

describe('an answer', () => {
  test('is recorded, delivered once, and the job goes on', async () => {
    const { home, shows, given, id } = await gateway();
    expect(await keys(home, id)).toEqual(['input-1.1']);
    expect(openQuestions(await row(home, id))[0]?.message).toBe('Who is it for?');
    shows.now = running;
    expect(await kindOf(home, id, { 'input-1.1': accept({ name: 'Ada' }) })).toEqual(['taken']);
    await home.clock.advance(500);
    expect(given).toEqual(['{"name":"Ada"}']);
    expect((await row(home, id)).input).toBe('CLOSED');
    shows.now = done;
    await home.clock.advance(10_000);
    expect(await home.outcome(id)).toBe('succeeded');
    expect(given).toHaveLength(1);
  });

  test('given again, late, or to a key that nobody was given changes nothing', async () => {
    const { home, shows, given, id } = await gateway();
    shows.now = running;
    const answer = { 'input-1.1': accept({ name: 'Ada' }) };
    expect(await kindOf(home, id, { 'input-9.1': accept({ name: 'Eve' }) })).toEqual(['not_open']);
    await kindOf(home, id, answer);
    expect(await kindOf(home, id, { 'input-1.1': accept({ name: 'Eve' }) })).toEqual(['not_open']);
    await home.clock.advance(20_000);
    expect(await kindOf(home, id, answer)).toEqual(['not_open']);
    expect(given).toEqual(['{"name":"Ada"}']);
  });

  test('that is taken in the last moment is not asked for again while the service does not show it yet', async () => {
    const clock: { sleep?: House['clock'] } = {};
    const { home, shows, id } = await gateway({
      answer: async () => {
        await clock.sleep?.sleep(9_900);
        return { status: 204 };
      },
    });
    clock.sleep = home.clock;
    await home.engine.answer(id, 'local', { 'input-1.1': accept({ name: 'Ada' }) });
    await home.clock.advance(9_950);
    expect((await row(home, id)).input).toBe('CLOSED');
    // A lagging status still shows the question.
    await home.clock.advance(2_500);
    expect(await keys(home, id)).toEqual([]);
    shows.now = running;
    await home.clock.advance(10_000);
    expect((await row(home, id)).round).toBe(1);
  });

  test('is not asked for again by a look that began soon after it, however slow its answer was', async () => {
    const { home, shows, given, id } = await gateway();
    await home.engine.answer(id, 'local', { 'input-1.1': accept({ name: 'Ada' }) });
    await home.clock.advance(100);
    const looks = home.upstream.count('GET /jobs/7');
    const clock = home.clock;
    home.upstream.script({
      'GET /jobs/7': async (_request, count) => {
        if (count > looks + 1) return shows.now;
        // What it shows is as old as the request.
        await clock.sleep(9_000);
        return waiting();
      },
    });
    shows.now = running;
    await home.clock.advance(9_900);
    expect(home.upstream.count('GET /jobs/7')).toBe(looks + 1);
    expect(await keys(home, id)).toEqual([]);
    await home.clock.advance(5_000);
    expect(home.upstream.count('GET /jobs/7')).toBeGreaterThan(looks + 1);
    expect((await row(home, id)).round).toBe(1);
    expect(given).toHaveLength(1);
  });

  test('is given once, whatever looks were due when it left', async () => {
    const { home, given, id } = await gateway({ answer: () => ({ fails: 'reset', mayHaveBeenSent: true }) });
    const before = home.upstream.count('GET /jobs/7');
    await home.engine.answer(id, 'local', { 'input-1.1': accept({ name: 'Ada' }) });
    await home.clock.advance(12_500);
    expect(given).toHaveLength(1);
    expect(home.upstream.count('GET /jobs/7')).toBe(before);
  });

  test('of another principal finds no operation', async () => {
    const { home, id } = await gateway();
    expect(await home.engine.answer(id, 'somebody else', { 'input-1.1': accept({ name: 'Ada' }) })).toBeUndefined();
  });

  test('that does not fit the form is told so, and the question stays', async () => {
    const { home, id } = await gateway();
    const answered = await home.engine.answer(id, 'local', { 'input-1.1': accept({ name: '' }) });
    expect([...(answered?.verdicts ?? [])]).toEqual([
      ['input-1.1', { kind: 'not_taken', why: '/name: must have at least 1 characters' }],
    ]);
    expect(await keys(home, id)).toEqual(['input-1.1']);
  });

  test('that is lost on the way is delivered again once the same question is seen again', async () => {
    const { home, shows, given, id } = await gateway({
      answer: (_request, count) => (count === 1 ? { fails: 'reset', mayHaveBeenSent: true } : { status: 204 }),
    });
    await home.engine.answer(id, 'local', { 'input-1.1': accept({ name: 'Ada' }) });
    await home.clock.advance(5_000);
    expect(given).toHaveLength(1);
    await home.clock.advance(15_000);
    expect(given).toEqual(['{"name":"Ada"}', '{"name":"Ada"}']);
    shows.now = done;
    await home.clock.advance(20_000);
    expect(await home.outcome(id)).toBe('succeeded');
  });

  test('that the service refuses opens a new round with the reason, under a new key', async () => {
    const { home, given, id } = await gateway({
      answer: (_request, count) => (count === 1 ? { status: 422, json: { message: 'nobody of that name' } } : { status: 204 }),
    });
    await home.engine.answer(id, 'local', { 'input-1.1': accept({ name: 'Adda' }) });
    await home.clock.advance(500);
    expect(await keys(home, id)).toEqual(['input-2.1']);
    expect((await row(home, id)).inputRequest).toMatchObject({ refused: 'nobody of that name' });
    // The same question, seen by polls, is still that round.
    await home.clock.advance(5_000);
    expect(await keys(home, id)).toEqual(['input-2.1']);
    expect(await kindOf(home, id, { 'input-1.1': accept({ name: 'Ada' }) })).toEqual(['not_open']);
    expect(await kindOf(home, id, { 'input-2.1': accept({ name: 'Ada' }) })).toEqual(['taken']);
    await home.clock.advance(500);
    expect(given).toEqual(['{"name":"Adda"}', '{"name":"Ada"}']);
  });

  test('is not asked for again while the service does not show it yet, and is once it asks anew', async () => {
    const { home, shows, id } = await gateway();
    await home.engine.answer(id, 'local', { 'input-1.1': accept({ name: 'Ada' }) });
    await home.clock.advance(2_500);
    // A lagging status still shows the question.
    expect(await keys(home, id)).toEqual([]);
    shows.now = waiting('when', 'When?');
    await home.clock.advance(3_000);
    expect(await keys(home, id)).toEqual(['input-2.1']);
  });

  test('recorded and not yet sent when the gateway dies is delivered by the next', async () => {
    const { home, shows, given, id } = await gateway();
    await home.engine.answer(id, 'local', { 'input-1.1': accept({ name: 'Ada' }) });
    shows.now = running;
    await home.crash();
    await home.clock.advance(12_000);
    expect(new Set(given)).toEqual(new Set(['{"name":"Ada"}']));
    shows.now = done;
    await home.clock.advance(20_000);
    expect(await home.outcome(id)).toBe('succeeded');
  });
});

describe('several questions', () => {
  const listed: Scripted = {
    status: 200,
    json: {
      status: 'waiting',
      all: [
        { asks: 'who', question: 'Who?', form: FORM },
        { asks: 'sure', question: 'Sure?', form: { type: 'boolean' } },
      ],
    },
  };

  test('are answered one by one, and delivered together', async () => {
    const { home, shows, given, id } = await gateway({ input: { list: '/all' } });
    shows.now = listed;
    await home.clock.advance(10_000);
    expect(await keys(home, id)).toEqual(['input-2.1', 'input-2.2']);
    expect(await kindOf(home, id, { 'input-2.2': accept({ answer: true }) })).toEqual(['taken']);
    expect(await keys(home, id)).toEqual(['input-2.1']);
    await home.clock.advance(5_000);
    expect(given).toEqual([]);
    expect(await kindOf(home, id, { 'input-2.2': accept({ answer: false }), 'input-2.1': accept({ name: 'Ada' }) })).toEqual([
      'not_open',
      'taken',
    ]);
    await home.clock.advance(500);
    expect(given).toEqual(['{"who":{"name":"Ada"},"sure":{"answer":true}}']);
  });
});

describe('a no', () => {
  test('is passed on where the service can be told', async () => {
    const { home, given, id } = await gateway({ input: { decline: DECLINE } });
    expect(await kindOf(home, id, { 'input-1.1': { action: 'decline' } })).toEqual(['taken']);
    await home.clock.advance(500);
    expect(given).toEqual(['{"approved":false}']);
    expect(home.upstream.count('POST /jobs/7/reject')).toBe(1);
  });

  test('that the service can not be told is said so: the job waits on, and is not cancelled', async () => {
    const { home, given, id } = await gateway();
    const answered = await home.engine.answer(id, 'local', { 'input-1.1': { action: 'decline' } });
    expect([...(answered?.verdicts.values() ?? [])]).toEqual([
      { kind: 'not_taken', why: expect.stringContaining('cancel the operation') },
    ]);
    await home.clock.advance(5_000);
    expect(given).toEqual([]);
    expect(await row(home, id)).toMatchObject({ life: 'INPUT_REQUIRED', cancellation: 'NONE' });
  });

  test('is something else than a dialogue that was closed', async () => {
    const { home, id } = await gateway({ input: { decline: DECLINE } });
    expect(await kindOf(home, id, { 'input-1.1': { action: 'cancel' } })).toEqual(['not_taken']);
    expect(await keys(home, id)).toEqual(['input-1.1']);
  });
});
