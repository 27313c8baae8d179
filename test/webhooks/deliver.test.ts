// Deliveries inside the engine, on virtual time: what they move, what they can't, and what a kill in between leaves.

import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { http202 } from '../../adapters/http-202/adapter.ts';
import { webhook } from '../../adapters/webhook/adapter.ts';
import { adapterName } from '../../src/core/adapter.ts';
import type { Descriptor } from '../../src/core/descriptor.ts';
import { silentLog } from '../../src/core/log.ts';
import { noMetrics } from '../../src/core/metrics.ts';
import type { Catalogue, JobTool } from '../../src/core/tool.ts';
import type { WebhookRules } from '../../src/core/webhook.ts';
import { createEngine } from '../../src/engine/create-engine.ts';
import type { Inbox } from '../../src/ledger/inbox.ts';
import { openSqliteLedger } from '../../src/ledger/sqlite.ts';
import { jobTool, ORIGIN, type Script, type Scripted, ScriptedUpstream, TIMING } from '../engine/kit.ts';
import { seededRandom, settle, VirtualClock } from '../support/virtual-clock.ts';

const EVENT = { job: '/job', status: '/status', result: '/result', resultUrl: '/url', time: '/at' };
const RULES: Omit<WebhookRules, 'role'> = { inject: { body: '/callback' }, verify: { scheme: 'github' }, event: EVENT };
const HOUR_MS = 3_600_000;

/** A tool that can be polled, seldom, and is called back. */
function hinted(): JobTool {
  const tool = jobTool();
  const pace = { intervalMs: 60_000, intervalMinMs: 250, intervalMaxMs: 300_000, ageShare: 0 };
  return { ...tool, descriptor: { ...tool.descriptor, pace, webhook: { ...RULES, role: 'hint' } } };
}

/** A tool that is only called back. */
function calledBack(more: Partial<Omit<WebhookRules, 'role'>> = {}): JobTool {
  const rules = { ...RULES, ...more };
  const tool = jobTool({}, { reconcileWindowMs: 60_000 });
  const source = {
    method: 'POST',
    path: '/jobs',
    pointer: '/p',
    object: {},
    request: tool.descriptor.submit,
    related: () => undefined,
  };
  const compiled = webhook.compile(source, { webhook: rules, state: { failed: ['failed', 'broken'] } }, [ORIGIN]);
  if ('refused' in compiled) throw new Error(compiled.reason);
  const descriptor: Descriptor = {
    ...tool.descriptor,
    adapter: adapterName(webhook),
    traits: { ...tool.descriptor.traits, ...compiled.traits, timing: { ...TIMING, waitBudgetMs: HOUR_MS } },
    protocol: compiled.protocol,
    webhook: { ...rules, role: 'only' },
  };
  return { ...tool, descriptor };
}

