// What people who read them say of published documents, against what detection says. The documents are large and not part of
// the repository; without them this says so and passes.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { detect } from '../../../src/catalogue/detect/detect.ts';
import type { Finding } from '../../../src/catalogue/detect/finding.ts';
import { loadSource, recognise } from '../../../src/catalogue/load.ts';
import { operationsOf, type SourceOperation } from '../../../src/catalogue/operations.ts';
import { readSource } from '../../../src/catalogue/read.ts';
import { loadReferences } from '../../../src/catalogue/references.ts';

const FOLDER = join(resolve(process.env['LONGSHORE_SHARED'] ?? join(import.meta.dirname, '../../../../shared')), 'specs');
const ORACLE = join(FOLDER, 'expected.json');
const isThere = existsSync(ORACLE);
if (!isThere) console.log(`no published documents in ${FOLDER}: set LONGSHORE_SHARED to judge detection by them`);

interface Expected {
  readonly async: readonly {
    readonly submit: string;
    readonly status: string | null;
    readonly cancel: string | null;
    readonly result: string | null;
  }[];
  readonly negatives: readonly string[];
}

const ROLES = ['status', 'cancel', 'result'] as const;
/** Judging all operations of one document, in time of the processor: the machine may be busy. */
const DETECT_MAX_MS = 5_000;

async function judge(
  file: string,
): Promise<{ readonly found: readonly (readonly [SourceOperation, Finding])[]; readonly tookMs: number }> {
  const source = await loadSource(join(FOLDER, file), readSource);
  const document = recognise(source);
  const { resolve: follow } = await loadReferences(source, [], readSource);
  const operations = operationsOf(document, follow, () => undefined);
  const began = process.cpuUsage();
  const found = [...detect(operations, document, follow)];
  const { user, system } = process.cpuUsage(began);
  return { found, tookMs: (user + system) / 1000 };
}

/** Of operations with one id (documents have duplicates) the one that detection is surest of. */
const named = (found: readonly (readonly [SourceOperation, Finding])[], id: string): Finding | undefined =>
  found
    .filter(([{ operationId }]) => operationId === id)
    .map(([, finding]) => finding)
    .sort((one, other) => other.score - one.score)[0];

describe.runIf(isThere)('published documents', () => {
  const expected: Record<string, Expected> = isThere ? JSON.parse(readFileSync(ORACLE, 'utf8')) : {};
  const files = Object.keys(expected).filter((name) => !name.startsWith('_'));

  test('are judged as people judge them', { timeout: 120_000 }, async () => {
    const count = { submits: 0, found: 0, paired: 0, negatives: 0, mistaken: 0 };
    const misses: string[] = [];
    for (const file of files) {
      const { found } = await judge(file);
      for (const { submit, ...pairs } of expected[file]?.async ?? []) {
        count.submits += 1;
        const finding = named(found, submit);
        if (finding?.verdict === 'asynchronous') count.found += 1;
        else misses.push(`${file} ${submit}: ${finding?.verdict} (${finding?.score})`);
        const got = ROLES.map((role) => finding?.pairs[role]?.operation.operationId ?? null);
        const isExact = ROLES.every((role, at) => got[at] === pairs[role]);
        if (isExact && finding?.verdict !== 'synchronous') count.paired += 1;
        else
          misses.push(`${file} ${submit}: pairs ${got.join(', ')} instead of ${ROLES.map((role) => pairs[role]).join(', ')}`);
      }
      for (const negative of expected[file]?.negatives ?? []) {
        count.negatives += 1;
        const finding = named(found, negative);
        if (finding?.verdict !== 'asynchronous') continue;
        count.mistaken += 1;
        misses.push(
          `${file} ${negative}: taken for a job (${finding.evidence.map(({ rule, score }) => `${rule} ${score}`).join(', ')})`,
        );
      }
    }
    console.log([JSON.stringify(count), ...misses].join('\n  '));
    expect(count.submits).toBeGreaterThanOrEqual(44);
    expect(count.found).toBeGreaterThanOrEqual(43);
    expect(count.paired).toBeGreaterThanOrEqual(42);
    expect(count.negatives).toBeGreaterThanOrEqual(40);
    expect(count.mistaken).toBeLessThanOrEqual(1);
  });

  test('of discovery say it by their long-running operations', { timeout: 60_000 }, async () => {
    const discoveries = readdirSync(FOLDER).filter((name) => name.includes('.discovery.'));
    expect(discoveries.length).toBeGreaterThan(0);
    for (const file of discoveries) {
      const { found } = await judge(file);
      for (const [{ operationId = '', node }, finding] of found) {
        const isOperations = /\.operations\.(get|list|wait|cancel|delete)$/.test(operationId);
        const isLongRunning = /"#\/components\/schemas\/(GoogleLongrunning_*)?Operation"/.test(JSON.stringify(node.value));
        if (isOperations) expect(finding.verdict, operationId).toBe('synchronous');
        else if (isLongRunning && finding.evidence.some(({ rule }) => rule === 'long-running-operation')) {
          expect(finding, operationId).toMatchObject({ verdict: 'asynchronous', description: { adapter: 'aip-151' } });
        }
      }
    }
  });

  test.each(['github.json', 'kubernetes.json', 'elasticsearch-serverless.json'])(
    'as large as %s are judged in no time',
    { timeout: 60_000 },
    async (file) => {
      const { found, tookMs } = await judge(file);
      console.log(`${file}: ${found.length} operations in ${Math.round(tookMs)} ms`);
      expect(tookMs).toBeLessThan(DETECT_MAX_MS);
    },
  );
});
