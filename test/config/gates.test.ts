import { describe, expect, test } from 'vitest';
import { faultsOf, load } from './files.ts';

const LEAST = 'upstreams: {billing: {document: api.yaml}}\n';

describe('gates', () => {
  test('are read with what narrows them, and who is told why', async () => {
    const text = `gates:
  tripAfter: 0
  tripWithin: 1h
  set:
    - { adapter: http-202@1, contract: 2025-11-25, mode: drain }
    - { adapter: http-202@1, contract: 2026-07-28, upstream: billing, tool: create_export, mode: canary, share: 0.2, reason: trying it }
`;
    expect((await load(text + LEAST)).gates).toEqual({
      tripAfter: 0,
      tripWithinMs: 3_600_000,
      set: [
        { adapter: 'http-202@1', contract: '2025-11-25', mode: 'drain', reason: 'by configuration' },
        {
          adapter: 'http-202@1',
          contract: '2026-07-28',
          upstream: 'billing',
          tool: 'create_export',
          mode: 'canary',
          share: 0.2,
          reason: 'trying it',
        },
      ],
    });
  });

  test.each([
    [
      'a canary without a share',
      '{adapter: a@1, contract: 2025-11-25, mode: canary}',
      /\/gates\/set\/0: can not be: a canary needs a share/,
    ],
    ['a share of nothing', '{adapter: a@1, contract: none, mode: drain, share: 0.5}', /a share belongs to canary alone/],
    ['a canary of calls without Tasks', '{adapter: a@1, contract: none, mode: canary, share: 0.5}', /nothing to fall back on/],
    ['a mode that is none', '{adapter: a@1, contract: none, mode: closed}', /must be one of open, canary, shadow, drain/],
    [
      'one place twice',
      '{adapter: a@1, contract: none, mode: drain}, {adapter: a@1, contract: none, mode: open}',
      /\/gates\/set\/1: is about what an earlier one is about → keep one of the two/,
    ],
  ])('refuse %s', async (_what, gates, fault) => {
    expect(await faultsOf(load(`gates: {set: [${gates}]}\n${LEAST}`))).toEqual([expect.stringMatching(fault)]);
  });
});
