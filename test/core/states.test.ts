import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AMBIGUOUS, conflictingWord, MEANINGS, meaningOf, normaliseWord, VOCABULARY } from '../../src/core/states.ts';

const WORDS = MEANINGS.flatMap((meaning) => VOCABULARY[meaning].map((word) => [word, meaning] as const));

describe('the vocabulary', () => {
  test('gives every word one meaning', () => {
    expect(conflictingWord(VOCABULARY)).toBeUndefined();
    expect(new Set(WORDS.map(([word]) => word)).size).toBe(WORDS.length);
  });
  test('is written as words are compared', () => {
    for (const word of [...WORDS.map(([one]) => one), ...AMBIGUOUS]) expect(normaliseWord(word)).toBe(word);
  });
  test('has no opinion on words that mean different things', () => {
    for (const word of AMBIGUOUS) expect(meaningOf(word)).toBeUndefined();
  });
  test('knows a word in any case, with any separator', () => {
    const separator = fc.constantFrom('', ' ', '_', '-', '.');
    fc.assert(
      fc.property(
        fc.constantFrom(...WORDS),
        fc.array(fc.tuple(separator, fc.boolean()), { minLength: 40, maxLength: 40 }),
        ([word, meaning], marks) => {
          const written = [...word]
            .map((char, at) => `${marks[at]?.[0] ?? ''}${marks[at]?.[1] ? char.toUpperCase() : char}`)
            .join('');
          expect(meaningOf(` ${written} `)).toBe(meaning);
        },
      ),
    );
  });
  test('never takes a part of a word for the whole', () => {
    for (const word of ['cancel', 'cancelledby', 'cancellation_in_progress', 'unsucceeded', 'not failed', 'pre-running', '']) {
      expect(meaningOf(word)).toBeUndefined();
    }
    expect(meaningOf('CANCELLING')).toBe('working');
  });
});

describe('described words', () => {
  test('win over the vocabulary', () => {
    expect(meaningOf('Failed', { succeeded: ['FAILED'] })).toBe('succeeded');
  });
  test('replace the built-in words of their meaning, and of no other', () => {
    expect(meaningOf('finished', { succeeded: ['done'] })).toBeUndefined();
    expect(meaningOf('Done', { succeeded: ['done'] })).toBe('succeeded');
    expect(meaningOf('errored', { succeeded: ['done'] })).toBe('failed');
  });
  test('say which of them contradict each other', () => {
    expect(conflictingWord({ working: ['a'], failed: ['B', ' A '] })).toEqual({ word: ' A ', meanings: ['working', 'failed'] });
    expect(conflictingWord({ working: ['a', 'A'], failed: ['b'] })).toBeUndefined();
  });
});
