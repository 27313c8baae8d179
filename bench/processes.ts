// The measured processes: upstreams, the baseline, the bare client and gateways, each a child, so that none shares an event loop with
// what sends the load.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../demo/gateway.ts';
import { systemClock } from '../src/clock.ts';

export interface Measured {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  /** Processor time it has used so far, over all its threads, in microseconds. */
  cpuMicros(): Promise<number>;
  /** Everything it has printed so far. */
  output(): string;
  stop(): Promise<void>;
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const READY_WITHIN_MS = 30_000;

function start(file: string, args: readonly string[], options: readonly string[] = [], env: Setting['env'] = {}) {
  const child = spawn(process.execPath, ['--import', here('./meter.ts'), ...options, here(file), ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, ...env },
  });
  let output = '';
  const collect = (chunk: Buffer) => {
    output += chunk.toString();
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  const orphaned = () => child.kill('SIGKILL');
  process.once('exit', orphaned);
  const exited = new Promise<void>((resolve) => {
    child.once('close', () => {
      process.off('exit', orphaned);
      resolve();
    });
  });
  const fail = exited.then((): never => {
    throw new Error(`${file} ended (${child.exitCode ?? child.signalCode}):\n${output}`);
  });
  fail.catch(() => undefined);
  const message = <T>() => Promise.race([fail, new Promise<T>((resolve) => child.once('message', resolve as never))]);
  return { child, exited, fail, message, output: () => output };
}

function measured(url: string, { child, exited, message, output }: ReturnType<typeof start>): Measured {
  return {
    url,
    output,
    async cpuMicros() {
      const answer = message<{ readonly cpuMicros: number }>();
      child.send('cpu');
      return (await answer).cpuMicros;
    },
    async stop() {
      end(child);
      await exited;
    },
  };
}

function end(child: ChildProcess): void {
  child.kill('SIGTERM');
}

export async function startProcess(name: 'upstream' | 'baseline' | 'poller', ...args: readonly string[]): Promise<Measured> {
  const started = start(`./${name}.ts`, args);
  const { url } = await started.message<{ readonly url: string }>();
  return measured(url, started);
}

/** What a gateway stands in front of. */
export interface Setting {
  /** The members of the configuration's `upstreams`, in YAML. */
  readonly upstreams: string;
  /** Variables that they name. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * One upstream three times over: `create_job` is followed by no poll in the time of a benchmark, `a_create_job` and
 * `b_create_job` by one each second.
 */
export function inFrontOf(upstream: string): Setting {
  const common = `document: ${here('./service.openapi.yaml')}, baseUrl: '${upstream}'`;
  const open = 'concurrentRequestsMax: 1000, concurrentPollsMax: 500, concurrentSubmitsMax: 100, pollsPerSecondMax: 1000';
  const eachSecond = 'defaults: { pace: { interval: 1s, min: 1s, max: 1s } }';
  return {
    upstreams: `
  quiet: { ${common}, limits: { ${open} }, defaults: { pace: { interval: 1h, max: 1h } } }
  a: { ${common}, limits: { ${open} }, tools: { prefix: a_ }, ${eachSecond} }
  b: { ${common}, limits: { ${open} }, tools: { prefix: b_ }, ${eachSecond} }
`,
  };
}

/**
 * `longshore serve` with an empty ledger on disk.
 * @param profileInto folder for a CPU profile, written when it stops
 */
export async function startGateway({ upstreams, env }: Setting, profileInto: string | undefined): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-bench-'));
  const url = `http://127.0.0.1:${await freePort()}`;
  const config = join(folder, 'longshore.yaml');
  await writeFile(
    config,
    `server: { listen: '${new URL(url).host}', publicUrl: '${url}', drain: 2s }
ledger: sqlite:./ledger.db
log: { level: warn }
limits: { operationsPerPrincipalMax: 1000000, pollsPerSecondMax: 10000 }
upstreams:${upstreams}`,
  );
  const profile = profileInto === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileInto}`];
  const started = start('../src/main.ts', ['serve', '--config', config], profile, env);
  const gateway = measured(url, started);
  await Promise.race([started.fail, ready(url)]);
  return {
    ...gateway,
    async stop() {
      await gateway.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function ready(url: string): Promise<void> {
  const until = systemClock.monotonic() + READY_WITHIN_MS;
  while (systemClock.monotonic() < until) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok === true) return;
    await systemClock.sleep(50);
  }
  throw new Error(`the gateway was not ready within ${READY_WITHIN_MS} ms`);
}
