import { describe, expect, test } from 'vitest';
import { SHOWN_BYTES_MAX } from '../../src/core/content.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { stringifyJson } from '../../src/core/json.ts';
import type { Payload } from '../../src/core/outcome.ts';
import { type Answer, asResult, present, presentAnswer } from '../../src/core/presentation.ts';
import { call, ended, json, operation, receipt } from '../http/scripted-engine.ts';

const NAMES = { get: 'get_operation', wait: 'wait_for_operation', answer: 'answer_operation', cancel: 'cancel_operation' };
const needsTotal = {
  outputSchema: { type: 'object', required: ['total'] },
  misfit: (value: unknown) => ('total' in (value as object) ? undefined : "must have required property 'total'"),
};
const textOf = (picture: object) =>
  ('content' in picture ? (picture.content as readonly { readonly type: string; readonly text?: string }[]) : [])
    .map((block) => block.text ?? `<${block.type}>`)
    .join('\n');

describe('a live operation', () => {
  test('is pending, whatever the upstream has shown, until there is a receipt', () => {
    expect(present({ operation: operation({ life: 'TERMINAL_OBSERVED', seen: 'succeeded' }) })).toMatchObject({
      kind: 'pending',
      status: 'working',
      message: expect.stringContaining('its result is being fetched'),
    });
  });

  test("says how far it is, in the upstream's own words", () => {
    const said = present({ operation: operation({ progress: { fraction: 0.4, message: 'rendering frames' } }) }).message;
    expect(said).toBe('40 %: rendering frames.');
  });

  test('names a status word that nobody configured', () => {
    expect(present({ operation: operation({ unknownWord: 'PAUSED' }) }).message).toBe(
      'The service says "PAUSED", which is no known state; it is treated as working.',
    );
  });

  test('whose submit got no answer says so, and forbids another call', () => {
    const said = present({ operation: operation({ life: 'SUBMISSION_UNKNOWN', trouble: 'the socket closed' }) }).message;
    expect(said).toMatch(/^The socket closed\. The job may exist.*Do not call again\./);
  });

  test('says what became of a cancel', () => {
    expect(present({ operation: operation({ cancellation: 'REFUSED' }) }).message).toContain('refused to cancel');
    expect(present({ operation: operation({ cancellation: 'ASKED' }) }).message).toContain('may still finish');
  });

  test('that waits for input is input_required while the round is open', () => {
    expect(present({ operation: operation({ life: 'INPUT_REQUIRED', input: 'OPEN' }) })).toMatchObject({
      status: 'input_required',
    });
    expect(present({ operation: operation({ life: 'WORKING', input: 'ANSWERED' }) })).toMatchObject({ status: 'working' });
  });
});

describe('an ending', () => {
  test('that is unknown is an error result that must not be repeated', () => {
    const picture = present({
      operation: ended('unknown', { receipt: receipt('unknown', { reason: 'The connection broke.' }), effects: 'ESCALATED' }),
    });
    expect(picture).toMatchObject({
      kind: 'result',
      isError: true,
      structured: { outcome: 'unknown', operation: 'op_1', jobMayExist: true, safeToRepeat: false },
    });
    expect(picture.message).toMatch(
      /^Outcome unknown\. The connection broke\..*may have been started.*will not be sent again.*operator/,
    );
  });

  test('that is unknown names the upstream job, where one is known', () => {
    const picture = present({ operation: ended('unknown', { reference: { id: 'exp_7' } }) });
    expect(picture).toMatchObject({ structured: { reference: 'exp_7' } });
    expect(picture.message).toContain('exp_7');
    expect(picture.message).toContain('may still be running or may have finished');
  });

  test('that is unknown although the upstream told of an end does not say that the job may still run', () => {
    const seen = { reference: { id: 'exp_7' }, seen: 'succeeded', effects: 'SETTLED', finding: 'succeeded' } as const;
    const { message } = present({ operation: ended('unknown', seen) });
    expect(message).toContain('The job was started (the service calls it exp_7), and has ended there.');
    expect(message).not.toContain('running');
  });

  test("that failed begins with the upstream's sentence, and carries it in the message", () => {
    const picture = present({
      operation: ended('failed', { endingMessage: 'quota exceeded for region r1' }),
      payload: json({ code: 8 }),
    });
    expect(picture).toMatchObject({ kind: 'result', isError: true, message: 'quota exceeded for region r1.' });
    expect(textOf(picture)).toBe('quota exceeded for region r1.\n{"code":8}');
  });

  test('that never reached the upstream is ours, and safe to call again', () => {
    const never = ended('failed', { mayExist: false, receipt: receipt('failed', { by: 'gateway', reason: 'Never sent.' }) });
    const { seen: _seen, ...unseen } = never;
    expect(present({ operation: unseen })).toEqual({
      kind: 'error',
      code: -32603,
      message: 'Never sent. Nothing was started. Calling again is safe.',
    });
  });

  test('without a value says that there is none', () => {
    expect(textOf(present({ operation: ended('succeeded') }))).toMatch(/finished without a result/);
  });

  test('by cancel says what may still be running', () => {
    const cancelled = ended('cancelled', { effects: 'REQUIRED', receipt: receipt('cancelled', { by: 'caller' }) });
    expect(present({ operation: cancelled })).toMatchObject({
      kind: 'cancelled',
      message: expect.stringMatching(/may still be running/),
    });
  });

  test('by cancel says that a job which finished all the same was not used', () => {
    const cancelled = ended('cancelled', {
      effects: 'SETTLED',
      finding: 'succeeded',
      receipt: receipt('cancelled', { by: 'caller' }),
    });
    expect(present({ operation: cancelled }).message).toBe(
      'Cancelled. The job succeeded at the service all the same; what it gave was not used.',
    );
  });

  test('keeps a very long sentence short in the message and whole in the content', () => {
    const long = 'x'.repeat(5000);
    const picture = present({ operation: ended('failed', { endingMessage: long }) });
    expect(picture.message?.length).toBe(2000);
    expect(textOf(picture)).toContain(long);
  });
});

