import { describe, expect, test } from 'vitest';
import { vocabularyOf, wordsIn } from '../../../src/catalogue/detect/words.ts';

describe('a vocabulary', () => {
  test.each([
    [
      'plain words',
      ['queued', 'running', 'failed', 'succeeded'],
      { working: ['queued', 'running'], succeeded: ['succeeded'], failed: ['failed'] },
    ],
    [
      'words with a prefix',
      ['JOB_STATE_UNSPECIFIED', 'JOB_STATE_RUNNING', 'JOB_STATE_SUCCEEDED', 'JOB_STATE_CANCELLED'],
      { working: ['JOB_STATE_RUNNING'], succeeded: ['JOB_STATE_SUCCEEDED'], cancelled: ['JOB_STATE_CANCELLED'] },
    ],
    [
      'words of which most have a prefix',
      ['deployment_in_progress', 'deployment_failed', 'succeed'],
      { working: ['deployment_in_progress'], succeeded: ['succeed'], failed: ['deployment_failed'] },
    ],
    [
      'completed, where nothing is surer',
      ['in-progress', 'completed', 'errored'],
      { working: ['in-progress'], succeeded: ['completed'], failed: ['errored'] },
    ],
  ])('is read: %s', (_what, list, meanings) => {
    expect(vocabularyOf(list)).toMatchObject({ meanings, unknown: [] });
  });

  test('leaves completed open where there is a surer word, or another field says how it ended', () => {
    expect(vocabularyOf(['running', 'completed', 'succeeded'])).toMatchObject({
      meanings: { succeeded: ['succeeded'] },
      unknown: ['completed'],
    });
    expect(vocabularyOf(['running', 'completed'], true).unknown).toEqual(['completed']);
  });

  test('names the words that nobody can know', () => {
    expect(vocabularyOf(['running', 'succeeded', 'expired', 'frobbing']).unknown).toEqual(['expired', 'frobbing']);
  });

  test('never takes a word for an ending by a part of it', () => {
    expect(vocabularyOf(['CANCELLATION_IN_PROGRESS', 'RUNNING', 'FAILED']).meanings.cancelled).toBeUndefined();
  });
});

test('words stand apart in a text', () => {
  expect(wordsIn('It is `pending` first, then <code>SUCCEEDED</code> or "failed", never `id`.')).toEqual([
    'pending',
    'SUCCEEDED',
    'failed',
  ]);
});
