import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { closing, projectFile, until } from './gateway.ts';

const { keep, closeAll } = closing();
afterEach(closeAll);

async function demo(...args: string[]) {
  const folder = keep(await mkdtemp(join(tmpdir(), 'longshore-demo-')), (it) => rm(it, { recursive: true, force: true }));
  const child = spawn(process.execPath, [projectFile('demo/run.ts'), ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    printed.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    printed.err += chunk;
  });
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  keep(child, async (it) => {
    it.kill('SIGKILL');
    await exited;
  });
  return { folder, child, printed, exited };
}

describe('the demo', { timeout: 90_000 }, () => {
  test('drives one job under each contract, tells it, and sums up in a line of JSON', async () => {
    const { folder, printed, exited } = await demo('--once');
    expect(await exited, printed.err).toBe(0);
    expect(JSON.parse(printed.out.trimEnd().split('\n').at(-1) ?? '')).toEqual({
      completed: 3,
      upstreamJobs: 3,
      duplicates: 0,
      contracts: ['2025-11-25', '2026-07-28', 'none'],
    });
    expect(printed.out).toMatch(/poll 1 +\d+ %/);
    expect(printed.out).toMatch(/sha256 [0-9a-f]{8}/);
    expect(printed.out).toMatch(/pending with a handle/);
    // No colours into a pipe.
    expect(printed.out).not.toContain('\u001b[');
    expect(await readFile(join(folder, 'data', 'demo.yaml'), 'utf8').catch(() => 'another port')).toBeTruthy();
  });

  test('stays up with lines to connect a client by, and ends cleanly on SIGINT', async () => {
    const { child, printed, exited } = await demo();
    const url = await until('the lines for clients', () => /longshore (http:\/\/\S+\/mcp)/.exec(printed.out)?.[1], 60_000);
    expect((await fetch(new URL('/readyz', url))).ok).toBe(true);
    child.kill('SIGINT');
    expect(await exited, printed.err).toBe(0);
    await expect(fetch(new URL('/readyz', url))).rejects.toThrow();
  });

  test('refuses an argument that it does not know', async () => {
    const { printed, exited } = await demo('--twice');
    expect(await exited).toBe(2);
    expect(printed.err).toContain('--once');
  });
});
