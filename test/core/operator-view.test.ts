// What a list of operations says of each in a sentence.

import { describe, expect, test } from 'vitest';
import { summaryOf } from '../../src/core/operator-view.ts';
import { operation } from '../http/scripted-engine.ts';

describe('an operation that is queued', () => {
  test('for the first time has nothing to tell', () => {
    expect(summaryOf(operation({ life: 'QUEUED', attempt: 0 })).standing).toBe('');
  });

  test('again tells how many attempts came to nothing', () => {
    const { state, standing } = summaryOf(operation({ life: 'QUEUED', attempt: 3 }));
    expect([state, standing]).toEqual(['queued', 'Attempt 3 created nothing, and the next one is due.']);
  });

  test('and is sent by now does not', () => {
    expect(summaryOf(operation({ life: 'WORKING', attempt: 3 })).standing).toBe('');
  });
});
