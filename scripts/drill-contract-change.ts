// The drill of a contract that changes (`npm run drill:contract-change`): a real gateway with jobs in flight under both contracts, one
// of which is closed by its gate. For each of the two in turn:
//
//   1. Jobs are started under both contracts, among them one that its service only calls back about, and one that asks something.
//      Nothing has ended.
//   2. `longshore gates set … drain` closes the one, for each adapter in use. Whoever listens is told that the tools have changed.
//   3. New submissions under it are refused with the gate's name, and nothing reaches the service. The other contract, and callers
//      without Tasks, do not notice.
//   4. The gateway is killed and started again: the gate is as it was.
//   5. Every old job of either contract is still read; some are cancelled; the rest complete, one by its callback, one by its answer.
//      Each has its receipt.
//   6. The gate is opened, and the contract takes calls again.
//
// Prints what it does, and as its last line one JSON object with the counts. Exit code 0: every old job is accounted for.

import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startService } from '../test/conformance/service.ts';
import { folder, type GatewayUnderTest, projectFile, serve, until } from '../test/e2e/gateway.ts';
import { modern, session, textOf, type Wire } from '../test/e2e/wire.ts';
import { type CallbackService, SCAN_SECRET, scanned, startCallbacks } from '../test/fixtures/callbacks.ts';
import { type JobService, startJobs } from '../test/fixtures/jobs.ts';
import { type DrillContract, listening } from './drill-listening.ts';

const JOBS_EACH = 12;
const CANCELLED_EACH = 4;
const REFUSED = 6;
const TOKEN = 'a-token-for-one-drill-only';
const REASON = 'the contract changed';
const CONTRACTS = ['2025-11-25', '2026-07-28'] as const satisfies readonly DrillContract[];
type Contract = DrillContract;

/** The adapters of the jobs in flight. */
const ADAPTERS = ['http-202@1', 'webhook@1'] as const;

/** How a job is called, and what its result shows. */
interface Kind {
  readonly tool: string;
  args(name: string): Record<string, string>;
  result(name: string): string;
}
const KINDS = {
  polled: { tool: 'create_job', args: (name) => ({ name }), result: (name) => `Hello, ${name}!` },
  calledBack: { tool: 'scan_host', args: (host) => ({ host }), result: () => '"open":2' },
  asking: { tool: 'confirm_delete', args: (filename) => ({ filename }), result: () => '"confirm":true' },
} as const satisfies Record<string, Kind>;

interface Old {
  readonly contract: Contract;
  readonly kind: keyof typeof KINDS;
  readonly name: string;
  readonly taskId: string;
}

const counts = {
  old: 0,
  readable: 0,
  cancelled: 0,
  completed: 0,
  receipts: 0,
  refused: 0,
  leaked: 0,
  othersAccepted: 0,
  told: 0,
  reopened: 0,
};
const broken: string[] = [];

function check(holds: boolean, what: string): void {
  if (!holds) broken.push(what);
  console.log(`  ${holds ? '✔' : '✘'} ${what}`);
}

/** A door to the gateway under one contract. */
async function doorOf(gateway: GatewayUnderTest, contract: Contract): Promise<Wire> {
  return contract === '2025-11-25' ? session(gateway.url) : modern(gateway.url);
}

/** Submits as a task; the task's id, or what the refusal said. */
async function submit(
  wire: Wire,
  contract: Contract,
  name: string,
  { tool, args }: Kind = KINDS.polled,
): Promise<{ readonly taskId: string } | { readonly said: string }> {
  const task = contract === '2025-11-25' ? { task: { ttl: 600_000 } } : {};
  const { result, error } = await wire.rpc('tools/call', { name: tool, arguments: args(name), ...task });
  const taskId = result['taskId'] ?? (result['task'] as { readonly taskId?: string } | undefined)?.taskId;
  return typeof taskId === 'string' ? { taskId } : { said: error?.message ?? textOf(result) };
}

const statusOf = async (wire: Wire, taskId: string): Promise<string> =>
  String((await wire.rpc('tasks/get', { taskId })).result['status'] ?? 'not found');

