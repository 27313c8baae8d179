import { expect, test } from 'vitest';
import { FILES, staleFiles } from '../../scripts/generate.ts';

test('what is generated from code is committed as it would be generated now', () => {
  expect(Object.keys(FILES)).toContain('docs/generated/operation-machine.md');
  expect(staleFiles(), 'run: npm run generate').toEqual([]);
});

test('a file that differs by one character, or is not there, is named', () => {
  const page = 'docs/generated/operation-machine.md';
  const files = { [page]: () => `${FILES[page]?.()} `, 'docs/generated/missing.md': () => '' };
  expect(staleFiles(files)).toEqual([page, 'docs/generated/missing.md']);
});
