import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Budget, type BudgetLimits } from '../../src/upstream/budget.ts';

const LIMITS: BudgetLimits = {
  concurrentRequestsMax: 6,
  concurrentPollsMax: 4,
  concurrentSubmitsMax: 2,
  pollsPerSecondMax: 100,
};

/** Time that a test sets. */
function stopped() {
  const time = { ms: 0, monotonic: () => time.ms };
  return time;
}
const budgetOf = (limits: Partial<BudgetLimits> = {}, everywhere = 1000, clock = stopped()) => ({
  clock,
  budget: new Budget(
    clock,
    [
      ['a', { ...LIMITS, ...limits }],
      ['b', LIMITS],
    ],
    everywhere,
  ),
});

describe('the last place', () => {
  /** What is counted while `act` takes from a budget of these limits. */
  function counted(limits: Partial<BudgetLimits>, everywhere: number, act: (budget: Budget) => void) {
    const seen: string[] = [];
    const metrics = {
      reached: ({ limit, upstream }: { limit: string; upstream: string }) => seen.push(`${upstream} ${limit}`),
    };
    act(new Budget(stopped(), [['a', { ...LIMITS, ...limits }]], everywhere, metrics));
    return seen;
  }
  const take = (kind: 'poll' | 'submit' | 'request', times: number) => (budget: Budget) => {
    for (let count = 0; count < times; count++) budget.take(kind, 'a');
  };

  test('of a kind, and of all kinds, is counted when it is taken, and not before', () => {
    expect(counted({}, 1000, take('submit', 1))).toEqual([]);
    expect(counted({}, 1000, take('submit', 2))).toEqual(['a concurrentSubmitsMax']);
    expect(counted({}, 1000, take('poll', 4))).toEqual(['a concurrentPollsMax']);
    expect(counted({}, 1000, take('request', 6))).toEqual(['a concurrentRequestsMax']);
  });

  test('of this second is counted, for the upstream and for all of them', () => {
    expect(counted({ pollsPerSecondMax: 2 }, 1000, take('poll', 1))).toEqual(['a pollsPerSecondMax']);
    expect(counted({}, 4, take('poll', 2))).toEqual(['none pollsPerSecondMax']);
  });

  test('that came free is counted again when it is taken again', () => {
    const twice = (budget: Budget) => {
      budget.take('submit', 'a')();
      budget.take('submit', 'a');
    };
    expect(counted({ concurrentSubmitsMax: 1 }, 1000, twice)).toEqual(['a concurrentSubmitsMax', 'a concurrentSubmitsMax']);
  });
});

describe('open requests', () => {
  test('of a kind are bounded, and come free again when they are over', () => {
    const { budget } = budgetOf();
    expect([budget.available('poll', 'a'), budget.available('submit', 'a'), budget.available('request', 'a')]).toEqual([
      4, 2, 6,
    ]);
    const release = budget.take('submit', 'a');
    budget.take('submit', 'a');
    expect(budget.available('submit', 'a')).toBe(0);
    release();
    release();
    expect(budget.available('submit', 'a')).toBe(1);
  });

  test('of all kinds share one bound', () => {
    const { budget } = budgetOf();
    for (let count = 0; count < 5; count++) budget.take('request', 'a');
    expect([budget.available('poll', 'a'), budget.available('submit', 'a'), budget.available('request', 'a')]).toEqual([
      1, 1, 1,
    ]);
    budget.take('poll', 'a');
    expect([budget.available('poll', 'a'), budget.available('submit', 'a'), budget.available('request', 'a')]).toEqual([
      0, 0, 0,
    ]);
  });

  test('of one upstream leave another alone, and of an unknown one there are none', () => {
    const { budget } = budgetOf();
    for (let count = 0; count < 6; count++) budget.take('request', 'a');
    expect([budget.available('request', 'b'), budget.available('request', 'c')]).toEqual([6, 0]);
    expect(() => budget.take('request', 'c')()).not.toThrow();
  });
});

