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
async function setting(
  durationMs: { value: number },
  tool: Partial<JobTool> = { measured: true },
  dies?: NonNullable<Parameters<typeof house>[1]>['dies'],
): Promise<House> {
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
  home = await house(scripts, { tool: { ...jobTool(), ...tool }, durations: true, ...(dies && { dies }) });
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
    expect(await it.engine.support?.moves({ limit: 10 })).toHaveLength(1);
  });

  test('stays after a restart where the margin has kept it, and is not judged as if it had never moved', async () => {
    const durationMs = { value: 60_000 };
    const it = await setting(durationMs);
    await run(it, SAMPLE_MIN);
    // Above the threshold's lower margin, and below its upper one: what is `required` stays so, what is not would not become so.
    durationMs.value = 28_000;
    await run(it, 40);
    expect(shown(it)?.taskSupport).toBe('required');
    await it.crash();
    expect(shown(it)?.taskSupport).toBe('required');
    expect(await it.engine.support?.moves({ limit: 10 })).toHaveLength(1);
  });

  test('is moved by an event that says when, from where to where, and by what', async () => {
    const it = await setting({ value: 60_000 });
    const before = it.clock.now();
    await run(it, SAMPLE_MIN);
    const [move] = (await it.engine.support?.moves({ limit: 10 })) ?? [];
    expect(move).toMatchObject({ tool: it.tool.name, upstream: it.tool.upstream, from: 'optional', to: 'required' });
    expect(move?.by.count).toBe(SAMPLE_MIN);
    expect(move?.by.p50Ms).toBeGreaterThanOrEqual(60_000);
    expect(move?.at).toBeGreaterThan(before);
    expect(it.engine.support?.list()).toEqual([
      expect.objectContaining({ tool: it.tool.name, taskSupport: 'required', moves: true, measured: move?.by }),
    ]);
  });

  test('moves again, once, when a kill came before the move was durable', async () => {
    let deadly = false;
    const it = await setting({ value: 60_000 }, { measured: true }, (_write, name) =>
      deadly && name === 'keepMove' ? 'before' : undefined,
    );
    deadly = true;
    await run(it, SAMPLE_MIN);
    expect(await it.ledger.moves({ limit: 10 })).toEqual([]);
    deadly = false;
    await it.crash();
    expect(shown(it)?.taskSupport).toBe('required');
    expect(await it.ledger.moves({ limit: 10 })).toHaveLength(1);
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
