// The gateway as a child process: started as an operator would start it, watched by its readiness and its log.

import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../src/clock.ts';

/** One line of the gateway's log: JSON, one object a line. */
export type LogLine = Readonly<Record<string, unknown>>;

export interface GatewayProcess {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  /** How it ended: the exit code, or null after a signal. */
  readonly exited: Promise<number | null>;
  signal(name: 'SIGTERM' | 'SIGKILL' | 'SIGINT'): void;
  /** Everything that it has printed so far, on both streams. */
  output(): string;
}

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const READY_WITHIN_MS = 30_000;
const READY_EVERY_MS = 50;

/**
 * Starts `longshore serve` on a configuration that listens on `url`, and waits until it is ready.
 * Throws, with what it printed, when it ends instead or is not ready in time; it does not run on then.
 */
export async function startGateway(options: {
  readonly config: string;
  readonly url: string;
  /** The whole environment; this process's own where absent. */
  readonly env?: NodeJS.ProcessEnv;
  readonly onLog?: (line: LogLine) => void;
  /** The program; this project's own where absent. */
  readonly main?: string;
}): Promise<GatewayProcess> {
  const { url } = options;
  const child = spawn(process.execPath, [options.main ?? MAIN, 'serve', '--config', options.config], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: Ctrl-C in a terminal must reach the gateway through its parent, once.
    detached: true,
    ...(options.env === undefined ? {} : { env: options.env }),
  });
  let output = '';
  const collect = (line: string) => {
    output += `${line}\n`;
    const parsed = readLine(line);
    if (parsed !== undefined) options.onLog?.(parsed);
  };
  createInterface({ input: child.stdout }).on('line', collect);
  createInterface({ input: child.stderr }).on('line', collect);
  const orphaned = () => child.kill('SIGKILL');
  process.once('exit', orphaned);
  const exited = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      process.off('exit', orphaned);
      resolve(code);
    });
  });
  await ready(child, exited, url).catch((error: Error) => {
    child.kill('SIGKILL');
    throw new Error(`${error.message}:\n${output.trimEnd()}`);
  });
  return { url, exited, signal: (name) => child.kill(name), output: () => output };
}

async function ready(child: ChildProcess, exited: Promise<number | null>, url: string): Promise<void> {
  let gone = false;
  void exited.then(() => {
    gone = true;
  });
  const until = systemClock.monotonic() + READY_WITHIN_MS;
  while (systemClock.monotonic() < until) {
    if (gone) throw new Error(`the gateway ended (${child.exitCode ?? child.signalCode}) before it was ready`);
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(1000) }).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok === true) return;
    await Promise.race([exited, systemClock.sleep(READY_EVERY_MS)]);
  }
  throw new Error(`the gateway was not ready within ${READY_WITHIN_MS / 1000} s`);
}

function readLine(line: string): LogLine | undefined {
  try {
    return line.startsWith('{') ? (JSON.parse(line) as LogLine) : undefined;
  } catch {
    return undefined;
  }
}

/** `port` when nobody has it, else a free one. */
export function freePort(port = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' && port !== 0) freePort().then(resolve, reject);
      else reject(error);
    });
    probe.listen(port, '127.0.0.1', () => {
      const { port: found } = probe.address() as AddressInfo;
      probe.close(() => resolve(found));
    });
  });
}