describe('polls per second', () => {
  test('come back at their rate, up to half a second of them', () => {
    const { budget, clock } = budgetOf({ concurrentPollsMax: 1000, concurrentRequestsMax: 1000, pollsPerSecondMax: 10 });
    for (let count = 0; count < 5; count++) budget.take('poll', 'a')();
    expect(budget.available('poll', 'a')).toBe(0);
    clock.ms = 100;
    expect(budget.available('poll', 'a')).toBe(1);
    clock.ms = 60_000;
    expect(budget.available('poll', 'a')).toBe(5);
  });

  test('are bounded for all upstreams together', () => {
    const { budget } = budgetOf({}, 4);
    budget.take('poll', 'a')();
    expect(budget.available('poll', 'b')).toBe(1);
    budget.take('poll', 'b')();
    expect([budget.available('poll', 'a'), budget.available('poll', 'b')]).toEqual([0, 0]);
  });

  test('are told for all upstreams together, since each alone may have room for as many', () => {
    const { budget } = budgetOf({}, 4);
    expect([budget.availableInAll('poll'), budget.availableInAll('submit')]).toEqual([2, Number.POSITIVE_INFINITY]);
    budget.take('poll', 'a')();
    expect(budget.availableInAll('poll')).toBe(1);
  });

  test('have places that the rate has no part in', () => {
    const { budget } = budgetOf({ concurrentPollsMax: 2, pollsPerSecondMax: 1 }, 4);
    budget.take('poll', 'a');
    expect([budget.available('poll', 'a'), budget.places('poll', 'a')]).toEqual([0, 1]);
    budget.take('poll', 'a');
    expect(budget.places('poll', 'a')).toBe(0);
    expect(budget.places('poll', 'nobody')).toBe(0);
  });

  test('never exceed the rate in any second, whatever the rhythm', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 60 }),
        (rate, gaps) => {
          const { budget, clock } = budgetOf({
            concurrentPollsMax: 1000,
            concurrentRequestsMax: 1000,
            pollsPerSecondMax: rate,
          });
          const begun: number[] = [];
          for (const gap of gaps) {
            clock.ms += gap;
            for (let free = budget.available('poll', 'a'); free > 0; free--) {
              budget.take('poll', 'a')();
              begun.push(clock.ms);
            }
          }
          for (const from of begun) {
            const within = begun.filter((at) => at >= from && at < from + 1000).length;
            expect(within).toBeLessThanOrEqual(rate);
          }
        },
      ),
    );
  });

  test('of many upstreams never exceed their common rate in any second, whatever is due where', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.record({ gap: fc.integer({ min: 0, max: 400 }), from: fc.constantFrom('a', 'b') }), { maxLength: 60 }),
        (rate, ticks) => {
          const { budget, clock } = budgetOf({ concurrentPollsMax: 1000, concurrentRequestsMax: 1000 }, rate);
          const begun: number[] = [];
          for (const { gap, from } of ticks) {
            clock.ms += gap;
            // As the worker asks: so many in all, of which so many from each.
            let free = Math.min(budget.availableInAll('poll'), budget.available('poll', from));
            for (; free > 0; free--) {
              budget.take('poll', from)();
              begun.push(clock.ms);
            }
          }
          for (const since of begun)
            expect(begun.filter((at) => at >= since && at < since + 1000).length).toBeLessThanOrEqual(rate);
        },
      ),
    );
  });

  test('that are always wanted come at their rate', () => {
    const { budget, clock } = budgetOf({ concurrentPollsMax: 1000, concurrentRequestsMax: 1000, pollsPerSecondMax: 10 });
    let begun = 0;
    for (; clock.ms < 60_000; clock.ms += 25)
      for (let free = budget.available('poll', 'a'); free > 0; free--, begun++) budget.take('poll', 'a')();
    expect(begun).toBeGreaterThanOrEqual(590);
    expect(begun).toBeLessThanOrEqual(600);
  });

  test('taken beyond what was there are waited off', () => {
    const { budget, clock } = budgetOf({ pollsPerSecondMax: 10 });
    for (let count = 0; count < 10; count++) budget.take('poll', 'a')();
    clock.ms = 999;
    expect(budget.available('poll', 'a')).toBe(0);
    clock.ms = 1_001;
    expect(budget.available('poll', 'a')).toBe(4);
  });
});