async function setting(tool: JobTool, scripts: Readonly<Record<string, Script | readonly Scripted[]>>) {
  const clock = new VirtualClock();
  const upstream = new ScriptedUpstream(clock, scripts);
  const ledger = await openSqliteLedger({ path: ':memory:', clock });
  const settledAs: string[] = [];
  const catalogue: Catalogue = { tools: new Map([[tool.name, tool]]), leftOut: [], services: new Map(), warnings: [] };
  const make = (inbox: Inbox = ledger) =>
    createEngine({
      ledger,
      blobs: ledger.blobs,
      adapters: new Map([http202, webhook].map((adapter) => [adapterName(adapter), adapter])),
      catalogue,
      transport: upstream,
      budget: { places: () => 100, available: () => 100, availableInAll: () => 100, take: () => () => undefined },
      gates: {
        store: ledger,
        contracts: ['2025-11-25', '2026-07-28'],
        configured: [],
        mistrusted: [],
        tripAfter: 4,
        tripWithinMs: HOUR_MS,
      },
      webhooks: {
        inbox,
        callbackUrl: (name, token) => `https://gateway.test/webhooks/${name}/${token}`,
        secretFor: (name) => `the secret of ${name}`,
      },
      metrics: { ...noMetrics, settled: ({ upstream, outcome }) => settledAs.push(`${upstream} ${outcome}`) },
      clock,
      random: seededRandom(1),
      log: silentLog,
      settings: {
        startGraceMs: 500,
        retentionMs: HOUR_MS,
        operationsPerPrincipalMax: 1_000,
        inlinePayloadBytesMax: 1_024,
        workLeaseMs: 30_000,
        sweepEveryMs: 60_000,
      },
    });
  let engine = make();
  await engine.run();
  onTestFinished(async () => {
    const drained = engine.drain(0);
    await clock.advance(1);
    await drained;
    await ledger.close();
  });
  const sent = (index = 0) => JSON.parse(String(upstream.requests[index]?.body)) as { callback: string; name: string };
  let events = 0;
  return {
    clock,
    upstream,
    ledger,
    settledAs,
    async begin() {
      const call = { tool, arguments: { body: { name: 'x' } }, principal: 'local' };
      const ruling = await engine.gates?.judge(call, ['2026-07-28']);
      const started = engine.start({ ...call, door: '2026-07-28', ...(ruling && { ruling }) });
      await clock.advance(500);
      const answer = await started;
      if (answer.kind !== 'operation') throw new Error(answer.kind);
      return answer.view.operation;
    },
    sent,
    drained: () => (engine.gates?.current() ?? []).filter(({ mode }) => mode === 'drain'),
    row: async (id: string) => {
      const found = await ledger.get(id);
      if (found === undefined) throw new Error(`there is no ${id}`);
      return found;
    },
    /** Delivers an event to the n-th operation's URL, as the receiver does, and lets it be taken. */
    async deliver(event: object, { id = `event-${++events}`, to = 0, amongOthers = false } = {}) {
      const token = sent(to).callback.split('/').at(-1) ?? '';
      const delivery = {
        eventId: id,
        mediaType: 'application/json',
        body: JSON.stringify(event),
        receivedAt: clock.now(),
      } as const;
      const stored = await engine.callbacks?.receive(tool.upstream, token, [
        { eventKey: `${token}/${id}`, delivery: amongOthers ? { ...delivery, amongOthers } : delivery },
      ]);
      await settle(60);
      return stored;
    },
    /** Another engine takes the ledger over; the one before is left where it is. */
    async takeOver(inbox?: Inbox) {
      engine = make(inbox);
      await engine.run();
      await settle(60);
    },
  };
}

const ACCEPTED: readonly Scripted[] = [{ status: 202, json: { id: 'job-7' } }];
const running = { status: 200, json: { status: 'running' } };
const done = { status: 200, json: { status: 'succeeded', result: { n: 1 } } };
const succeeded = { job: 'job-7', status: 'succeeded', result: { n: 999 } };

