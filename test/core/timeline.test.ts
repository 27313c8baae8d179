import { describe, expect, test } from 'vitest';
import type { Descriptor } from '../../src/core/descriptor.ts';
import { facetsOf, needsOperator, STATE_WORDS, stateOf } from '../../src/core/facets.ts';
import { open } from '../../src/core/machine.ts';
import type { OperationEvent } from '../../src/core/operation.ts';
import { entryOf } from '../../src/core/timeline.ts';
import { EVENTS, FINAL, LIFE } from '../../src/core/transitions.ts';
import { created, eventOf, held, reached, started, traitsOf } from './machine.fixtures.ts';

const traits = traitsOf();
const operation = open(created(), traits);
const submit = { method: 'POST', server: 'https://studio.example', path: '/jobs' };
const descriptor = { submit, traits } as unknown as Descriptor;
const detailOf = (event: OperationEvent, by = descriptor) =>
  entryOf(operation, { seq: 2, event, disposition: 'applied' }, by).detail;

describe('a line of a timeline', () => {
  test.each(EVENTS.map((type) => [type] as const))('for %s holds no gap, no query and no break', (type) => {
    const reference = { id: 'job-1', statusUrl: 'https://studio.example/jobs/1?sig=secret' };
    const entry = entryOf(
      operation,
      { seq: 2, event: eventOf(type, { reference, message: 'said so', attempt: 1 } as never), disposition: 'late' },
      descriptor,
    );
    expect(entry).toMatchObject({ position: 2, event: type, disposition: 'late', at: expect.stringMatching(/Z$/) });
    expect(entry.detail).not.toMatch(/undefined|\[object|secret|\n|^ · | · $/);
  });

  test('says what was learned', () => {
    expect(detailOf(eventOf('submit_started', { attempt: 2 }))).toBe('attempt 2 · POST https://studio.example/jobs');
    expect(
      detailOf(
        eventOf('seen_ended', {
          ending: 'failed',
          message: 'no capacity',
          held: { ...held, digest: `sha256:${'a'.repeat(64)}` },
        }),
      ),
    ).toBe('failed · no capacity · application/json, sha256:aaaaaaaaaaaa…');
    expect(detailOf(eventOf('seen_working', { progress: { fraction: 0.405, message: 'half' }, unknownWord: 'PAUSED' }))).toBe(
      '40 % · half · unknown word "PAUSED"',
    );
    expect(detailOf(eventOf('operator_settles', { message: 'see ticket 7' }))).toBe('stopped by hand · see ticket 7');
  });

  test('says why doubt ended at once where nothing could have settled it', () => {
    const helpless = {
      submit,
      traits: traitsOf({ lookup: false, deduplicates: false, status: true }),
    } as unknown as Descriptor;
    expect(detailOf(eventOf('window_over'), helpless)).toMatch(/^nothing automatic can settle it/);
    expect(detailOf(eventOf('window_over'))).toBe('nothing has settled it in time');
  });
});

describe('a word for a state', () => {
  test('is there for every life and every outcome', () => {
    const lives = LIFE.filter((life) => !(FINAL as readonly string[]).includes(life));
    for (const word of [
      ...lives.map((life) => life.toLowerCase().replaceAll('_', '-')),
      'succeeded',
      'failed',
      'cancelled',
      'unknown',
    ])
      expect(STATE_WORDS).toContain(word);
    expect(facetsOf('unheard-of')).toBeUndefined();
  });

  test('finds what needs somebody exactly where it is said to', () => {
    const helpless = traitsOf({ lookup: false, deduplicates: false });
    const lost = reached(helpless, started(), eventOf('submit_ambiguous'));
    const unknown = reached(helpless, started(), eventOf('submit_ambiguous'), eventOf('window_over'));
    const facets = facetsOf('needs-reconciliation') ?? [];
    for (const one of [operation, lost, unknown]) {
      const isListed = facets.some((facet) =>
        'life' in facet
          ? facet.life === one.life
          : 'effects' in facet
            ? facet.effects === one.effects
            : facet.outcome === one.receipt?.outcome,
      );
      expect(isListed, stateOf(one)).toBe(needsOperator(one));
    }
    expect([operation, lost, unknown].map(stateOf)).toEqual(['queued', 'submission-unknown', 'unknown']);
  });
});
