import { request as rawRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import { type JsonObject, parseJson } from '../../src/core/json.ts';
import type { Scripted } from '../engine/kit.ts';
import { ask, type Desk, desk, TOKEN } from './admin-kit.ts';

const lost: Scripted = { fails: 'reset', mayHaveBeenSent: true };
const accepted: Scripted = { status: 202, json: { id: '7', status: 'queued' } };
const running: Scripted = { status: 200, json: { status: 'running' } };
const done: Scripted = { status: 200, json: { status: 'succeeded', result: { n: 1 } } };
const word = { actor: 'ada', reason: 'seen in billing admin' };

/** A status by a raw request: fetch forbids some headers. */
function statusOf(origin: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = rawRequest(`${origin}/admin/v1/operations`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject).end();
  });
}

/** One operation that ended as unknown, one that succeeded, one that runs. */
async function three(): Promise<Desk & { readonly unknown: string; readonly succeeded: string; readonly live: string }> {
  const at = await desk({
    'POST /jobs': [lost, { ...accepted, json: { id: '8' } }, accepted],
    'GET /jobs/7': [running],
    'GET /jobs/8': [done],
  });
  const unknown = await at.home.begun({ name: 'a' });
  const succeeded = await at.home.begun({ name: 'b' });
  await at.home.clock.advanceUntil(async () => (await at.home.outcome(succeeded)) !== undefined);
  const live = await at.home.begun({ name: 'c' });
  return { ...at, unknown, succeeded, live };
}

