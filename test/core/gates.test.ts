// Gates: which of them concern a call, which one decides, and that a share is the same for the same call.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  callKey,
  concerns,
  drainedWords,
  FIRST_EPOCH,
  faultOfChange,
  fractionOf,
  GATE_MODES,
  type Gate,
  type GateSubject,
  gateName,
  strictest,
  verdict,
} from '../../src/core/gates.ts';

const SUBJECT: GateSubject = { adapter: 'http-202@1', contract: '2025-11-25', upstream: 'billing', tool: 'create_export' };
const { adapter, contract } = SUBJECT;
const SINCE = Date.parse('2026-11-29T09:14:00Z');

const gate = (changes: Partial<Gate> = {}): Gate => ({
  adapter,
  contract,
  mode: 'drain',
  reason: 'contract pin differs',
  actor: 'ada',
  epoch: 2,
  since: SINCE,
  ...changes,
});

const anyGate = fc
  .record({
    adapter: fc.constantFrom('http-202@1', 'http-202@2', 'aip-151@1'),
    contract: fc.constantFrom('2025-11-25' as const, '2026-07-28' as const, 'none' as const),
    upstream: fc.constantFrom(undefined, 'billing', 'mill'),
    tool: fc.constantFrom(undefined, 'create_export', 'grind'),
    mode: fc.constantFrom(...GATE_MODES),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    epoch: fc.integer({ min: 2, max: 1_000 }),
  })
  .map(({ upstream, tool, share, mode, ...rest }) =>
    gate({ ...rest, mode, ...(upstream && { upstream }), ...(tool && { tool }), ...(mode === 'canary' && { share }) }),
  );
const gates = fc.array(anyGate, { maxLength: 12 });

describe('a verdict', () => {
  test('without a gate is open, at the first epoch', () => {
    expect(verdict([], SUBJECT, 'k')).toEqual({ mode: 'open', epoch: FIRST_EPOCH });
  });

  test.each([
    ['another adapter', { adapter: 'http-202@2' }],
    ['another contract', { contract: 'none' as const }],
    ['another upstream', { upstream: 'mill' }],
    ['another tool', { tool: 'grind' }],
  ])('asks no gate of %s', (_what, changes) => {
    expect(verdict([gate(changes)], SUBJECT, 'k')).toEqual({ mode: 'open', epoch: FIRST_EPOCH });
  });

  test.each([
    ['adapter and contract', {}],
    ['an upstream', { upstream: 'billing' }],
    ['a tool', { upstream: 'billing', tool: 'create_export' }],
    ['a tool of whatever upstream', { tool: 'create_export' }],
  ])('asks the gate of %s', (_what, changes) => {
    expect(verdict([gate(changes)], SUBJECT, 'k')).toEqual({ mode: 'drain', epoch: 2, gate: gate(changes) });
  });

  test('is that of the strictest gate, however they stand, and at the newest epoch of all that concern the call', () => {
    fc.assert(
      fc.property(gates, fc.string(), (all, key) => {
        const concerned = all.filter((one) => concerns(one, SUBJECT));
        const { mode, epoch, gate: decides } = verdict(all, SUBJECT, key);
        const ranks = concerned.map((one) => GATE_MODES.indexOf(one.mode));
        const highest = Math.max(0, ...ranks);
        if (highest === 3) expect(mode).toBe('drain');
        else if (highest === 2) expect(mode).toBe('shadow');
        else if (highest === 1) expect(['open', 'aside']).toContain(mode);
        else expect(mode).toBe('open');
        if (decides !== undefined) expect(GATE_MODES.indexOf(decides.mode)).toBe(highest);
        expect(epoch).toBe(Math.max(FIRST_EPOCH, ...concerned.map((one) => one.epoch)));
      }),
    );
  });

  test('does not depend on the order of the gates', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyGate, { selector: ({ epoch }) => epoch, maxLength: 8 }), fc.string(), (all, key) => {
        expect(verdict([...all].reverse(), SUBJECT, key)).toEqual(verdict(all, SUBJECT, key));
      }),
    );
  });

  test('is never relaxed by one more gate', () => {
    const rank = { open: 0, aside: 1, shadow: 2, drain: 3 };
    fc.assert(
      fc.property(gates, anyGate, fc.string(), (all, more, key) => {
        expect(rank[verdict([...all, more], SUBJECT, key).mode]).toBeGreaterThanOrEqual(rank[verdict(all, SUBJECT, key).mode]);
      }),
    );
  });

  test('through several doors is the strictest of theirs', () => {
    expect(strictest([{ mode: 'open', epoch: 1 }, verdict([gate()], SUBJECT, 'k'), { mode: 'aside', epoch: 1 }]).mode).toBe(
      'drain',
    );
  });
});

describe('a canary', () => {
  const judged = (share: number, key: string) => verdict([gate({ mode: 'canary', share })], SUBJECT, key).mode;

  test('judges the same call the same way, and a larger share admits what a smaller one did', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(share, share, fc.string(), (one, other, key) => {
        const [small, large] = [Math.min(one, other), Math.max(one, other)];
        expect(judged(small, key)).toBe(judged(small, key));
        if (judged(small, key) === 'open') expect(judged(large, key)).toBe('open');
      }),
    );
  });

  test.each([0, 0.1, 0.5, 0.9, 1])('of %d lets about that share through', (share) => {
    const through = Array.from({ length: 4_000 }, (_, n) => judged(share, callKey('ada', 'create_export', `order-${n}`)));
    expect(through.filter((mode) => mode === 'open').length / 4_000).toBeCloseTo(share, 1);
    expect(Math.abs(through.filter((mode) => mode === 'open').length / 4_000 - share)).toBeLessThan(0.03);
  });

  test('keys of different callers and tools that read alike are different', () => {
    expect(fractionOf(callKey('a', 'b"', 'c'))).not.toBe(fractionOf(callKey('a', 'b', '"c')));
  });

  test('needs a share, and a contract to be a canary of', () => {
    const change = { adapter, contract, mode: 'canary', reason: 'trying', actor: 'ada' } as const;
    expect(faultOfChange({ ...change, share: 0.1 })).toBeUndefined();
    expect(faultOfChange(change)).toMatch(/needs a share/);
    expect(faultOfChange({ ...change, share: 1.1 })).toMatch(/from 0 to 1/);
    expect(faultOfChange({ ...change, share: 0.1, contract: 'none' })).toMatch(/nothing to fall back on/);
    expect(faultOfChange({ ...change, mode: 'drain', share: 0.1 })).toMatch(/canary alone/);
  });
});

describe('a caller', () => {
  test('is told the gate, why and since when, and that nothing was started', () => {
    const words = drainedWords('create_export', gate({ upstream: 'billing' }));
    expect(words).toContain('http-202@1 × 2025-11-25 (upstream billing)');
    expect(words).toContain('since 2026-11-29T09:14:00.000Z: contract pin differs.');
    expect(words).toContain('Nothing was started.');
    expect(gateName(gate({ tool: 'grind' }))).toBe('http-202@1 × 2025-11-25 (tool grind)');
  });
});
