import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { type Ran, renderLists, renderPage, versionsPinned } from './page.ts';

const read = (path: string) => readFile(new URL(path, import.meta.url), 'utf8');
const HINT = 'run: npm run conformance -- --write';

test('the page says of fixtures, and of what is expected to fail, what the lists say', async () => {
  const [expected, byFixtures] = [await read('expected-failures.json'), await read('by-fixtures.json')].map((list) =>
    JSON.parse(list),
  );
  expect((await read('../../docs/conformance.md')).endsWith(renderLists({ expected, byFixtures }).join('\n')), HINT).toBe(true);
});

test('the page was made with the versions that are installed', async () => {
  const page = await read('../../docs/conformance.md');
  for (const [name, version] of await versionsPinned()) expect(page, HINT).toContain(`| ${name} | ${version} |`);
});

test('a page counts what passed and what failed, and leads from what failed to its reason', () => {
  const revision = '2026-07-28';
  const ran: readonly Ran[] = [
    { revision, scenario: 'caching', checks: [{ id: 'a', status: 'SUCCESS' }] },
    {
      revision,
      scenario: 'prompts-list',
      checks: [
        { id: 'b', status: 'FAILURE' },
        { id: 'c', status: 'SUCCESS' },
      ],
    },
    { revision, scenario: 'tools-call-sampling', checks: [{ id: 'e', status: 'SUCCESS' }] },
    { revision, scenario: 'tasks-headers', checks: [{ id: 'd', status: 'SKIPPED' }] },
  ];
  const expected = [
    { revision, scenario: 'another', checks: ['z'], reason: 'None.' },
    { revision, scenario: 'prompts-list', checks: ['b'], reason: 'No prompts.' },
  ];
  const byFixtures = [{ revision, scenario: 'tools-call-sampling', reason: 'No model.' }];
  const page = renderPage(ran, { expected, byFixtures }, [['suite', '1.2.3']], '2026-11-29');
  expect(page).toContain('**3 checks passed, 1 failed as expected, on 2026-11-29**; 1 of those that passed');
  expect(page).toContain('| caching | 1 | 0 | pass |');
  expect(page).toContain('| prompts-list | 1 | 1 | expected to fail: [failure 2](#failure-2) |');
  expect(page).toContain('| tools-call-sampling | 1 | 0 | pass, with [fixture 1](#fixture-1) |');
  expect(page).toContain('| tasks-headers | 0 | 0 | the suite asserts nothing |');
  expect(page).toContain('### failure 2\n\nNo prompts.\n\n- 2026-07-28 prompts-list: `b`');
  expect(page.indexOf('The Tasks extension')).toBeGreaterThan(page.indexOf(`Requirements of ${revision}`));
});
