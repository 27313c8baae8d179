// The real process under test: a configuration in a folder of its own, `longshore serve` on it, kill -9 and start again.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, type GatewayProcess, type LogLine, startGateway } from '../../demo/gateway.ts';

export interface GatewayUnderTest {
  /** The MCP endpoint. Stays the same over restarts. */
  readonly url: string;
  readonly base: string;
  /** Every line logged so far, over all starts. */
  readonly log: readonly LogLine[];
  /** Its folder: the ledger is `ledger.db` in it. */
  readonly folder: string;
  /** The process as it is now. */
  process(): GatewayProcess;
  start(): Promise<void>;
  kill9(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Ends it, whatever it is doing, and removes its folder. */
  dispose(): Promise<void>;
}

/** A new folder, and how to remove it with all that is in it. */
export async function folder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'longshore-e2e-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Path of a file of this project, from its root. */
export const projectFile = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/**
 * Starts a gateway in front of `upstreams`: YAML, one member for each, indented by two.
 * `settings`: more of the configuration, e.g. `limits: { inlineWait: 1s }`.
 */
export async function serve(
  upstreams: string,
  options: {
    readonly settings?: string;
    readonly env?: Readonly<Record<string, string>>;
    /** The program; this project's own where absent. */
    readonly main?: string;
  } = {},
): Promise<GatewayUnderTest> {
  const { path, remove } = await folder();
  const base = `http://127.0.0.1:${await freePort()}`;
  const config = join(path, 'longshore.yaml');
  await writeFile(
    config,
    `server: { listen: '${new URL(base).host}', drain: 5s }\nledger: sqlite:./ledger.db\npollInterval: 100ms\n${options.settings ?? ''}\nupstreams:\n${upstreams}`,
  );
  const log: LogLine[] = [];
  let running: GatewayProcess | undefined;
  const gateway: GatewayUnderTest = {
    url: `${base}/mcp`,
    base,
    log,
    folder: path,
    process: () => {
      if (running === undefined) throw new Error('the gateway is not running');
      return running;
    },
    start: async () => {
      running = await startGateway({
        config,
        url: base,
        env: { ...process.env, ...options.env },
        ...(options.main !== undefined && { main: options.main }),
        onLog: (line) => log.push(line),
      });
    },
    kill9: async () => {
      running?.signal('SIGKILL');
      await running?.exited;
      running = undefined;
    },
    stop: async () => {
      running?.signal('SIGTERM');
      const code = await running?.exited;
      running = undefined;
      return code ?? null;
    },
    dispose: async () => {
      await gateway.kill9();
      await remove();
    },
  };
  try {
    await gateway.start();
  } catch (error) {
    await gateway.dispose();
    throw error;
  }
  return gateway;
}

/** Closes what a test has opened, last first: `const { keep, closeAll } = closing(); afterEach(closeAll)`. */
export function closing(): { keep<T>(thing: T, close: (thing: T) => Promise<unknown>): T; closeAll(): Promise<void> } {
  const open: (() => Promise<unknown>)[] = [];
  return {
    keep: (thing, close) => {
      open.push(() => close(thing));
      return thing;
    },
    closeAll: async () => {
      for (const close of open.splice(0).reverse()) await close();
    },
  };
}

/** Asks again, a little apart, until the answer is neither undefined nor false; throws, naming `what`, after the deadline. */
export async function until<T>(
  what: string,
  ask: () => T | Promise<T>,
  deadlineMs = 40_000,
): Promise<Exclude<T, undefined | false>> {
  const end = performance.now() + deadlineMs;
  while (performance.now() < end) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>;
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  throw new Error(`not within ${deadlineMs} ms: ${what}`);
}
