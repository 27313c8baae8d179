// Jobs that are created first, and then given their data and the word to begin: on the real engine and virtual time.

import { describe, expect, test } from 'vitest';
import type { JobDescription } from '../../src/core/description.ts';
import { ANSWERS, DESCRIPTION, type House, houses, jobTool, type Script, type Scripted, TIMING } from './kit.ts';

const inHouse = houses();
const { lost, running, done } = ANSWERS;
const UPLOAD = 'PUT /jobs/7/data';
const BEGIN = 'PATCH /jobs/7';
const START = 'POST /jobs/7/start';
/** When, counted from a send, a look that still shows the job waiting proves that it was not taken. */
const HORIZON_MS = TIMING.submitLeaseMs + TIMING.submitTimeoutMs + TIMING.consistencyGraceMs;

const STATE = { ...DESCRIPTION.state, at: '/status' };
/** Created open, given its data, then closed. */
const BULK: JobDescription = {
  ...DESCRIPTION,
  state: STATE,
  submit: {
    steps: [
      { when: ['open'], method: 'PUT', url: '{statusUrl}/data', argument: 'body', mediaType: 'application/json' },
      { when: ['open'], method: 'PATCH', url: '{statusUrl}', body: { state: 'UploadComplete' } },
    ],
  },
};
/** Created, then started by a POST that makes two runs of two. */
const STARTED: JobDescription = {
  ...DESCRIPTION,
  state: STATE,
  submit: { steps: [{ when: ['created'], method: 'POST', url: '{statusUrl}/start' }] },
};

/** A service that keeps what it was told, and answers as it is scripted to. */
function bulk(waiting: string, overrides: Readonly<Record<string, (count: number) => Scripted | undefined>> = {}) {
  const told = { data: 0, starts: 0, runsFor: 0 };
  const on =
    (route: string, does: () => void): Script =>
    (_request, count) => {
      const scripted = overrides[route]?.(count);
      // What is lost was received; what is refused or unreachable was not.
      if (scripted === undefined || ('fails' in scripted && scripted.mayHaveBeenSent)) does();
      return scripted ?? { status: 200, json: {} };
    };
  const scripts: Readonly<Record<string, Script>> = {
    'POST /jobs': () => ({ status: 201, json: { id: '7', status: waiting } }),
    'GET /jobs/7': () => {
      if (told.starts === 0) return { status: 200, json: { status: waiting } };
      told.runsFor += 1;
      return told.runsFor > 1 ? done : running;
    },
    [UPLOAD]: on(UPLOAD, () => {
      told.data += 1;
    }),
    [BEGIN]: on(BEGIN, () => {
      told.starts += 1;
    }),
    [START]: on(START, () => {
      told.starts += 1;
    }),
    'POST /jobs/7/cancel': () => ({ status: 202, json: {} }),
  };
  return { told, scripts };
}

const ended = (home: House, id: string) => home.clock.advanceUntil(async () => (await home.outcome(id)) !== undefined);
const writes = ({ upstream }: House) => upstream.requests.map(({ method }) => method).filter((method) => method !== 'GET');

describe('a job of several steps', () => {
  test('is created, then given its data, then begun, each once and in this order', async () => {
    const { told, scripts } = bulk('open');
    const home = await inHouse(scripts, { tool: jobTool(BULK) });
    const id = await home.begun({ rows: [1, 2] });
    await ended(home, id);
    expect(await home.outcome(id)).toBe('succeeded');
    expect(writes(home)).toEqual(['POST', 'PUT', 'PATCH']);
    expect(told).toMatchObject({ data: 1, starts: 1 });
    const [, upload, begin] = home.upstream.requests.filter(({ method }) => method !== 'GET');
    expect(upload).toMatchObject({ url: expect.stringMatching(/\/jobs\/7\/data$/), body: '{"rows":[1,2]}' });
    expect(begin?.body).toBe('{"state":"UploadComplete"}');
  });

  test('has its reference on record before its first step leaves', async () => {
    const { scripts } = bulk('open');
    let known: unknown;
    const home: House = await inHouse(
      {
        ...scripts,
        [UPLOAD]: async () => {
          const { items } = await home.ledger.list({}, { limit: 1 });
          known = items[0]?.reference?.id;
          return { status: 200 };
        },
      },
      { tool: jobTool(BULK) },
    );
    await ended(home, await home.begun());
    expect(known).toBe('7');
  });

  const points = Array.from({ length: 20 }, (_, index) => index + 1).flatMap((write) => [
    [write, 'before'] as const,
    [write, 'after'] as const,
  ]);

  test.each(points)(
    'killed at write %i, %s it is durable, is one job that runs once and is followed to its end',
    async (write, when) => {
      for (const [waiting, description] of [
        ['open', BULK],
        ['created', STARTED],
      ] as const) {
        const { told, scripts } = bulk(waiting);
        const home = await inHouse(scripts, {
          tool: jobTool(description),
          dies: (count) => (count === write ? when : undefined),
        });
        void home.start();
        for (let steps = 0; home.alive() && steps < 30; steps++) await home.clock.advance(1_000);
        await home.crash();
        await home.clock.advance(180_000);

        const { items } = await home.ledger.list({}, { limit: 10 });
        expect(items.length).toBeLessThanOrEqual(1);
        expect(home.upstream.count('POST /jobs')).toBeLessThanOrEqual(1);
        for (const { receipt, reference } of items) {
          // Without a reference the kill hit while the submit was on the wire.
          expect(receipt?.outcome).toBe(reference === undefined ? 'unknown' : 'succeeded');
          if (description === STARTED || reference === undefined) expect(told.starts).toBe(reference === undefined ? 0 : 1);
          else
            expect(told).toMatchObject({
              data: expect.toSatisfy((times: number) => times > 0),
              starts: expect.toSatisfy((times: number) => times > 0),
            });
        }
      }
    },
  );
});