describe('a delivery where polls decide', () => {
  test('makes the next poll due now, and nothing that it says is believed', async () => {
    const it = await setting(hinted(), { 'POST /jobs': ACCEPTED, 'GET /jobs/job-7': [running, done] });
    const { id } = await it.begin();
    expect(it.sent()).toEqual({
      name: 'x',
      callback: expect.stringMatching(/^https:\/\/gateway\.test\/webhooks\/reports\/cb_[0-9a-z]{26}$/),
    });
    await it.clock.advance(5_000);
    expect(it.upstream.count('GET /jobs/job-7')).toBe(0);
    await it.deliver(succeeded);
    expect(it.upstream.count('GET /jobs/job-7')).toBe(1);
    expect(await it.row(id)).toMatchObject({ life: 'WORKING' });
    await it.clock.advance(1_000);
    await it.deliver({ ...succeeded, status: 'failed' });
    expect(await it.row(id)).toMatchObject({ life: 'ACCEPTED', receipt: { outcome: 'succeeded' } });
    const held = (await it.row(id)).held;
    expect(held).toMatchObject({ inline: { body: '{"n":1}' } });
  });

  test('that is lost costs only time', async () => {
    const it = await setting(hinted(), { 'POST /jobs': ACCEPTED, 'GET /jobs/job-7': [done] });
    const { id } = await it.begin();
    await it.clock.advance(80_000);
    expect(await it.row(id)).toMatchObject({ receipt: { outcome: 'succeeded' } });
  });

  test('a hundred times over is not a hundred polls', async () => {
    const it = await setting(hinted(), { 'POST /jobs': ACCEPTED, 'GET /jobs/job-7': [running] });
    await it.begin();
    for (let n = 0; n < 100; n++) await it.deliver({ job: 'job-7', n });
    await it.clock.advance(1_000);
    expect(it.upstream.count('GET /jobs/job-7')).toBeLessThanOrEqual(6);
  });

  test('before the answer to the submit begins the polls at once', async () => {
    const it = await setting(hinted(), { 'POST /jobs': async () => ({ hang: true }), 'GET /jobs/job-7': [done] });
    const { id } = await it.begin();
    expect(await it.row(id)).toMatchObject({ life: 'SUBMITTING' });
    await it.deliver({ job: 'job-7' });
    expect(await it.row(id)).toMatchObject({ life: 'ACCEPTED', reference: { id: 'job-7' } });
  });

  test.each([
    ['can be polled', hinted],
    ['only calls back', calledBack],
  ])('before the answer, among those of other jobs, waits for it where the service %s', async (_how, tool) => {
    const answer = Promise.withResolvers<Scripted>();
    const it = await setting(tool(), { 'POST /jobs': () => answer.promise, 'GET /jobs/job-7': [done] });
    const { id } = await it.begin();
    await it.deliver({ job: 'job-8', status: 'failed' }, { amongOthers: true });
    await it.deliver({ job: 'job-7', status: 'succeeded', result: 7 }, { amongOthers: true });
    expect(await it.row(id)).toMatchObject({ life: 'SUBMITTING' });
    expect((await it.row(id)).reference).toBeUndefined();
    answer.resolve({ status: 202, json: { id: 'job-7' } });
    await it.clock.advance(500);
    expect(await it.row(id)).toMatchObject({ reference: { id: 'job-7' }, receipt: { outcome: 'succeeded' } });
    expect(it.settledAs.filter((as) => as.endsWith(' stranger'))).toHaveLength(1);
    expect(it.upstream.count('GET /jobs/job-8')).toBe(0);
  });

  test('among those of other jobs settles nothing where the answer stays away', async () => {
    const it = await setting(calledBack(), { 'POST /jobs': [{ fails: 'reset', mayHaveBeenSent: true }] });
    const { id } = await it.begin();
    await it.deliver({ job: 'job-8', status: 'succeeded', result: 8 }, { amongOthers: true });
    await it.deliver({ job: 'job-7', status: 'succeeded', result: 7 }, { amongOthers: true });
    await it.clock.advance(HOUR_MS);
    expect(await it.row(id)).toMatchObject({ receipt: { outcome: 'unknown' } });
    expect(it.settledAs.every((as) => as.endsWith(' stranger'))).toBe(true);
  });

  test('before the answer that names no job waits for it', async () => {
    const answer = Promise.withResolvers<Scripted>();
    const it = await setting(hinted(), { 'POST /jobs': () => answer.promise, 'GET /jobs/job-7': [done] });
    const { id } = await it.begin();
    await it.deliver({ hello: 'world' });
    expect(await it.row(id)).toMatchObject({ life: 'SUBMITTING' });
    answer.resolve({ status: 202, json: { id: 'job-7' } });
    await it.clock.advance(500);
    expect(await it.row(id)).toMatchObject({ receipt: { outcome: 'succeeded' } });
  });

  test('whatever is delivered, in whatever order and how often, the end is what the polls said', async () => {
    const event = fc.record({
      job: fc.constantFrom('job-7', 'job-8', undefined),
      status: fc.constantFrom('succeeded', 'failed', 'cancelled', 'running', 7, undefined),
      at: fc.constantFrom('2026-01-01T00:00:01Z', '2026-01-01T00:00:09Z', 'never', undefined),
      result: fc.jsonValue(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(event, fc.nat(4)), { maxLength: 12 }), async (events) => {
        const it = await setting(hinted(), { 'POST /jobs': ACCEPTED, 'GET /jobs/job-7': [running, running, done] });
        const { id } = await it.begin();
        for (const [one, name] of events) await it.deliver(one, { id: `event-${name}` });
        await it.clock.advance(900_000);
        expect(await it.row(id)).toMatchObject({
          receipt: { outcome: 'succeeded', by: 'upstream' },
          held: { inline: { body: '{"n":1}' } },
        });
        expect(it.upstream.count('POST /jobs')).toBe(1);
        expect(await it.ledger.nextDeliveryAt()).toBeUndefined();
      }),
      { numRuns: 15 },
    );
  });
});

