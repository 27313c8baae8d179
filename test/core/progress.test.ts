// How far a job is, where a header says it.

import { expect, test } from 'vitest';
import { readProgress } from '../../src/core/progress.ts';

const said = (header: string, of = 100) =>
  readProgress(
    { status: 202, url: 'https://jobs.example/1', headers: { 'x-progress': header }, body: new Uint8Array() },
    undefined,
    { header: 'x-progress', of },
  ).progress;

test.each([
  ['50', 100, { fraction: 0.5 }],
  ['12.5', 100, { fraction: 0.125 }],
  ['0.25', 1, { fraction: 0.25 }],
  ['120', 100, { fraction: 1 }],
  ['50% complete', 100, { fraction: 0.5, message: '50% complete' }],
  ['step 3', 100, { message: 'step 3' }],
] as const)('a header that says %s of %s', (header, of, progress) => {
  expect(said(header, of)).toEqual(progress);
});