describe('a step whose answer is lost', () => {
  test('is sent again at once where that does no more, and the job goes on', async () => {
    const { told, scripts } = bulk('open', { [UPLOAD]: (count) => (count === 1 ? lost : undefined) });
    const home = await inHouse(scripts, { tool: jobTool(BULK) });
    const id = await home.begun();
    await ended(home, id);
    expect(await home.outcome(id)).toBe('succeeded');
    expect(told).toMatchObject({ data: 2, starts: 1 });
    expect(home.clock.monotonic()).toBeLessThan(HORIZON_MS);
  });

  test('is not sent again where a look shows that it was taken', async () => {
    const { told, scripts } = bulk('created', { [START]: (count) => (count === 1 ? lost : undefined) });
    const home = await inHouse(scripts, { tool: jobTool(STARTED) });
    const id = await home.begun();
    await ended(home, id);
    expect(await home.outcome(id)).toBe('succeeded');
    expect(told.starts).toBe(1);
    expect(home.upstream.count(START)).toBe(1);
  });

  test('and may not be repeated is sent again only on a look after the horizon that still shows it waiting', async () => {
    const { told, scripts } = bulk('created', {
      [START]: (count) => (count === 1 ? { status: 503, json: { error: 'try later' } } : undefined),
    });
    const home = await inHouse(scripts, { tool: jobTool(STARTED) });
    const id = await home.begun();
    await home.clock.advance(HORIZON_MS - 1_000);
    expect(home.upstream.count(START)).toBe(1);
    await ended(home, id);
    expect(await home.outcome(id)).toBe('succeeded');
    expect(told.starts).toBe(1);
    expect(home.upstream.count(START)).toBe(2);
  });

  test('that never left is sent again soon', async () => {
    const unreachable: Scripted = { fails: 'unreachable', mayHaveBeenSent: false };
    const { told, scripts } = bulk('created', { [START]: (count) => (count === 1 ? unreachable : undefined) });
    const home = await inHouse(scripts, { tool: jobTool(STARTED) });
    const id = await home.begun();
    await ended(home, id);
    expect(told.starts).toBe(1);
    expect(home.clock.monotonic()).toBeLessThan(HORIZON_MS);
  });
});

describe('a step that is refused', () => {
  test('ends the operation as failed, in the words of the service, and nothing more is sent', async () => {
    const { told, scripts } = bulk('open', { [UPLOAD]: () => ({ status: 400, json: { message: 'line 3 has no id' } }) });
    const home = await inHouse(scripts, { tool: jobTool(BULK) });
    const id = await home.begun();
    await ended(home, id);
    expect(await home.ledger.get(id)).toMatchObject({
      receipt: { outcome: 'failed' },
      endingMessage: 'the job was created, but could not go on: line 3 has no id',
    });
    expect(told.starts).toBe(0);
    expect(home.upstream.count(UPLOAD)).toBe(1);
  });

  test('as a conflict is looked at first: what runs already has not failed', async () => {
    const { told, scripts } = bulk('created', {
      [START]: () => {
        told.starts = 1;
        return { status: 409, json: { message: 'already started' } };
      },
    });
    const home = await inHouse(scripts, { tool: jobTool(STARTED) });
    const id = await home.begun();
    await ended(home, id);
    expect(await home.outcome(id)).toBe('succeeded');
  });

  test('as a conflict again, after the horizon, is a refusal', async () => {
    const { scripts } = bulk('created', { [START]: () => ({ status: 409, json: { message: 'the account is locked' } }) });
    const home = await inHouse(scripts, { tool: jobTool(STARTED) });
    const id = await home.begun();
    await ended(home, id);
    expect(await home.ledger.get(id)).toMatchObject({
      receipt: { outcome: 'failed' },
      endingMessage: expect.stringContaining('the account is locked'),
    });
    expect(home.upstream.count(START)).toBe(2);
    expect(home.clock.monotonic()).toBeGreaterThan(HORIZON_MS);
  });
});

describe('a cancel', () => {
  test('before a step is sent means that it never is', async () => {
    const { told, scripts } = bulk('open', { [UPLOAD]: () => ({ status: 503 }) });
    const home = await inHouse(scripts, { tool: jobTool(BULK) });
    const id = await home.begun();
    await home.clock.advance(2_000);
    const before = home.upstream.count(UPLOAD);
    expect(before).toBeGreaterThan(0);
    await home.engine.cancel(id, 'local', { sticky: false });
    await home.clock.advance(30_000);
    expect(home.upstream.count(UPLOAD)).toBe(before);
    expect(home.upstream.count('POST /jobs/7/cancel')).toBe(1);
    expect(told.starts).toBe(0);
  });
});

describe('a job whose data may be left out', () => {
  const OPTIONAL: JobDescription = {
    ...BULK,
    submit: {
      steps: [
        { when: ['open'], method: 'PUT', url: '{statusUrl}/data', argument: 'rows', mediaType: 'text/csv', optional: true },
        { when: ['open'], method: 'PATCH', url: '{statusUrl}', body: { state: 'UploadComplete' } },
      ],
    },
  };

  test('is begun without it', async () => {
    const { told, scripts } = bulk('open');
    const home = await inHouse(scripts, { tool: jobTool(OPTIONAL) });
    const id = await home.begun();
    await ended(home, id);
    expect(await home.outcome(id)).toBe('succeeded');
    expect(told).toMatchObject({ data: 0, starts: 1 });
  });
});
