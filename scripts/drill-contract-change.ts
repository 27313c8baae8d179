// The drill of a contract that changes (`npm run drill:contract-change`): a real gateway with jobs in flight under both contracts, one
// of which is closed by its gate. For each of the two in turn:
//
//   1. Jobs are started under both contracts; nothing has ended.
//   2. `longshore gates set … drain` closes the one. Whoever listens is told that the tools have changed.
//   3. New submissions under it are refused with the gate's name, and nothing reaches the service. The other contract, and callers
//      without Tasks, do not notice.
//   4. The gateway is killed and started again: the gate is as it was.
//   5. Every old job of either contract is still read; some are cancelled; the rest complete. Each has its receipt.
//   6. The gate is opened, and the contract takes calls again.
//
// Prints what it does, and as its last line one JSON object with the counts. Exit code 0: every old job is accounted for.

import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { folder, type GatewayUnderTest, projectFile, serve, until } from '../test/e2e/gateway.ts';
import { modern, session, textOf, type Wire } from '../test/e2e/wire.ts';
import { type JobService, startJobs } from '../test/fixtures/jobs.ts';

const JOBS_EACH = 12;
const CANCELLED_EACH = 4;
const REFUSED = 6;
const TOKEN = 'a-token-for-one-drill-only';
const REASON = 'the contract changed';
const CONTRACTS = ['2025-11-25', '2026-07-28'] as const;
type Contract = (typeof CONTRACTS)[number];

interface Old {
  readonly contract: Contract;
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
): Promise<{ readonly taskId: string } | { readonly said: string }> {
  const task = contract === '2025-11-25' ? { task: { ttl: 600_000 } } : {};
  const { result, error } = await wire.rpc('tools/call', { name: 'create_job', arguments: { name }, ...task });
  const taskId = result['taskId'] ?? (result['task'] as { readonly taskId?: string } | undefined)?.taskId;
  return typeof taskId === 'string' ? { taskId } : { said: error?.message ?? textOf(result) };
}

const statusOf = async (wire: Wire, taskId: string): Promise<string> =>
  String((await wire.rpc('tasks/get', { taskId })).result['status'] ?? 'not found');

