// `longshore operations` as commander runs it, over a real admin API in front of the real engine on virtual time.

import { describe, expect, test } from 'vitest';
import { registerOperations } from '../../src/cli/operations.ts';
import type { Scripted } from '../engine/kit.ts';
import { type Desk, desk, TOKEN } from '../http/admin-kit.ts';
import { runnerOf } from './admin-kit.ts';

const lost: Scripted = { fails: 'reset', mayHaveBeenSent: true };
const accepted: Scripted = { status: 202, json: { id: '7', status: 'queued' } };
const running: Scripted = { status: 200, json: { status: 'running' } };
const done: Scripted = { status: 200, json: { status: 'succeeded', result: { n: 1 } } };

const longshore = runnerOf('operations', registerOperations);

/** The night of the first hour: a submit was lost, and nothing can find out about it. */
async function night(): Promise<Desk & { readonly id: string }> {
  const at = await desk({ 'POST /jobs': [lost, accepted], 'GET /jobs/7': [running], 'GET /jobs/exp_8813': [running, done] });
  return { ...at, id: await at.home.begun({ month: '2026-10' }) };
}

describe('list', () => {
  test('prints aligned columns, and says that its times are UTC', async () => {
    const { home, origin, id } = await night();
    const other = await home.begun();
    const { code, stdout, stderr } = await longshore(origin, ['list']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [head = '', first = '', second = ''] = stdout.trimEnd().split('\n');
    expect(head).toMatch(/^OPERATION +TOOL +UPSTREAM +STATE +SINCE \(UTC\) +PRINCIPAL +WHAT IS KNOWN$/);
    expect(first).toContain(other);
    expect(second).toContain(id);
    const column = head.indexOf('STATE');
    expect([first.slice(column, column + 7), second.slice(column, column + 13)]).toEqual(['working', 'unknown, open']);
    expect(second).toContain('2026-01-01 00:00:00  local');
    expect(second).toContain('The answer to the submit was lost: POST /jobs: reset.');
  });

  test('shows what needs somebody, and says when nothing does', async () => {
    const { origin, id } = await night();
    expect((await longshore(origin, ['list', '--state', 'needs-reconciliation'])).stdout).toContain(id);
    expect(await longshore(origin, ['list', '--state', 'escalated'])).toEqual({
      code: 0,
      stdout: 'No operation fits.\n',
      stderr: '',
    });
  });

  test('tells how to go on where there are more', async () => {
    const { home, origin, id } = await night();
    await home.begun();
    const first = await longshore(origin, ['list', '--limit', '1']);
    const cursor = /--cursor (\S+)/.exec(first.stderr)?.[1] ?? '';
    expect((await longshore(origin, ['list', '--limit', '1', '--cursor', cursor])).stdout).toContain(id);
  });

  test('prints the API’s own JSON', async () => {
    const { origin, id } = await night();
    const { stdout } = await longshore(origin, ['list', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ items: [{ id, state: 'unknown' }] });
  });

  test('knows its words', async () => {
    const { origin } = await night();
    const { code, stderr } = await longshore(origin, ['list', '--state', 'weird']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/no state weird; there are .*needs-reconciliation/);
  });
});

describe('show', () => {
  test('tells that the job can not be seen, and why', async () => {
    const denied: Scripted = { status: 403, json: { error: { message: 'no access' } } };
    const at = await desk({ 'POST /jobs': [accepted], 'GET /jobs/7': [denied] });
    const id = await at.home.begun();
    await at.home.clock.advanceUntil(() => at.home.upstream.count('GET /jobs/7') >= 3);
    const { stdout } = await longshore(at.origin, ['show', id]);
    expect(stdout).toMatch(/ {2}unread +the last \d+ looks, since 2026-01-01 00:00:0\d: .*403/);
  });

  test('prints how it stands, every event, and what to type next', async () => {
    const { origin, id } = await night();
    const { code, stdout } = await longshore(origin, ['show', id]);
    expect(code).toBe(0);
    expect(stdout).toContain(`${id}  start_job · reports · unknown since 2026-01-01 00:00:00 UTC`);
    expect(stdout).toContain('{"body":{"month":"2026-10"}}');
    expect(stdout).toContain('Nothing automatic can settle it');
    expect(stdout).toMatch(/2026-01-01, times in UTC\n +1 {2}00:00:00\.000 {2}created +principal local · tool start_job/);
    expect(stdout).toMatch(/ +2 {2}00:00:00\.000 {2}submit_started +attempt 1 · POST http:\/\/reports\.test\/jobs/);
    expect(stdout).toMatch(/ +3 {2}00:00:00\.000 {2}submit_ambiguous +POST \/jobs: reset/);
    expect(stdout).toMatch(/ +4 .*window_over +nothing automatic can settle it.* · ended as unknown · receipt rc_/);
    expect(stdout).toMatch(new RegExp(`longshore operations settle ${id} --config \\S+ --reason "…" --found <id or URL>`));
  });

  test('says when there is no such operation', async () => {
    const { origin } = await night();
    expect(await longshore(origin, ['show', 'op_nobody'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'There is no operation op_nobody, or it is not kept any more.\n',
    });
  });
});

describe('settle', () => {
  test('records what was found, by whom and why, and the job is followed to its end', async () => {
    const { home, origin, id } = await night();
    const settled = await longshore(origin, ['settle', id, '--found', 'exp_8813', '--reason', 'seen in billing admin']);
    expect(settled).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(`^Settled\\. ${id} is unknown: [^]*Job exp_8813 is followed until 2026`),
    });
    await home.clock.advance(10_000);
    const { stdout } = await longshore(origin, ['show', id]);
    expect(stdout).toMatch(/operator_found +ada: job exp_8813 · seen in billing admin/);
    expect(stdout).toMatch(/effects +SETTLED: succeeded/);
    expect(stdout).not.toContain('When you know');
  });

  test.each([
    ['nothing', [], 'Say one thing: --found, --never, --result, --give-up or --effects.\n'],
    ['two things', ['--never', '--give-up'], 'Say one thing: --found, --never, --result, --give-up or --effects.\n'],
    ['a value without an ending', ['--never', '--value', '1'], '--value goes with --result.\n'],
  ])('that says %s is not asked properly', async (_what, words, stderr) => {
    const { origin, id } = await night();
    expect(await longshore(origin, ['settle', id, ...words, '--reason', 'r'])).toEqual({ code: 2, stdout: '', stderr });
  });

  test('needs a reason and somebody', async () => {
    const { origin, id } = await night();
    expect(await longshore(origin, ['settle', id, '--never'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--reason'),
    });
    const nobody = await longshore(origin, ['settle', id, '--never', '--reason', 'r'], { env: { ADMIN: TOKEN } });
    expect(nobody).toMatchObject({ code: 2, stderr: 'Nobody is named: say who you are with --actor.\n' });
    const named = ['settle', id, '--never', '--reason', 'r', '--actor', 'grace'];
    expect(await longshore(origin, named, { env: { ADMIN: TOKEN } })).toMatchObject({ code: 0 });
  });

  test('that does not apply says why, and answers with 1', async () => {
    const { home, origin } = await night();
    const live = await home.begun();
    const refused = await longshore(origin, ['settle', live, '--never', '--reason', 'r']);
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/it is WORKING: .*cancel it, or wait/),
    });
    const json = await longshore(origin, ['settle', live, '--never', '--reason', 'r', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ status: 409, code: 'VERDICT_DOES_NOT_APPLY' });
  });
});

