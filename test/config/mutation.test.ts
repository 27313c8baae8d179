import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/config/config-error.ts';
import { loadConfig } from '../../src/config/load.ts';

const VALID = `# A file that uses everything.
server:
  listen: "[::1]:8080"
  publicUrl: \${URL:-https://longshore.internal}
  allowedHosts: [longshore.internal]
  sessionIdle: 30m
ledger: sqlite:./data/longshore.db
contracts: ["2025-11-25", "2026-07-28"]
limits: {pollsPerSecondMax: 0.5, inlineWait: PT20S}
upstreams:
  billing: &billing
    document: ./billing.yaml
    overlays: [./a.yaml, ./b.yaml]
    credentials:
      key: {env: KEY}
      basic: {username: {env: KEY}, password: {file: ./password}}
    tools: {include: [createExport, "invoices.*"], helpers: true}
    limits: {responseBytesMax: 10MiB}
    defaults: {pace: {min: 1s, max: 1h}, expect: PT4M}
  again: *billing
`;
const SECRET = 'sesame-7Qx';
const SPLICES = [
  ': ',
  '- ',
  '\n',
  '\t',
  '[',
  ']',
  '{',
  '}',
  '"',
  "'",
  '&a',
  '*a',
  '*billing',
  '!x',
  '|',
  '>',
  '#',
  '%',
  '---\n',
  `\${`,
  '}',
  `$\${`,
  '__proto__: ',
  '~',
  '<<: ',
  '\u0000',
  '\uFEFF',
  '🚢',
  '1e999',
  'null',
  '  ',
];

/** One change of a text: some characters go, others come. */
const change = fc.record({
  at: fc.nat({ max: VALID.length }),
  gone: fc.oneof({ weight: 3, arbitrary: fc.nat({ max: 3 }) }, { weight: 1, arbitrary: fc.nat({ max: 200 }) }),
  come: fc.oneof(
    fc.constantFrom(...SPLICES),
    fc.string({ unit: 'binary', maxLength: 4 }),
    fc.nat({ max: VALID.length }).map((from) => VALID.slice(from, from + 40)),
  ),
});
const mutated = fc
  .array(change, { minLength: 1, maxLength: 4 })
  .map((changes) => changes.reduce((text, { at, gone, come }) => text.slice(0, at) + come + text.slice(at + gone), VALID));

/** Every file but the configuration holds the secret. */
const readFrom = (text: string | Uint8Array) => async (path: string) =>
  path.endsWith('longshore.yaml') && typeof text !== 'string'
    ? text
    : new TextEncoder().encode(path.endsWith('longshore.yaml') ? String(text) : SECRET);
const attempt = (text: string | Uint8Array) =>
  loadConfig({ file: 'longshore.yaml', env: { KEY: SECRET, LONGSHORE_LOG_LEVEL: 'warn' }, readFile: readFrom(text) });

describe('any file', () => {
  test('of which these are changes is valid itself', async () => {
    expect((await attempt(VALID)).upstreams.map(({ name }) => name)).toEqual(['billing', 'again']);
  });

  test('is loaded, or refused with placed faults that hold no secret', async () => {
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(mutated, async (text) => {
        try {
          expect(JSON.stringify(await attempt(text))).not.toContain(SECRET);
        } catch (error) {
          if (!(error instanceof ConfigError)) throw error;
          refused += 1;
          const lines = text.split(/\r\n?|\n/).length;
          expect(error.faults).not.toEqual([]);
          for (const { file, line, column, message, mend } of error.faults) {
            expect(`${message} ${mend}`).not.toContain(SECRET);
            expect(message).not.toBe('');
            if (file === 'longshore.yaml') {
              expect(line).toBeGreaterThanOrEqual(1);
              expect(line).toBeLessThanOrEqual(lines);
              expect(column).toBeGreaterThanOrEqual(1);
            }
          }
        }
      }),
      { numRuns: 1500 },
    );
    expect(refused).toBeGreaterThan(500);
  });

  test('of arbitrary bytes is refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        await expect(attempt(bytes)).rejects.toBeInstanceOf(ConfigError);
      }),
      { numRuns: 500 },
    );
  });
});