describe('a payload', () => {
  const answered = (payload: Payload, tool = call('get_order')) =>
    presentAnswer(tool, { kind: 'answered', status: 200, payload });

  test('of JSON is shown with every digit it came with', () => {
    const body = '{"id":12345678901234567890,"price":1.10}';
    const picture = answered(
      { mediaType: 'application/json', encoding: 'text', body },
      call('get_order', { outputSchema: {} }),
    );
    expect(textOf(picture)).toBe(body);
    expect(stringifyJson(picture.structured as JsonObject)).toBe(body);
  });

  test('is structured where it is an object', () => {
    expect(answered(json({ total: 5 }), call('get_order', needsTotal)).structured).toEqual({ total: 5 });
    expect(answered(json({ total: 5 })).structured).toEqual({ total: 5 });
    expect(answered(json([5])).structured).toBeUndefined();
  });

  test('that nothing was promised of is given as it is, and what does not fit is told aside', () => {
    const misfit = () => "the answer must have required property 'total'";
    const picture = answered(json({ id: '1' }), { ...call('get_order'), misfit });
    expect(picture).toMatchObject({ isError: false, structured: { id: '1' }, misfit: misfit() });
    expect(textOf(picture)).toBe('{"id":"1"}');
  });

  test('that is cut is not structured, where nothing was promised', () => {
    const picture = presentAnswer(
      call('get_order'),
      { kind: 'answered', status: 200, payload: json({ a: 'x'.repeat(100) }) },
      50,
    );
    expect(picture.structured).toBeUndefined();
    expect(textOf(picture)).toContain('[Cut here: the whole is 108 bytes, and its first 50 bytes are shown.]');
  });

  test('that misses the published schema is shown as it came, is not structured, and is not to be repeated', () => {
    const picture = answered(json({ id: '1' }), call('get_order', needsTotal));
    expect(picture).toMatchObject({ isError: true });
    expect(picture.structured).toBeUndefined();
    expect(textOf(picture)).toMatch(/carried out \(HTTP 200\).*\n\{"id":"1"\}\n.*does not match the schema.*'total'/);
  });

  test('of a job that misses its schema is still a success, with a note', () => {
    const picture = present({ operation: ended('succeeded'), payload: json({ id: '1' }), tool: call('get_order', needsTotal) });
    expect(picture).toMatchObject({ isError: false });
    expect(textOf(picture)).toContain('does not match the schema');
  });

  test.each([
    ['image/png', { type: 'image', data: 'AAAA', mimeType: 'image/png' }],
    ['audio/wav', { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }],
    [
      'application/pdf',
      { type: 'resource', resource: { uri: 'longshore://tools/get_order/answer', mimeType: 'application/pdf', blob: 'AAAA' } },
    ],
  ])('of %s is a block of its kind', (mediaType, block) => {
    expect(answered({ mediaType, encoding: 'base64', body: 'AAAA' }).content).toEqual([block]);
  });

  test('that is too large is cut, and says by how much', () => {
    const body = 'é'.repeat(SHOWN_BYTES_MAX);
    const shown = textOf(answered({ mediaType: 'text/plain', encoding: 'text', body }));
    expect(shown.length).toBeLessThan(40_000);
    expect(shown).toContain(`the whole is ${2 * SHOWN_BYTES_MAX} bytes`);
    const binary = answered({ mediaType: 'image/png', encoding: 'base64', body: 'A'.repeat(2 * SHOWN_BYTES_MAX) });
    expect(textOf(binary)).toMatch(/bytes of image\/png, which is too large/);
  });
});

describe('a synchronous failure', () => {
  test('names the status, the reason and the body, and is not structured', () => {
    const failed: Answer = { kind: 'failed', status: 409, message: 'order is locked', payload: json({ code: 'LOCKED' }) };
    const picture = presentAnswer(call('get_order', needsTotal), failed);
    expect(picture).toMatchObject({ isError: true });
    expect(picture.structured).toBeUndefined();
    expect(textOf(picture)).toBe('HTTP 409: order is locked\n{"code":"LOCKED"}');
  });
});

describe('a caller without Tasks', () => {
  const shown = (subject: Parameters<typeof present>[0]) => asResult(subject, present(subject), NAMES);

  test('is told that nothing is finished, what not to do, and how to go on', () => {
    const picture = shown({ operation: operation({ progress: { fraction: 0.4 } }) });
    expect(picture).toMatchObject({ isError: false, structured: { outcome: 'pending', operation: 'op_1', doNotRepeat: true } });
    expect(textOf(picture)).toMatch(/^Not finished\..*op_1.*40 %.*Do not call create_export again.*wait_for_operation/);
  });

  test('is told of a cancel, and of what we never started, by an error result', () => {
    expect(shown({ operation: ended('cancelled') })).toMatchObject({
      isError: true,
      message: expect.stringMatching(/cancel/i),
    });
  });
});
