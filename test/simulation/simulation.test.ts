// The guarantees, under every order of events that a few hundred histories meet, and under all that once broke one.

import { describe, expect, test } from 'vitest';
import { corpus } from './corpus.ts';
import { type History, historyOf } from './history.ts';
import { inSqlite, play } from './play.ts';
import { shrink } from './shrink.ts';
import { areCancelsPrompt, lastLine, playSeeds } from './tally.ts';

const HISTORIES = 250;

describe('the gateway keeps every guarantee', () => {
  test.each([...corpus])('where it once did not, or where it is hard to: %s', async (_name, history) => {
    const { breaches, operations } = await play(history);
    expect(breaches).toEqual([]);
    expect(operations).toBeGreaterThan(0);
  });

  test(`in ${HISTORIES} histories of crashes, lies and late answers`, { timeout: 120_000 }, async () => {
    const tally = await playSeeds(Array.from({ length: HISTORIES }, (_, index) => 1 + index));
    expect(tally.failures, 'npm run simulate -- --histories 250 --seed 1 makes it small').toEqual([]);
    expect(JSON.parse(lastLine(tally, 1))).toMatchObject({
      histories: HISTORIES,
      lostOperations: 0,
      brokenHistories: 0,
      unknownsTraceable: '100%',
    });
    expect(areCancelsPrompt(tally)).toBe(true);
    // A run that never got into trouble would prove nothing.
    const reached = Object.keys(tally.outcomes).map((outcome) => outcome.replace(/\/[A-Z]+$/, ''));
    for (const outcome of [
      'succeeded/upstream',
      'failed/upstream',
      'cancelled/upstream',
      'cancelled/caller',
      'unknown/deadline',
    ]) {
      expect(reached).toContain(outcome);
    }
  });

  test('on the store that it is shipped with', { timeout: 120_000 }, async () => {
    const tally = await playSeeds(
      Array.from({ length: 20 }, (_, index) => 5_000 + index),
      inSqlite,
    );
    expect(tally.failures).toEqual([]);
  });
});

describe('a history', () => {
  test('is played the same each time', async () => {
    const [one, other] = [await play(historyOf(7)), await play(historyOf(7))];
    expect(other).toEqual(one);
  });

  test('is made by its seed alone', () => {
    expect(historyOf(7)).toEqual(historyOf(7));
    expect(historyOf(8)).not.toEqual(historyOf(7));
  });

  test('that breaks nothing is left as it is by shrinking', async () => {
    const history: History = { ...historyOf(7), faults: [] };
    expect(await shrink(history, 'I1')).toBe(history);
  });
});