describe('the admin API', () => {
  test('is not there where no token is configured', async () => {
    const { origin } = await desk({}, { token: undefined });
    const told = await ask(origin, '/operations');
    expect([told.status, told.type]).toEqual([404, 'application/json']);
  });

  test.each([
    ['no token', {}, 401],
    ['another token', { authorization: 'Bearer something-else-entirely' }, 401],
    ['the token as a user', { authorization: `Basic ${TOKEN}` }, 401],
    ['a part of the token', { authorization: `Bearer ${TOKEN.slice(0, -1)}` }, 401],
    ['the token', { authorization: `Bearer ${TOKEN}` }, 200],
    ['the token, for another host', { authorization: `Bearer ${TOKEN}`, host: 'evil.example' }, 403],
    ['the token, from a page of another site', { authorization: `Bearer ${TOKEN}`, origin: 'https://evil.example' }, 403],
    ['the token, from a page of this machine', { authorization: `Bearer ${TOKEN}`, origin: 'http://localhost:3000' }, 200],
    ['the token, for a host that is allowed', { authorization: `Bearer ${TOKEN}`, host: 'gate.internal:8080' }, 200],
  ])('answers %s with what is due', async (_what, headers: Record<string, string>, status) => {
    const { origin } = await desk({}, { server: { allowedHosts: ['gate.internal'] } });
    expect(await statusOf(origin, headers)).toBe(status);
  });

  test('refuses as a problem, lets no page read it, and keeps the token to itself', async () => {
    const { origin, logged } = await desk({});
    const told = await ask(origin, '/operations', { headers: { authorization: 'Bearer wrong-wrong-wrong-wrong' } });
    expect(told).toMatchObject({ status: 401, type: 'application/problem+json', body: { title: 'Unauthorized', status: 401 } });
    expect(told.headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(logged.join()).toContain('wrong token');
    expect(logged.join()).not.toMatch(/wrong-wrong|battery/);
    const allowed = await ask(origin, '/operations', { headers: { origin: 'http://localhost' } });
    for (const { headers } of [told, allowed]) {
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  test('says what it does not know, and never ignores it', async () => {
    const { origin } = await desk({});
    for (const [path, status, detail] of [
      ['/nothing', 404, /nothing at GET \/admin\/v1\/nothing/],
      ['/operations?sate=unknown', 400, /no parameter sate; there are state, upstream/],
      ['/operations?state=broken', 400, /no state broken; there are .*needs-reconciliation/],
      ['/operations?contract=2024', 400, /no contract 2024/],
      ['/operations?limit=0', 400, /from 1 to 500/],
      ['/operations?limit=501', 400, /from 1 to 500/],
      ['/operations?cursor=x', 400, /cursor/],
      ['/operations?tool=', 400, /not be empty/],
      ['/operations?tool=a&tool=b', 400, /given once/],
      ['/operations/op_nobody', 404, /no operation op_nobody/],
      ['/receipts/rc_nobody', 404, /no receipt rc_nobody/],
      ['/outbox?after=-1', 400, /position/],
    ] as const) {
      const told = await ask(origin, path);
      expect(told, path).toMatchObject({ status, type: 'application/problem+json', body: { status } });
      expect(told.body.detail, path).toMatch(detail);
    }
  });
});

describe('a list', () => {
  test.each([
    ['', ['live', 'succeeded', 'unknown']],
    ['?state=needs-reconciliation', ['unknown']],
    ['?state=unknown', ['unknown']],
    ['?state=effects', ['unknown']],
    ['?state=escalated', []],
    ['?state=live', ['live']],
    ['?state=working,succeeded', ['live', 'succeeded']],
    ['?state=ended&upstream=reports', ['succeeded', 'unknown']],
    ['?upstream=nobody', []],
    ['?tool=start_job&principal=local&contract=2026-07-28', ['live', 'succeeded', 'unknown']],
    ['?contract=none', []],
  ])('of %j shows those that fit, newest first', async (query, names) => {
    const { origin, ...ids } = await three();
    const { body } = await ask(origin, `/operations${query}`);
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual(names.map((name) => ids[name as 'live']));
  });

  test('goes on where it ended', async () => {
    const { origin, live, succeeded, unknown } = await three();
    const first = await ask(origin, '/operations?limit=2');
    const second = await ask(origin, `/operations?limit=2&cursor=${first.body.nextCursor}`);
    expect([first, second].map(({ body }) => body.items.map(({ id }: { id: string }) => id))).toEqual([
      [live, succeeded],
      [unknown],
    ]);
    expect(second.body.nextCursor).toBeUndefined();
  });

  test('says of each how it stands, since when, and whether it needs somebody', async () => {
    const { origin, unknown } = await three();
    const { body } = await ask(origin, '/operations?state=unknown');
    expect(body.items).toEqual([
      {
        id: unknown,
        tool: 'start_job',
        upstream: 'reports',
        principal: 'local',
        contract: '2026-07-28',
        state: 'unknown',
        since: '2026-01-01T00:00:00.000Z',
        life: 'ACCEPTED',
        cancellation: 'NONE',
        effects: 'REQUIRED',
        needsOperator: true,
        standing: expect.stringMatching(
          /^The answer to the submit was lost: POST \/jobs: reset\. What became of the job is not known\.$/,
        ),
        createdAt: '2026-01-01T00:00:00.000Z',
        updatedAt: '2026-01-01T00:00:00.000Z',
        endedAt: '2026-01-01T00:00:00.000Z',
      },
    ]);
  });
});

describe('one operation', () => {
  test('is shown with its whole history, evidence, receipt and due work', async () => {
    const { origin, unknown, succeeded } = await three();
    const { body } = await ask(origin, `/operations/${succeeded}`);
    expect(body).toMatchObject({
      state: 'succeeded',
      job: '8',
      arguments: { body: { name: 'b' } },
      result: { mediaType: 'application/json', body: '{"n":1}' },
      receipt: { outcome: 'succeeded', by: 'upstream', at: expect.stringMatching(/Z$/) },
      due: [],
    });
    expect(body.receipt.result.inline).toBeUndefined();
    expect(body.timeline.map(({ event }: { event: string }) => event)).toEqual([
      'created',
      'submit_started',
      'submit_accepted',
      'seen_ended',
      'accept',
    ]);
    expect(body.timeline[1]).toEqual({
      position: 2,
      at: '2026-01-01T00:00:00.500Z',
      event: 'submit_started',
      disposition: 'applied',
      detail: 'attempt 1 · POST http://reports.test/jobs',
    });
    expect(body.receipt.evidence).toEqual([body.timeline[3].evidence]);
    const doubt = (await ask(origin, `/operations/${unknown}`)).body;
    expect(doubt.due).toEqual([{ work: 'effects', at: expect.any(String) }]);
    expect(doubt.automatic).toBe(
      'Nothing automatic can settle it: the service can’t be asked by key, and does not deduplicate.',
    );
    expect(doubt.timeline.at(-1).detail).toMatch(/ended as unknown · receipt rc_/);
  });

  test('keeps the digits of its arguments, and shows no query of a URL', async () => {
    const { home, origin } = await desk({
      'POST /jobs': [{ status: 202, headers: { location: '/jobs/7?sig=secret' }, json: { id: '7' } }],
      'GET /jobs/7': [running],
    });
    const id = await home.begun(parseJson('{"amount":9007199254740993.10}') as JsonObject);
    const { text } = await ask(origin, `/operations/${id}`);
    expect(text).toContain('9007199254740993.10');
    expect(text).not.toContain('secret');
  });
});

describe('a verdict', () => {
  test('is recorded with actor and reason, and logged', async () => {
    const { origin, home, unknown } = await three();
    home.upstream.script({ 'GET /jobs/exp_8813': [done] });
    const told = await ask(origin, `/operations/${unknown}/settle`, {
      body: { ...word, verdict: { kind: 'found', job: 'exp_8813' } },
    });
    expect(told).toMatchObject({ status: 200, body: { operation: { job: 'exp_8813', effects: 'REQUIRED' } } });
    await home.clock.advance(10_000);
    const { body } = await ask(origin, `/operations/${unknown}`);
    expect(body).toMatchObject({ effects: 'SETTLED', finding: 'succeeded', needsOperator: false });
    expect(body.timeline.find(({ event }: { event: string }) => event === 'operator_found')).toMatchObject({
      actor: 'ada',
      source: 'operator',
      detail: 'job exp_8813 · seen in billing admin',
    });
  });

  test('that does not apply is a conflict that says why', async () => {
    const { origin, live, logged } = await three();
    const told = await ask(origin, `/operations/${live}/settle`, { body: { ...word, verdict: { kind: 'never' } } });
    expect(told).toMatchObject({
      status: 409,
      type: 'application/problem+json',
      body: { code: 'VERDICT_DOES_NOT_APPLY', detail: expect.stringMatching(/it is WORKING/), operation: { id: live } },
    });
    expect(logged.join()).toMatch(/a verdict was refused .*"actor":"ada"/);
  });

  test('with a result keeps its digits', async () => {
    const { home, origin } = await desk({ 'POST /jobs': [accepted], 'GET /jobs/7': [running, { status: 404 }] });
    const id = await home.begun();
    await home.clock.advanceUntil(async () => (await home.life(id)) === 'NEEDS_RECONCILIATION');
    const body = `{"actor":"ada","reason":"r","verdict":{"kind":"result","ending":"succeeded","value":{"total":9007199254740993}}}`;
    expect((await ask(origin, `/operations/${id}/settle`, { body })).status).toBe(200);
    expect((await ask(origin, `/operations/${id}`)).body.result.body).toBe('{"total":9007199254740993}');
  });

  test.each<[string, unknown, number, RegExp]>([
    ['no JSON', '{', 400, /not JSON/],
    ['nobody', { reason: 'r', verdict: { kind: 'never' } }, 400, /\/actor/],
    ['no reason', { actor: 'a', reason: ' ', verdict: { kind: 'never' } }, 400, /\/reason: must not be empty/],
    ['two lines', { actor: 'a', reason: 'x\ny', verdict: { kind: 'never' } }, 400, /one line/],
    ['no verdict', word, 400, /\/verdict/],
    ['another verdict', { ...word, verdict: { kind: 'maybe' } }, 400, /\/verdict/],
    ['more than is known', { ...word, verdict: { kind: 'never', job: '7' } }, 400, /job/],
    ['an unknown ending', { ...word, verdict: { kind: 'result', ending: 'unknown' } }, 400, /\/verdict\/ending/],
    ['too much', { ...word, verdict: { kind: 'effects', finding: 'x'.repeat(20_000) } }, 413, /larger than 10000 bytes/],
  ])('that says %s is refused, and nothing is recorded', async (_what, body, status, detail) => {
    const { origin, home, unknown } = await three();
    const before = await home.ledger.get(unknown);
    const told = await ask(origin, `/operations/${unknown}/settle`, { body });
    expect(told).toMatchObject({ status, type: 'application/problem+json' });
    expect(told.body.detail).toMatch(detail);
    expect(await home.ledger.get(unknown)).toEqual(before);
  });

  test('in a form is refused', async () => {
    const { origin, unknown } = await three();
    const headers = { 'content-type': 'text/plain' };
    expect((await ask(origin, `/operations/${unknown}/settle`, { body: '{}', headers })).status).toBe(415);
  });
});

describe('a cancel', () => {
  test('is recorded once, and of what has ended is a conflict', async () => {
    const { origin, live, succeeded } = await three();
    const told = await ask(origin, `/operations/${live}/cancel`, { body: word });
    expect(told).toMatchObject({ status: 200, body: { operation: { id: live, cancellation: 'REQUESTED' } } });
    const late = await ask(origin, `/operations/${succeeded}/cancel`, { body: word });
    expect(late).toMatchObject({
      status: 409,
      body: { code: 'OPERATION_ENDED', detail: expect.stringMatching(/ended as succeeded/) },
    });
    expect((await ask(origin, '/operations/op_nobody/cancel', { body: word })).status).toBe(404);
  });
});

describe('a receipt', () => {
  test('is traced to the observation that allowed it', async () => {
    const { origin, home, succeeded } = await three();
    const receipt = await home.ledger.receipt(succeeded);
    const { body } = await ask(origin, `/receipts/${receipt?.id}`);
    expect(body).toMatchObject({
      receipt: { id: receipt?.id, outcome: 'succeeded' },
      operation: { id: succeeded },
      ending: { position: 5, event: 'accept' },
      evidence: [{ position: 4, event: 'seen_ended', source: 'poll' }],
    });
    expect(body.checks.map(({ holds }: { holds: boolean }) => holds)).not.toContain(false);
  });

  test('comes to whoever catches up with the outbox, in order, as often as it asks', async () => {
    const { origin, unknown, succeeded } = await three();
    const all = (await ask(origin, '/outbox')).body;
    expect(all.items.map(({ receipt }: { receipt: { operationId: string } }) => receipt.operationId)).toEqual([
      unknown,
      succeeded,
    ]);
    const rest = (await ask(origin, `/outbox?after=${all.items[0].position}&limit=1`)).body;
    expect(rest.items).toEqual([all.items[1]]);
    expect((await ask(origin, `/outbox?after=${rest.next}`)).body).toEqual({ items: [], next: rest.next });
  });
});
