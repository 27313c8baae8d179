// Living taskSupport before the real engine and ledger, on virtual time.

import { afterEach, describe, expect, test } from 'vitest';
import { SAMPLE_MIN } from '../../src/core/durations.ts';
import type { JobTool } from '../../src/core/tool.ts';
import { type House, house, jobTool, type Script } from './kit.ts';

let home: House | undefined;
afterEach(async () => {
  await home?.close();
  home = undefined;
});

/** Every job ends so long after it was submitted. */
async function setting(durationMs: { value: number }, tool: Partial<JobTool> = { measured: true }): Promise<House> {
  const jobs = new Map<string, number>();
  const submit: Script = (_request, count) => {
    jobs.set(`/jobs/j${count}`, (home?.clock.now() ?? 0) + durationMs.value);
    return { status: 202, json: { id: `j${count}`, status: 'queued' } };
  };
  const scripts: Record<string, Script> = { 'POST /jobs': submit };
  for (let n = 1; n <= 200; n += 1) {
    const path = `/jobs/j${n}`;
    scripts[`GET ${path}`] = () => {
      const isOver = (home?.clock.now() ?? 0) >= (jobs.get(path) ?? 0);
      return { status: 200, json: isOver ? { status: 'succeeded', result: { n } } : { status: 'running' } };
    };
  }
  home = await house(scripts, { tool: { ...jobTool(), ...tool }, durations: true });
  return home;
}

async function run(it: House, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await it.begun({ n });
  await it.clock.advance(300_000);
}

const shown = ({ engine, tool }: House) => engine.support?.of(tool);

describe('a tool whose duration nobody described', () => {
  test('needs a task once its jobs show that they take long, and not before there are enough', async () => {
    const it = await setting({ value: 60_000 });
    let told = 0;
    it.engine.support?.subscribe(() => {
      told += 1;
    });
    await run(it, SAMPLE_MIN - 1);
    expect([shown(it)?.taskSupport, told]).toEqual(['optional', 0]);
    await run(it, 1);
    expect([shown(it)?.taskSupport, told]).toEqual(['required', 1]);
    expect(shown(it)?.why).toMatch(/^its last 30 jobs took 6\d(\.\d)? s in the middle/);
  });

  test('is what it was after a restart: the ledger knows how long its jobs took', async () => {
    const it = await setting({ value: 60_000 });
    await run(it, SAMPLE_MIN);
    await it.crash();
    expect(shown(it)?.taskSupport).toBe('required');
  });

  test('moves back when its jobs become quick', async () => {
    const durationMs = { value: 60_000 };
    const it = await setting(durationMs);
    await run(it, SAMPLE_MIN);
    durationMs.value = 2_000;
    await run(it, 100);
    expect(shown(it)?.taskSupport).toBe('forbidden');
  });

  test('does not move where it was described or pinned', async () => {
    const it = await setting({ value: 60_000 }, {});
    await run(it, SAMPLE_MIN);
    expect(shown(it)).toBe(it.tool);
  });
});