describe('a delivery that is the evidence', () => {
  test('ends the operation with what it brings, and its id is in the receipt', async () => {
    const it = await setting(calledBack(), { 'POST /jobs': ACCEPTED });
    const { id } = await it.begin();
    await it.deliver({ job: 'job-7', status: 'running' });
    expect(await it.row(id)).toMatchObject({ life: 'WORKING' });
    await it.deliver(succeeded, { id: 'msg_1' });
    expect(await it.row(id)).toMatchObject({
      life: 'ACCEPTED',
      receipt: { outcome: 'succeeded', evidence: ['webhook:msg_1'] },
      held: { inline: { body: '{"n":999}' } },
    });
  });

  test('that outran the answer is taken at once, and the answer changes nothing', async () => {
    const answer = Promise.withResolvers<Scripted>();
    const it = await setting(calledBack(), { 'POST /jobs': () => answer.promise });
    const { id } = await it.begin();
    await it.deliver(succeeded);
    expect(await it.row(id)).toMatchObject({ receipt: { outcome: 'succeeded' } });
    answer.resolve({ status: 202, json: { id: 'job-7' } });
    await settle(60);
    expect(await it.row(id)).toMatchObject({ life: 'ACCEPTED', effects: 'NONE' });
  });

  test('that only names where the result is has it read from there', async () => {
    const it = await setting(calledBack(), { 'POST /jobs': ACCEPTED, 'GET /files/7': [{ status: 200, json: { big: true } }] });
    const { id } = await it.begin();
    await it.deliver({ job: 'job-7', status: 'succeeded', url: '/files/7' });
    await it.clock.advance(100);
    expect(await it.row(id)).toMatchObject({ receipt: { outcome: 'succeeded' }, held: { inline: { body: '{"big":true}' } } });
  });

  test('that happened before one that counted is late; an ending never is', async () => {
    const it = await setting(calledBack(), { 'POST /jobs': ACCEPTED });
    const { id } = await it.begin();
    await it.deliver({ job: 'job-7', status: 'RENDERING PASS 2', at: '2026-01-01T00:00:09Z' });
    await it.deliver({ job: 'job-7', status: 'RENDERING PASS 1', at: '2026-01-01T00:00:05Z' });
    expect(await it.row(id)).toMatchObject({ unknownWord: 'RENDERING PASS 2' });
    await it.deliver({ ...succeeded, at: '2026-01-01T00:00:01Z' });
    expect(await it.row(id)).toMatchObject({ receipt: { outcome: 'succeeded' } });
  });

  test('is put in order by a number that grows, where it has no time', async () => {
    const it = await setting(calledBack(), { 'POST /jobs': ACCEPTED });
    const { id } = await it.begin();
    for (const [at, status] of [
      [7, 'RENDERING PASS 2'],
      [3, 'RENDERING PASS 1'],
      [12, 'RENDERING PASS 3'],
      [8, 'RENDERING PASS 2'],
    ] as const) {
      await it.deliver({ job: 'job-7', status, at });
    }
    expect(await it.row(id)).toMatchObject({ life: 'WORKING', unknownWord: 'RENDERING PASS 3' });
    expect(it.settledAs).toEqual(['reports applied', 'reports late', 'reports applied', 'reports late']);
  });

  test('that says what the last one said leaves nothing, under whatever id it comes', async () => {
    const it = await setting(calledBack(), { 'POST /jobs': ACCEPTED });
    const { id } = await it.begin();
    await it.deliver({ job: 'job-7', status: 'RENDERING PASS 1' });
    const before = await it.row(id);
    for (let emission = 0; emission < 20; emission++) await it.deliver({ job: 'job-7', status: 'RENDERING PASS 1', emission });
    expect(await it.row(id)).toEqual(before);
    expect(await it.ledger.history(id)).toHaveLength(before.seq);
    expect(it.settledAs.splice(0, 21)).toEqual(['reports applied', ...Array.from({ length: 20 }, () => 'reports duplicate')]);
    for (let emission = 0; emission < 3; emission++) await it.deliver({ ...succeeded, emission });
    expect(await it.row(id)).toMatchObject({ receipt: { outcome: 'succeeded', evidence: ['webhook:event-22'] } });
    expect(it.settledAs).toEqual(['reports applied', 'reports late', 'reports late']);
  });

  test('with another name for the job than the answer gave counts by its URL alone, where no place of a name is described', async () => {
    const { job: _job, ...event } = EVENT;
    const it = await setting(calledBack({ event }), { 'POST /jobs': ACCEPTED });
    const { id } = await it.begin();
    await it.deliver({ ...succeeded, job: 'request-99' });
    expect(await it.row(id)).toMatchObject({ receipt: { outcome: 'succeeded' }, reference: { id: 'job-7' } });
  });

  test('is promised by a secret that goes out with the URL, where its sender repeats one', async () => {
    const it = await setting(calledBack({ inject: { body: '/callback', secret: '/state' } }), { 'POST /jobs': ACCEPTED });
    const { id } = await it.begin();
    expect(it.sent()).toEqual({ name: 'x', callback: expect.any(String), state: 'the secret of reports' });
    expect(JSON.stringify([await it.row(id), await it.ledger.history(id)])).not.toContain('the secret of');
  });

  test('about another job, or after the end, changes nothing at all', async () => {
    const it = await setting(calledBack(), { 'POST /jobs': ACCEPTED });
    const { id } = await it.begin();
    const before = await it.row(id);
    await it.deliver({ ...succeeded, job: 'job-8' });
    await it.deliver({ job: 'job-7' });
    expect((await it.row(id)).seq).toBe(before.seq + (before.life === 'WORKING' ? 0 : 1));
    await it.deliver({ job: 'job-7', status: 'broken', message: 'no disk' });
    const after = await it.row(id);
    expect(after).toMatchObject({ receipt: { outcome: 'failed', reason: 'no disk' } });
    for (const status of ['running', 'succeeded', 'failed']) await it.deliver({ job: 'job-7', status });
    expect(await it.row(id)).toEqual(after);
  });

  test('that can not be read, again and again, closes the gates of its tool; one that can begins the count anew', async () => {
    const it = await setting(calledBack(), {
      'POST /jobs': (_request, count) => ({ status: 202, json: { id: `job-${count}` } }),
    });
    for (let count = 0; count < 4; count += 1) await it.begin();
    for (const to of [0, 1, 2]) await it.deliver({ job: `job-${to + 1}`, state: 'of another version' }, { to });
    await it.deliver({ job: 'job-1', status: 'going on' }, { to: 0 });
    expect(it.drained()).toEqual([]);
    for (const to of [0, 1, 2, 3]) await it.deliver({ job: `job-${to + 1}`, state: 'of another version' }, { to });
    expect(it.drained().map(({ contract, tool }) => [contract, tool])).toEqual(
      expect.arrayContaining([['2026-07-28', 'start_job']]),
    );
    expect(it.drained()[0]?.reason).toContain('the event says no status');
  });

  test('that never comes leaves an honest unknown', async () => {
    const it = await setting(calledBack(), { 'POST /jobs': ACCEPTED });
    const { id } = await it.begin();
    await it.clock.advance(HOUR_MS + 120_000);
    expect(await it.row(id)).toMatchObject({ receipt: { outcome: 'unknown' }, effects: 'REQUIRED' });
    await it.deliver(succeeded);
    expect(await it.row(id)).toMatchObject({ receipt: { outcome: 'unknown' }, effects: 'SETTLED', finding: 'succeeded' });
  });

  test('settles a submit whose answer was lost', async () => {
    const it = await setting(calledBack(), { 'POST /jobs': [{ fails: 'reset', mayHaveBeenSent: true }] });
    const { id } = await it.begin();
    expect(await it.row(id)).toMatchObject({ life: 'SUBMISSION_UNKNOWN' });
    await it.deliver(succeeded);
    expect(await it.row(id)).toMatchObject({ receipt: { outcome: 'succeeded' }, reference: { id: 'job-7' } });
    expect(it.upstream.count('POST /jobs')).toBe(1);
  });
});

describe('a kill', () => {
  test.each(['findByCallbackToken', 'newestEventAt', 'settleDelivery'] as const)(
    'at %s loses no event and counts none twice',
    async (where) => {
      const it = await setting(calledBack(), { 'POST /jobs': ACCEPTED });
      const { id } = await it.begin();
      // Hangs there for ever, as one that was killed there would.
      const dead = new Proxy(it.ledger, {
        get: (target, name) => (name === where ? () => new Promise(() => undefined) : Reflect.get(target, name, target)),
      });
      await it.takeOver(dead);
      await it.deliver({ job: 'job-7', status: 'RENDERING PASS 1', at: 1 }, { id: 'first' });
      await it.deliver(succeeded, { id: 'second' });
      await it.ledger.ping();
      await it.takeOver();
      await it.clock.advance(1_000);
      expect(await it.row(id)).toMatchObject({ receipt: { outcome: 'succeeded', evidence: ['webhook:second'] } });
      const history = await it.ledger.history(id);
      expect(history.map(({ event }) => event.evidenceId).filter((one) => one?.startsWith('webhook:'))).toEqual([
        'webhook:first',
        'webhook:second',
      ]);
      expect(await it.ledger.nextDeliveryAt()).toBeUndefined();
    },
  );
});
