// npm run demo: two services that answer later, the gateway in front of them, and one job through each contract by a
// published client. Stays up so that a host can be connected; `-- --once` ends by itself with a line of JSON.
// Exit codes: 0 all well, 1 something went wrong (said in a sentence on standard error), 2 an argument that is none.

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { systemClock } from '../src/clock.ts';
import { connectExtTasks, connectPlain, connectSdkV1, type ToolAnswer, type ToolClient } from './clients.ts';
import { freePort, type GatewayProcess, startGateway } from './gateway.ts';
import { startMedia } from './media.ts';
import { bad, describeAnswer, detail, faint, good, head, Narrator, say, seconds } from './narration.ts';
import { startReports } from './reports.ts';
import type { Service } from './service.ts';

const SPECS = fileURLToPath(new URL('../specs/demo/', import.meta.url));
const GATEWAY_PORT = 8080;

/** What the demo proves: one upstream job for each completed operation. */
interface Summary {
  completed: number;
  upstreamJobs: number;
  duplicates: number;
  contracts: string[];
}

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort());

function readArguments(): { once: boolean } {
  try {
    const { values } = parseArgs({ options: { once: { type: 'boolean', default: false } } });
    return values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\nUsage: npm run demo [-- --once]\n`);
    process.exit(2);
  }
}

/** Writes the gateway's configuration into ./data, with an empty ledger beside it. */
async function prepare(services: readonly Service[]): Promise<{ config: string; ledger: string; url: string }> {
  const port = await freePort(GATEWAY_PORT);
  // Two demos in one folder must not share a ledger.
  const name = port === GATEWAY_PORT ? 'demo' : `demo-${port}`;
  const folder = resolve('data');
  await mkdir(folder, { recursive: true });
  for (const suffix of ['', '-wal', '-shm']) await rm(`${folder}/${name}.db${suffix}`, { force: true });
  const specs = relative(folder, SPECS);
  const [reports, media] = services.map((service) => service.url);
  const config = `${folder}/${name}.yaml`;
  await writeFile(
    config,
    `# Written by the demo, anew each time. The gateway alone: node src/main.ts serve --config data/${name}.yaml
server: { listen: '127.0.0.1:${port}' }
ledger: sqlite:./${name}.db
upstreams:
  reports:
    document: ${specs}/reports.openapi.yaml
    baseUrl: ${reports}
  media:
    document: ${specs}/media.openapi.yaml
    overlays: [${specs}/media.overlay.yaml]
    baseUrl: ${media}
    # So that the call without Tasks below outlasts the wait.
    defaults: { timing: { inlineWait: 1500ms } }
`,
  );
  return { config, ledger: `./data/${name}.db`, url: `http://127.0.0.1:${port}` };
}

/** A call without Tasks: what outlasts the wait is answered with a handle, and `wait_for_operation` takes it from there. */
async function callAndWait(client: ToolClient, name: string, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer> {
  const begunAt = systemClock.monotonic();
  let answer = await client.callTool(name, args, { signal: stop.signal });
  for (let handle = pendingHandle(answer); handle !== undefined; handle = pendingHandle(answer)) {
    detail(`answered    pending with a handle after ${seconds(systemClock.monotonic() - begunAt)}: ${handle}`);
    detail(`tools/call  wait_for_operation {"operation":"${handle}"}`);
    answer = await client.callTool('wait_for_operation', { operation: handle }, { signal: stop.signal });
  }
  return answer;
}

function pendingHandle({ structured }: ToolAnswer): string | undefined {
  const { outcome, operation } = (structured ?? {}) as { outcome?: unknown; operation?: unknown };
  return outcome === 'pending' && typeof operation === 'string' ? operation : undefined;
}

/** Drives one job under each contract. */
async function story(url: string, services: readonly Service[], narrator: Narrator): Promise<Summary> {
  const created = () => services.reduce((sum, service) => sum + service.jobsCreated(), 0);
  const summary: Summary = { completed: 0, upstreamJobs: 0, duplicates: 0, contracts: [] };
  const month = new Date(systemClock.now() - 31 * 24 * 3_600_000).toISOString().slice(0, 7);

  async function scene(
    contract: string,
    label: string,
    tool: string,
    args: Readonly<Record<string, unknown>>,
    connect: () => Promise<ToolClient>,
  ) {
    const client = await connect();
    try {
      const [begunAt, jobsBefore] = [systemClock.monotonic(), created()];
      narrator.begin();
      head(label, `tools/call ${tool} ${JSON.stringify(args)}`);
      const onTask = (id: string) => detail(`answered    task ${id}, working`);
      const answer =
        contract === 'none'
          ? await callAndWait(client, tool, args)
          : await client.callTool(tool, args, { onTask, signal: stop.signal });
      if (answer.isError) throw new Error(`${tool} under ${contract} gave an error: ${answer.text}`);
      const jobs = created() - jobsBefore;
      const count = `${jobs} upstream job${jobs === 1 ? '' : 's'}`;
      detail(good(`completed   in ${seconds(systemClock.monotonic() - begunAt)}: ${describeAnswer(answer)}, ${count}`));
      say();
      summary.completed += 1;
      summary.upstreamJobs += jobs;
      summary.duplicates += Math.max(0, jobs - 1);
      summary.contracts.push(contract);
    } finally {
      await client.close();
    }
  }

  await scene('2026-07-28', '2026-07-28', 'createReport', { month }, () => connectExtTasks(url, '2026-07-28'));
  await scene('2025-11-25', '2025-11-25', 'transcode', { asset: 'a1' }, () => connectSdkV1(url));
  await scene('none', 'no Tasks', 'transcode', { asset: 'a2', format: 'webm' }, () => connectPlain(url));
  summary.contracts.sort();
  return summary;
}

function introduce(services: readonly Service[], url: string, ledger: string): void {
  say();
  for (const { name, title, style, url } of services) head(name, `${title.padEnd(24)}${style.padEnd(18)}${url}`);
  head('gateway', `${`${url}/mcp`.padEnd(42)}ledger ${ledger}`);
  say();
}

function invite(url: string): void {
  say('Connect a client:');
  say(`  claude mcp add --transport http longshore ${url}`);
  say(`  code --add-mcp '${JSON.stringify({ name: 'longshore', type: 'http', url })}'`);
  say(`  npx @modelcontextprotocol/inspector --transport http --protocol-era modern --server-url ${url}`);
  say();
  say(faint('Ctrl-C ends the demo.'));
}

/** Resolves when the demo is to end; rejects when the gateway ends on its own. */
async function stayUp(gateway: GatewayProcess): Promise<void> {
  const stopped = new Promise<'stop'>((resolve) =>
    stop.signal.addEventListener('abort', () => resolve('stop'), { once: true }),
  );
  const code = stop.signal.aborted ? 'stop' : await Promise.race([stopped, gateway.exited]);
  if (code !== 'stop') throw new Error(`the gateway ended with ${code ?? 'a signal'}:\n${gateway.output().slice(-2000)}`);
}

async function run(once: boolean): Promise<void> {
  const services = [
    await startReports({ port: 4101, clock: systemClock }),
    await startMedia({ port: 4102, clock: systemClock }),
  ];
  const narrator = new Narrator();
  let gateway: GatewayProcess | undefined;
  try {
    const { config, ledger, url } = await prepare(services);
    gateway = await startGateway({ config, url, onLog: (line) => narrator.hear(line) });
    introduce(services, url, ledger);
    const summary = await story(`${url}/mcp`, services, narrator);
    if (once) process.stdout.write(`${JSON.stringify(summary)}\n`);
    else {
      invite(`${url}/mcp`);
      await stayUp(gateway);
    }
    if (summary.duplicates > 0) throw new Error('a call started more than one upstream job');
  } finally {
    gateway?.signal('SIGTERM');
    await gateway?.exited;
    await Promise.all(services.map((service) => service.close()));
  }
}

const { once } = readArguments();
try {
  await run(once);
} catch (error) {
  // Ended by the user on the way: not a failure.
  if (!stop.signal.aborted || once) {
    process.stderr.write(`${bad('The demo failed:')} ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
