import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { check, type Offer } from '../../src/cli/check.ts';
import type { LeftOut, Tool } from '../../src/core/tool.ts';
import { type Fault, LongshoreError } from '../../src/errors.ts';
import { DOCUMENT, directory } from '../config/files.ts';

const TEXT = 'upstreams:\n  billing:\n    document: api.yaml\n    credentials: {k: {env: KEY}}\n';
const source = (document: string) => ({ document, method: 'POST', path: '/a', pointer: '/paths/~1a/post', line: 12 });

class DocumentFaults extends LongshoreError {
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super('DOCUMENT_INVALID', 'invalid');
    this.faults = faults;
  }
}

/** What is printed for `text`, when compiling what it names gives `compiled`. */
async function checked(
  text: string,
  compiled: Partial<Offer> | Error,
  options: { json?: boolean; env?: Record<string, string> } = {},
) {
  await using place = await directory({ ...DOCUMENT, 'longshore.yaml': text });
  const printed = { stdout: '', stderr: '' };
  const code = await check({
    file: join(place.path, 'longshore.yaml'),
    env: options.env ?? { KEY: 'k' },
    ...(options.json === undefined ? {} : { json: options.json }),
    stdout: (said) => {
      printed.stdout += said;
    },
    stderr: (said) => {
      printed.stderr += said;
    },
    compile: async () => {
      if (compiled instanceof Error) throw compiled;
      return { tools: new Map(), leftOut: [], warnings: [], ...compiled };
    },
  });
  const clean = (said: string) => said.replaceAll(`${place.path}/`, '');
  return { code, stdout: clean(printed.stdout), stderr: clean(printed.stderr) };
}

const tools = new Map(['job', 'call', 'call'].map((kind, index) => [`t${index}`, { kind } as Tool]));
const refused: LeftOut = {
  upstream: 'billing',
  source: source('api.yaml'),
  because: 'refused',
  reason: 'has no schema for part "file"',
  mend: 'give it type: string',
};
const leftOut: LeftOut[] = [refused, { ...refused, because: 'helper' }, { ...refused, because: 'excluded' }];

describe('check', () => {
  test('says in one line what would be offered', async () => {
    expect(await checked(TEXT, { tools })).toEqual({ code: 0, stdout: '1 upstream, 1 job, 2 calls, 0 left out\n', stderr: '' });
  });

  test('tells warnings and what is left out by force, and still finds the configuration fit', async () => {
    const warnings = [{ file: 'api.yaml', line: 3, column: 1, pointer: '/x', message: 'is odd' }];
    expect(await checked(`${TEXT}ledger: "sqlite::memory:"\n`, { tools, leftOut, warnings })).toEqual({
      code: 0,
      stdout: '1 upstream, 1 job, 2 calls, 1 left out\n',
      stderr: [
        'warning  longshore.yaml:5:9  /ledger: forgets every operation when the gateway stops → write sqlite:./data/longshore.db',
        'warning  api.yaml:3:1  /x: is odd',
        'left out api.yaml:12  /paths/~1a/post: POST /a has no schema for part "file" → give it type: string',
        '',
      ].join('\n'),
    });
  });

  test('tells the faults of the configuration without compiling anything', async () => {
    const compiled = new Error('compiled');
    expect(await checked(`${TEXT}taskless: serv\n`, compiled, { env: {} })).toEqual({
      code: 1,
      stdout: '',
      stderr: [
        'longshore.yaml:4:28  /upstreams/billing/credentials/k/env: environment variable KEY is not set → set KEY to the secret',
        'longshore.yaml:5:11  /taskless: must be serve or reject → did you mean serve?',
        '2 faults',
        '',
      ].join('\n'),
    });
  });

  test('tells the faults of a document, with files named from where one stands', async () => {
    const fault = { file: join(process.cwd(), 'specs/api.yaml'), line: 1, column: 1, pointer: '', message: 'is no document' };
    expect(await checked(TEXT, new DocumentFaults([fault]))).toEqual({
      code: 1,
      stdout: '',
      stderr: 'specs/api.yaml:1:1: is no document\n1 fault\n',
    });
  });

  test('passes a bug on', async () => {
    await expect(checked(TEXT, new TypeError('bug'))).rejects.toThrow('bug');
  });

  test('prints one object as --json', async () => {
    const fine = await checked(TEXT, { tools, leftOut }, { json: true });
    expect([fine.code, fine.stderr, JSON.parse(fine.stdout)]).toEqual([
      0,
      '',
      {
        ok: true,
        faults: [],
        warnings: [],
        leftOut: [
          {
            upstream: 'billing',
            operation: 'POST /a',
            file: 'api.yaml',
            pointer: '/paths/~1a/post',
            line: 12,
            reason: refused.reason,
            mend: refused.mend,
          },
        ],
        summary: { upstreams: 1, jobs: 1, calls: 2, leftOut: 1 },
      },
    ]);
    const faulty = await checked('upstreams: {}', {}, { json: true });
    expect([faulty.code, faulty.stderr, JSON.parse(faulty.stdout)]).toEqual([
      1,
      '',
      {
        ok: false,
        faults: [expect.objectContaining({ file: 'longshore.yaml', line: 1, column: 12, pointer: '/upstreams' })],
        warnings: [],
        leftOut: [],
      },
    ]);
  });
});
