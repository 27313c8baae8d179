import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holdSecret } from '../../src/config/secret.ts';
import { silentLog } from '../../src/core/log.ts';
import { logger, printableText, printableUrl } from '../../src/telemetry/log.ts';

function listening(level: 'debug' | 'info' | 'warn' | 'error' = 'debug') {
  const lines: string[] = [];
  const log = logger(level, { write: (line: string) => void lines.push(line) });
  return { log, lines, said: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe('a log line', () => {
  test('is one JSON object with level, time, message and its fields', () => {
    const { log, lines, said } = listening();
    log.info({ operation: 'op_1', attempt: 2 }, 'poll failed');
    expect(said()).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        message: 'poll failed',
        operation: 'op_1',
        attempt: 2,
      },
    ]);
    expect(lines[0]).toMatch(/^\{.*\}\n$/);
  });

  test('carries the fields of its parents', () => {
    const { log, said } = listening();
    log.child({ upstream: 'billing' }).child({ tool: 'create_export', token: 'x' }).warn({ operation: 'op_1' }, 'slow');
    expect(said()[0]).toMatchObject({
      level: 'warn',
      upstream: 'billing',
      tool: 'create_export',
      token: '•••',
      operation: 'op_1',
    });
  });

  test('is written from its level up', () => {
    const { log, said } = listening('warn');
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level]({}, level);
    expect(said().map(({ message }) => message)).toEqual(['warn', 'error']);
  });

  test('hides what its name says is secret, at any depth and in any spelling', () => {
    const { log, lines, said } = listening();
    const hidden = [
      'Authorization',
      'proxy-authorization',
      'cookie',
      'Set-Cookie',
      'X-Api-Key',
      'apiKey',
      'access_token',
      'clientSecret',
      'password',
      'webhook-signature',
      'credentials',
      'Mcp-Session-Id',
    ];
    log.info(
      {
        request: { headers: Object.fromEntries(hidden.map((name) => [name, 'sesame'])), list: [{ token: ['sesame'] }] },
        kept: 'yes',
      },
      'sent',
    );
    expect(lines[0]).not.toContain('sesame');
    expect(said()[0]).toMatchObject({ kept: 'yes', request: { headers: { Authorization: '•••' }, list: [{ token: '•••' }] } });
  });

  test('hides what text carries along', () => {
    const { log, lines } = listening();
    const error = new Error('GET https://u:sesame@host/a?sig=sesame failed', {
      cause: new Error('Bearer sesame-sesame was refused'),
    });
    log.error(
      {
        error,
        url: new URL('https://host/b?key=sesame'),
        secret: holdSecret('sesame'),
        held: holdSecret('sesame'),
        body: new TextEncoder().encode('sesame'),
      },
      'failed',
    );
    expect(lines[0]).not.toContain('sesame');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      error: { type: 'Error', message: 'GET https://host/a failed', cause: { message: 'Bearer ••• was refused' } },
      url: 'https://host/b',
      held: '•••',
      body: '6 bytes',
    });
  });

  test('is written whatever its fields hold', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const { log, said } = listening();
    log.info(
      {
        circle,
        big: 10n,
        symbol: Symbol('s'),
        call: () => 1,
        date: new Date(0),
        map: new Map([[1, 2]]),
        none: null,
        long: 'x'.repeat(10_000),
      },
      'odd',
    );
    log.info(
      {
        get broken() {
          throw new Error('no');
        },
      },
      'worse',
    );
    expect(said().map(({ message }) => message)).toEqual(['odd', 'worse']);
    expect(said()[0]).toMatchObject({ big: '10', date: '1970-01-01T00:00:00.000Z', none: null });
    expect(JSON.stringify(said()[0]).length).toBeLessThan(6000);
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string(),
          fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withTypedArray: true }),
        ),
        (fields) => log.info(fields, 'any'),
      ),
    );
  });

  test('cannot be forged by line breaks', () => {
    const { log, lines } = listening();
    log.info({ name: 'a\n{"level":"error"}' }, 'b\nc');
    expect(lines.join('').split('\n')).toHaveLength(2);
  });
});

describe('a log', () => {
  test.each(['stdout', 'stderr'] as const)('writes to %s, and is whole when the process ends at once', (to) => {
    const file = pathToFileURL(resolve(import.meta.dirname, '../../src/telemetry/log.ts'));
    const script = `const { logger } = await import('${file}'); const log = logger('info', '${to}'); for (let i = 0; i < 500; i++) log.info({ i }, 'said'); process.kill(process.pid, 'SIGKILL');`;
    const ended = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(ended.signal).toBe('SIGKILL');
    expect(ended[to].trim().split('\n')).toHaveLength(500);
    expect(ended[to === 'stdout' ? 'stderr' : 'stdout']).toBe('');
  });
});

describe('a printable URL', () => {
  test.each([
    ['https://user:pass@host:8443/jobs/1?sig=x#y', 'https://host:8443/jobs/1'],
    ['/jobs/1?sig=x', '/jobs/1'],
    ['https://host', 'https://host'],
    ['https://longshore.internal/webhooks/billing/tok_1', 'https://longshore.internal/webhooks/billing/•••'],
    ['not a url', 'not a url'],
    ['', ''],
  ])('%s becomes %s', (url, printed) => expect(printableUrl(url)).toBe(printed));

  test('is also made inside a sentence', () => {
    expect(printableText('see "https://h/a?b=c", then postgres://u:p@h/db.')).toBe('see "https://h/a", then postgres://h/db.');
  });
});

describe('the silent log', () => {
  test('is its own child', () => {
    expect(silentLog.child({ operation: 'op_1' })).toBe(silentLog);
    expect(silentLog.error({}, 'nothing')).toBeUndefined();
  });
});