/** How often `text` has come on a stream that stays open until the gateway ends. */
async function listening(url: string, contract: Contract, text: string): Promise<() => number> {
  let heard = '';
  const accept = 'application/json, text/event-stream';
  let response: Response;
  if (contract === '2025-11-25') {
    const params = { protocolVersion: contract, capabilities: { tasks: {} }, clientInfo: { name: 'drill', version: '1' } };
    const headers = { 'content-type': 'application/json', accept };
    const opened = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
    });
    await opened.text();
    const id = opened.headers.get('mcp-session-id') ?? '';
    response = await fetch(url, {
      headers: { accept: 'text/event-stream', 'mcp-session-id': id, 'mcp-protocol-version': contract },
    });
  } else {
    const meta = (name: string) => `io.modelcontextprotocol/${name}`;
    const _meta = {
      [meta('protocolVersion')]: contract,
      [meta('clientInfo')]: { name: 'drill', version: '1' },
      [meta('clientCapabilities')]: {},
    };
    response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept,
        'mcp-protocol-version': contract,
        'mcp-method': 'subscriptions/listen',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: { notifications: { toolsListChanged: true }, _meta },
      }),
    });
  }
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) heard += decoder.decode(chunk as Uint8Array, { stream: true });
  })().catch(() => undefined);
  return () => heard.split(text).length - 1;
}

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
  const upstreams = `  jobs:\n    document: ${projectFile('test/fixtures/jobs.openapi.yaml')}\n    baseUrl: ${jobs.url}\n`;
  const settings = 'admin: { token: { env: DRILL_TOKEN } }\nlimits: { inlineWait: 200ms }';
  const gateway = await serve(upstreams, { settings, env: { DRILL_TOKEN: TOKEN } });
  const place = await folder();
  try {
    const config = join(place.path, 'longshore.yaml');
    await writeFile(config, `admin: { token: { env: DRILL_TOKEN } }\nupstreams:\n${upstreams}`);
    const old: Old[] = [];
    for (const contract of CONTRACTS) {
      const wire = await doorOf(gateway, contract);
      for (let n = 0; n < JOBS_EACH; n += 1) {
        const name = `${contract}-${n}`;
        const started = await submit(wire, contract, name);
        if ('taskId' in started) old.push({ contract, name, taskId: started.taskId });
        else check(false, `${name} was started (${started.said})`);
      }
    }
    counts.old += old.length;
    await until('every job exists', () => jobs.jobsCreated() === old.length);
    console.log(`  ${old.length} jobs are in flight, ${JOBS_EACH} under each contract`);

    const ears = await Promise.all(
      CONTRACTS.map((contract) => listening(gateway.url, contract, 'notifications/tools/list_changed')),
    );
    console.log(`  ${(await longshore(gateway, config, 'set', 'http-202@1', closed, 'drain', '--reason', REASON)).trim()}`);
    await until('listeners are told', () => ears.every((times) => times() > 0), 10_000).catch(() => undefined);
    counts.told += ears.filter((times) => times() > 0).length;
    check(
      ears.every((times) => times() > 0),
      'listeners under both contracts are told that the tools have changed',
    );

    await gated(gateway, jobs, closed, other);
    await gateway.kill9();
    await gateway.start();
    console.log('  the gateway was killed, and started again');
    await gated(gateway, jobs, closed, other);
    check(
      (await longshore(gateway, config, 'list')).includes(`${JOBS_EACH} operations still live`),
      'the list of gates says how many old jobs live',
    );

    const readers = new Map<Contract, Wire>();
    for (const contract of CONTRACTS) readers.set(contract, await doorOf(gateway, contract));
    const readerOf = (contract: Contract): Wire => readers.get(contract) as Wire;
    for (const { contract, taskId } of old)
      if ((await statusOf(readerOf(contract), taskId)) === 'working') counts.readable += 1;
    const doomed = CONTRACTS.flatMap((contract) => old.filter((one) => one.contract === contract).slice(0, CANCELLED_EACH));
    for (const { contract, taskId } of doomed) await readerOf(contract).rpc('tasks/cancel', { taskId });
    for (const { contract, taskId } of doomed) {
      if (await until(`${taskId} is cancelled`, async () => (await statusOf(readerOf(contract), taskId)) === 'cancelled'))
        counts.cancelled += 1;
    }
    jobs.release();
    for (const { contract, name, taskId } of old.filter((one) => !doomed.includes(one))) {
      const wire = readerOf(contract);
      await until(`${taskId} completes`, async () => (await statusOf(wire, taskId)) === 'completed');
      const method = contract === '2025-11-25' ? 'tasks/result' : 'tasks/get';
      const { result } = await wire.rpc(method, { taskId });
      if (textOf(contract === '2025-11-25' ? result : result['result']).includes(`Hello, ${name}!`)) counts.completed += 1;
    }
    for (const { taskId } of old)
      if ((await admin(gateway, `/operations/${taskId}`))['receipt'] !== undefined) counts.receipts += 1;
    console.log(`  every old job was looked after: ${doomed.length} cancelled, ${old.length - doomed.length} completed`);

    await longshore(gateway, config, 'set', 'http-202@1', closed, 'open', '--reason', 'the adapter was qualified again');
    const again = await submit(await doorOf(gateway, closed), closed, 'afterwards');
    check('taskId' in again, `${closed} takes calls again once its gate is open`);
    if ('taskId' in again) counts.reopened += 1;
    const { items } = (await admin(gateway, '/gates/history')) as {
      items: readonly { readonly mode: string; readonly actor: string }[];
    };
    check(
      items.map(({ mode, actor }) => `${mode} by ${actor}`).join(', ') === 'open by drill, drain by drill',
      'the history names who did what',
    );
  } finally {
    await gateway.dispose();
    await jobs.close();
    await place.remove();
  }
}

/** New submissions: refused under the one contract, as ever under the other and without Tasks. */
async function gated(gateway: GatewayUnderTest, jobs: JobService, closed: Contract, other: Contract): Promise<void> {
  const before = jobs.submits.length;
  const wire = await doorOf(gateway, closed);
  const answers = await Promise.all(Array.from({ length: REFUSED }, (_, n) => submit(wire, closed, `refused-${n}`)));
  const named = answers.filter(
    (answer) => 'said' in answer && answer.said.includes(`http-202@1 × ${closed}`) && answer.said.includes(REASON),
  );
  counts.refused += named.length;
  counts.leaked += jobs.submits.length - before;
  check(named.length === REFUSED, `${REFUSED} new submissions under ${closed} are refused, with the gate's name and reason`);
  check(jobs.submits.length === before, 'none of them reaches the service');
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
  counts.old === 4 * JOBS_EACH &&
  counts.readable === counts.old &&
  counts.cancelled + counts.completed === counts.old &&
  counts.receipts === counts.old &&
  counts.leaked === 0;
console.log(
  `\n${JSON.stringify({ drill: 'contract-change', ...counts, unaccounted: counts.old - counts.cancelled - counts.completed, broken, ok: accounted && broken.length === 0 })}`,
);
process.exitCode = accounted && broken.length === 0 ? 0 : 1;