describe('cancel and trace', () => {
  test('a cancel is recorded, with its reason', async () => {
    const { home, origin } = await night();
    const live = await home.begun();
    expect(await longshore(origin, ['cancel', live, '--reason', 'wrong month'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(`^Cancel recorded\\. ${live} is working`),
    });
    expect((await longshore(origin, ['show', live])).stdout).toContain(
      'by an operator · the job may still complete · wrong month',
    );
  });

  test('a trace names the observation that allowed the ending, and what was compared', async () => {
    const { home, origin } = await night();
    home.upstream.script({ 'GET /jobs/7': [done] });
    const id = await home.begun();
    await home.clock.advanceUntil(async () => (await home.outcome(id)) !== undefined);
    const receipt = await home.ledger.receipt(id);
    for (const name of [id, receipt?.id ?? '']) {
      const { code, stdout } = await longshore(origin, ['trace', name]);
      expect(code).toBe(0);
      expect(stdout).toContain(`${receipt?.id}  ${id} (start_job · reports) ended as succeeded`);
      expect(stdout).toMatch(/Allowed by\n +4 .*seen_ended +ev_\S+ +from poll · succeeded/);
      expect(stdout).toMatch(/✔ the history, read again/);
      expect(stdout).not.toContain('✘');
    }
  });

  test('a trace that does not fit is a fault', async () => {
    const { home, origin } = await night();
    home.upstream.script({ 'GET /jobs/7': [{ status: 200, json: { status: 'succeeded', result: 'x'.repeat(5_000) } }] });
    const id = await home.begun();
    await home.clock.advanceUntil(async () => (await home.outcome(id)) !== undefined);
    await home.ledger.blobs.delete([(await home.ledger.receipt(id))?.result?.digest ?? '']);
    const shown = await longshore(origin, ['show', id]);
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/result +can’t be read: sha256:/) });
    expect(await longshore(origin, ['trace', id])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('✘ the stored result'),
    });
  });

  test('a trace of what nobody observed says so', async () => {
    const { origin, id } = await night();
    expect((await longshore(origin, ['trace', id])).stdout).toMatch(
      /No observation allowed it: it was ended by\n +4 .*window_over/,
    );
  });
});

describe('without an answer', () => {
  test('it says how to turn the API on', async () => {
    const { origin } = await night();
    const { code, stderr } = await longshore(origin, ['list'], { admin: '' });
    expect(code).toBe(1);
    expect(stderr).toContain('admin: { token: { env: LONGSHORE_ADMIN_TOKEN } }');
  });

  test('it says which token is missing, or wrong', async () => {
    const { origin } = await night();
    expect(await longshore(origin, ['list'], { env: {} })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('admin.token'),
    });
    const wrong = await longshore(origin, ['list'], { env: { ADMIN: 'another-token-of-somebody' } });
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('another token') });
  });

  test('it says that no gateway runs, or that it has no admin API', async () => {
    const { origin } = await desk({}, { token: undefined });
    expect(await longshore(origin, ['list'])).toMatchObject({ code: 1, stderr: expect.stringContaining('has no admin API') });
    const nowhere = await longshore('http://127.0.0.1:1', ['list']);
    expect(nowhere).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/No gateway answers at http:\/\/127\.0\.0\.1:1 .*longshore serve/),
    });
  });
});
