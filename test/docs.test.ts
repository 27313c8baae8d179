// The documentation hangs together: every link leads somewhere, and every decision has a number of its own.

import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const PAGES = ['*.md', 'docs/**/*.md', 'specs/**/*.md', 'test/**/*.md'].flatMap((pattern) => globSync(pattern, { cwd: ROOT }));

/** The anchors that a page has: its headings, as GitHub names them. */
function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Links of a page to files of this repository that lead nowhere. */
function deadLinks(page: string): string[] {
  const markdown = readFileSync(join(ROOT, page), 'utf8');
  const prose = markdown.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? join(ROOT, page) : join(ROOT, dirname(page), path);
      if (!existsSync(file)) return true;
      return anchor !== undefined && file.endsWith('.md') && !anchorsOf(readFileSync(file, 'utf8')).includes(anchor);
    })
    .map((target) => `${relative(ROOT, join(ROOT, page))}: ${target}`);
}

describe('the documentation', () => {
  test('has been seen', () => {
    expect(PAGES).toEqual(expect.arrayContaining(['README.md', 'docs/adapters.md', 'docs/decisions/0002-sqlite-ledger.md']));
  });

  test('has no link that leads nowhere', () => {
    expect(PAGES.flatMap(deadLinks)).toEqual([]);
  });

  test('numbers its decisions from 1, each once', () => {
    const numbers = globSync('docs/decisions/*.md', { cwd: ROOT })
      .map((page) => Number(/(\d{4})-[^/]+\.md$/.exec(page)?.[1]))
      .sort((one, other) => one - other);

    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });
});