async function admin(gateway: GatewayUnderTest, path: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${gateway.base}/admin/v1${path}`, { headers: { authorization: `Bearer ${TOKEN}` } });
  return (await response.json()) as Record<string, unknown>;
}

/** As an operator types it. */
async function longshore(gateway: GatewayUnderTest, config: string, ...words: readonly string[]): Promise<string> {
  const args = [projectFile('src/main.ts'), 'gates', ...words, '--config', config, '--url', gateway.base];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { ...process.env, DRILL_TOKEN: TOKEN, USER: 'drill' },
  });
  return stdout;
}

async function round(closed: Contract): Promise<void> {
  const other: Contract = closed === '2025-11-25' ? '2026-07-28' : '2025-11-25';
  console.log(`\n${closed} changes; ${other} does not`);
  const jobs: JobService = await startJobs();
  const calling: CallbackService = await startCallbacks();
  const asking = await startService();
  const upstreams = `
  jobs:
    document: ${projectFile('test/fixtures/jobs.openapi.yaml')}
    baseUrl: ${jobs.url}
  calling:
    document: ${projectFile('test/fixtures/callbacks.openapi.yaml')}
    baseUrl: ${calling.url}
    webhooks: { secrets: [{ env: DRILL_HOOK }] }
  asking:
    document: ${projectFile('test/conformance/service.openapi.yaml')}
    overlays: [${projectFile('test/conformance/service.overlay.yaml')}]
    baseUrl: ${asking.url}
`;
  const settings = 'admin: { token: { env: DRILL_TOKEN } }\nlimits: { inlineWait: 200ms }';
  const gateway = await serve(upstreams, { settings, env: { DRILL_TOKEN: TOKEN, DRILL_HOOK: SCAN_SECRET } });
  const place = await folder();
  try {
    const config = join(place.path, 'longshore.yaml');
    await writeFile(config, `admin: { token: { env: DRILL_TOKEN } }\nupstreams:\n${upstreams}`);
    const old: Old[] = [];
    for (const contract of CONTRACTS) {
      const wire = await doorOf(gateway, contract);
      for (let n = 0; n < JOBS_EACH + 2; n += 1) {
        const kind = n < JOBS_EACH ? 'polled' : n === JOBS_EACH ? 'calledBack' : 'asking';
        const name = `${contract}-${n}`;
        const started = await submit(wire, contract, name, KINDS[kind]);
        if ('taskId' in started) old.push({ contract, kind, name, taskId: started.taskId });
        else check(false, `${name} was started (${started.said})`);
      }
    }
    counts.old += old.length;
    await until('every job exists', () => jobs.jobsCreated() === 2 * JOBS_EACH && calling.started.length === 2);
    for (const { contract, kind, taskId } of old) {
      if (kind !== 'asking') continue;
      const wire = await doorOf(gateway, contract);
      await until(`${taskId} asks`, async () => (await statusOf(wire, taskId)) === 'input_required');
    }
    console.log(
      `  ${old.length} jobs are in flight, ${JOBS_EACH + 2} under each contract; one of these is called back about, one asks`,
    );

    const ears = await Promise.all(
      CONTRACTS.map((contract) => listening(gateway.url, contract, 'notifications/tools/list_changed')),
    );
    for (const adapter of ADAPTERS)
      console.log(`  ${(await longshore(gateway, config, 'set', adapter, closed, 'drain', '--reason', REASON)).trim()}`);
    await until('listeners are told', () => ears.every((times) => times() > 0), 10_000).catch(() => undefined);
    counts.told += ears.filter((times) => times() > 0).length;
    check(
      ears.every((times) => times() > 0),
      'listeners under both contracts are told that the tools have changed',
    );

    await gated(gateway, { jobs, calling }, closed, other);
    await gateway.kill9();
    await gateway.start();
    console.log('  the gateway was killed, and started again');
    await gated(gateway, { jobs, calling }, closed, other);
    const listed = await longshore(gateway, config, 'list');
    check(
      listed.includes(`${JOBS_EACH + 1} operations still live`) && listed.includes('1 operation still live'),
      'the list of gates says how many old jobs live',
    );

    const readers = new Map<Contract, Wire>();
    for (const contract of CONTRACTS) readers.set(contract, await doorOf(gateway, contract));
    const readerOf = (contract: Contract): Wire => readers.get(contract) as Wire;
    for (const { contract, kind, taskId } of old)
      if ((await statusOf(readerOf(contract), taskId)) === (kind === 'asking' ? 'input_required' : 'working'))
        counts.readable += 1;
    const doomed = CONTRACTS.flatMap((contract) => old.filter((one) => one.contract === contract).slice(0, CANCELLED_EACH));
    for (const { contract, taskId } of doomed) await readerOf(contract).rpc('tasks/cancel', { taskId });
    for (const { contract, taskId } of doomed) {
      if (await until(`${taskId} is cancelled`, async () => (await statusOf(readerOf(contract), taskId)) === 'cancelled'))
        counts.cancelled += 1;
    }
    jobs.release();
    for (const { id, callback } of calling.started.slice(0, 2))
      await fetch(callback, scanned({ scan: id, status: 'succeeded', findings: { open: 2 } }));
    for (const { contract, kind, taskId } of old) {
      if (kind === 'asking') await answer(readerOf(contract), contract, taskId);
    }
    for (const { contract, kind, name, taskId } of old.filter((one) => !doomed.includes(one))) {
      const wire = readerOf(contract);
      await until(`${taskId} completes`, async () => (await statusOf(wire, taskId)) === 'completed');
      const method = contract === '2025-11-25' ? 'tasks/result' : 'tasks/get';
      const { result } = await wire.rpc(method, { taskId });
      if (textOf(contract === '2025-11-25' ? result : result['result']).includes(KINDS[kind].result(name)))
        counts.completed += 1;
    }
    for (const { taskId } of old)
      if ((await admin(gateway, `/operations/${taskId}`))['receipt'] !== undefined) counts.receipts += 1;
    console.log(`  every old job was looked after: ${doomed.length} cancelled, ${old.length - doomed.length} completed`);

    for (const adapter of ADAPTERS)
      await longshore(gateway, config, 'set', adapter, closed, 'open', '--reason', 'the adapter was qualified again');
    const again = await submit(await doorOf(gateway, closed), closed, 'afterwards');
    check('taskId' in again, `${closed} takes calls again once its gate is open`);
    if ('taskId' in again) counts.reopened += 1;
    const { items } = (await admin(gateway, '/gates/history')) as {
      items: readonly { readonly mode: string; readonly actor: string }[];
    };
    check(
      items.map(({ mode, actor }) => `${mode} by ${actor}`).join(', ') ===
        'open by drill, open by drill, drain by drill, drain by drill',
      'the history names who did what',
    );
  } finally {
    await gateway.dispose();
    await Promise.all([jobs.close(), calling.close(), asking.close(), place.remove()]);
  }
}

/** A yes to what the job asks, in the way that the contract has. Under 2025-11-25 a door without forms answers by the companion tool. */
async function answer(wire: Wire, contract: Contract, taskId: string): Promise<void> {
  const content = { confirm: true };
  if (contract === '2026-07-28')
    await wire.rpc('tasks/update', { taskId, inputResponses: { 'input-1.1': { action: 'accept', content } } });
  else await wire.rpc('tools/call', { name: 'answer_operation', arguments: { operation: taskId, answer: content } });
}

/** New submissions: refused under the one contract, as ever under the other and without Tasks. */
async function gated(
  gateway: GatewayUnderTest,
  { jobs, calling }: { readonly jobs: JobService; readonly calling: CallbackService },
  closed: Contract,
  other: Contract,
): Promise<void> {
  const reached = () => jobs.submits.length + calling.started.length;
  const before = reached();
  const wire = await doorOf(gateway, closed);
  const refusals = await Promise.all(
    Array.from({ length: REFUSED }, async (_, n) => {
      const [kind, adapter] = n === 0 ? (['calledBack', ADAPTERS[1]] as const) : (['polled', ADAPTERS[0]] as const);
      const refusal = await submit(wire, closed, `refused-${n}`, KINDS[kind]);
      return 'said' in refusal && refusal.said.includes(`${adapter} × ${closed}`) && refusal.said.includes(REASON);
    }),
  );
  const named = refusals.filter((isNamed) => isNamed).length;
  counts.refused += named;
  counts.leaked += reached() - before;
  check(named === REFUSED, `${REFUSED} new submissions under ${closed} are refused, with the gate's name and reason`);
  check(reached() === before, 'none of them reaches a service');
  const { result } = await wire.rpc('tools/list', {});
  check(JSON.stringify(result).includes(`http-202@1 × ${closed} is drained`), `tools/list under ${closed} says so`);

  const neighbour = await doorOf(gateway, other);
  const accepted = await submit(neighbour, other, 'unaffected');
  if ('taskId' in accepted) counts.othersAccepted += 1;
  const inline = await modern(gateway.url, { tasks: false }).rpc('tools/call', {
    name: 'create_job',
    arguments: { name: 'inline' },
  });
  const pending = textOf(inline.result).includes('Not finished');
  if (pending) counts.othersAccepted += 1;
  const listed = JSON.stringify((await neighbour.rpc('tools/list', {})).result);
  check('taskId' in accepted && pending && !listed.includes('is drained'), `${other} and callers without Tasks do not notice`);
}

for (const contract of CONTRACTS) await round(contract);
const accounted =
  counts.old === 4 * (JOBS_EACH + 2) &&
  counts.readable === counts.old &&
  counts.cancelled + counts.completed === counts.old &&
  counts.receipts === counts.old &&
  counts.leaked === 0;
console.log(
  `\n${JSON.stringify({ drill: 'contract-change', ...counts, unaccounted: counts.old - counts.cancelled - counts.completed, broken, ok: accounted && broken.length === 0 })}`,
);
process.exitCode = accounted && broken.length === 0 ? 0 : 1;
