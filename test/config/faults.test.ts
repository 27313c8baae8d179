import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { describeFault } from '../../src/errors.ts';
import { directory, errorOf, faultsOf, load } from './files.ts';

const LEAST = 'upstreams: {a: {document: api.yaml}}';
const upstream = (members: string) => `upstreams:\n  a:\n    document: api.yaml\n    ${members}`;

describe('a file that can not be read', () => {
  test.each([
    ['that does not exist', 'none.yaml', 'does not exist'],
    ['that is a directory', 'folder', 'is a directory'],
    ['below a file', 'text/none.yaml', 'does not exist'],
    ['that is not UTF-8', 'latin1', 'is not UTF-8'],
    ['that is UTF-16', 'utf16', 'is not UTF-8'],
    ['that is too large', 'large', 'is larger than 1 MiB'],
  ])('%s is named as it was written', async (_what, name, message) => {
    await using place = await directory({
      text: 'a',
      latin1: Uint8Array.of(0x61, 0xe9, 0x0a),
      utf16: Uint8Array.of(0xff, 0xfe, 0x61, 0x00),
      large: ' '.repeat(1024 * 1024 + 1),
    });
    await mkdir(join(place.path, 'folder'));
    const file = join(place.path, name);
    const error = await errorOf(loadConfig({ file, env: {} }));
    expect(error.faults).toEqual([{ file, pointer: '', message, mend: expect.any(String) }]);
    expect(error.code).toBe('CONFIG_INVALID');
  });

  test.each([
    ['is empty', ''],
    ['has only comments', '# nothing\n'],
    ['has only a byte order mark', '\uFEFF'],
    ['is null', 'null'],
  ])('that %s says nothing', async (_what, text) => {
    expect(await faultsOf(load(text))).toEqual([
      '1:1 : says nothing → name at least one upstream, or write a file with longshore init',
    ]);
  });
});

describe('text that is not YAML', () => {
  const QUOTE = 'check the indentation, and quote values with any of : # { } [ ] , & * ! | > % @';
  test.each([
    [
      'an unclosed bracket',
      'contracts: [a',
      `1:14 : is not YAML: Flow sequence in block collection must be sufficiently indented and end with a ] → ${QUOTE}`,
    ],
    ['an address in brackets', 'server: {listen: [::1]:8080}', expect.stringMatching(/^1:\d+ : is not YAML/)],
    ['a tab', 'server:\n\tlisten: x', expect.stringMatching(/^2:1 : is not YAML: Tabs are not allowed as indentation/)],
    ['a tag', 'ledger: !env X', '1:9 : has a YAML tag (!…), which means nothing here → remove it, or quote the value'],
    [
      'two documents',
      `${LEAST}\n---\n${LEAST}`,
      '2:1 : holds several YAML documents → keep one: remove what follows the line ---',
    ],
    [
      'an escape',
      'ledger: "\\q"',
      '1:10 : has an unknown escape (\\) between double quotes → use single quotes, or write \\\\',
    ],
    ['a directive', '%BROKEN\n---\na: 1', '1:1 : has a line beginning with % that can not be read → remove it'],
    ['a thousand brackets', `a: ${'['.repeat(100_000)}`, expect.stringMatching(/^1:\d+ : is nested or repeated too deeply → /)],
    [
      'forty levels',
      `a: ${'['.repeat(40)}${']'.repeat(40)}`,
      '1:36 : is nested or repeated too deeply → write it without aliases and deep nesting',
    ],
    [
      'an alias of what is around it',
      'a: &a {b: *a}',
      '1:11 : is nested or repeated too deeply → write it without aliases and deep nesting',
    ],
    [
      'aliases that unfold to millions',
      [
        'a0: &a0 [x, x, x, x, x, x, x, x, x]',
        ...[1, 2, 3, 4, 5, 6].map((n) => `a${n}: &a${n} [${`*a${n - 1},`.repeat(9)}]`),
      ].join('\n'),
      '2:30 : is nested or repeated too deeply → write it without aliases and deep nesting',
    ],
  ])('with %s is placed and explained', async (_what, text, said) => {
    expect((await faultsOf(load(text)))[0]).toEqual(said);
  });

  test.each([
    [
      'an alias of nothing',
      `${LEAST}\nledger: *x`,
      '2:9 /ledger: is an alias of nothing → define the anchor before it is used',
    ],
    [
      'a member twice',
      `ledger: sqlite:a\n${LEAST}\nledger: sqlite:b`,
      '3:1 /ledger: is written twice, first in line 1 → keep one of the two',
    ],
    ['a name that is no text', `${LEAST}\n[a]: b`, '2:1 : has a member whose name is not text → write `name: value`'],
    [
      'a name that JavaScript minds',
      `${LEAST}\n__proto__: {}`,
      '2:1 : has a member whose name is not text → write `name: value`',
    ],
    [
      'a reference to nothing',
      `${LEAST}\nledger: sqlite:\${NOWHERE}`,
      `2:9 /ledger: environment variable NOWHERE is not set → set NOWHERE, or give a default: \${NOWHERE:-…}`,
    ],
    [
      'half a reference',
      `${LEAST}\nledger: "sqlite:\${x y}"`,
      `2:9 /ledger: has a "\${" that begins no reference → write \${NAME} or \${NAME:-default}; for the characters themselves write $\${`,
    ],
  ])('with %s is a fault of that member', async (_what, text, said) => {
    expect(await faultsOf(load(text))).toEqual([said]);
  });
});

describe('a member', () => {
  const DURATION = 'write a number with its unit, such as 500ms, 30s, 15m, 24h, 7d, or an ISO 8601 duration such as PT4M';
  const SECRET = 'put the secret in the environment ({env: NAME}) or in a file ({file: ./path})';
  const SIZE = 'write bytes, or a number with KiB, MiB or GiB';
  test.each([
    [
      'text',
      'hello',
      '1:1 : must be an object with members among server, ledger, identity, admin, metrics, contracts, taskless, gates, limits, retention, pollInterval, log, upstreams',
    ],
    [
      'a list',
      '- a',
      '1:1 : must be an object with members among server, ledger, identity, admin, metrics, contracts, taskless, gates, limits, retention, pollInterval, log, upstreams',
    ],
    [
      'no upstreams',
      'taskless: serve',
      '1:1 /upstreams: is missing → add it: The services behind the gateway, by a name of your choice. The only member the file must have.',
    ],
    [
      'empty upstreams',
      'upstreams: {}',
      '1:12 /upstreams: names no upstream → add one, such as billing: {document: ./billing.openapi.yaml}',
    ],
    [
      'a list of upstreams',
      'upstreams: []',
      '1:12 /upstreams: must be an object: one member for each service, at least one → upstreams: {billing: {document: ./billing.openapi.yaml}}',
    ],
    [
      'an upstream without a document',
      'upstreams:\n  a: {}',
      '2:3 /upstreams/a/document: is missing → add it: The OpenAPI document: a path relative to this file, or an http(s) URL. The only member an upstream must have.',
    ],
    [
      'an upstream with a bad name',
      'upstreams: {9a: {document: api.yaml}}',
      '1:13 /upstreams/9a: is no name for an upstream → use a letter, then letters, digits, _ and -, 64 at most',
    ],
    [
      'a slash in a name',
      'upstreams: {a/b~: {document: api.yaml}}',
      '1:13 /upstreams/a~1b~0: is no name for an upstream → use a letter, then letters, digits, _ and -, 64 at most',
    ],
    [
      'a misspelt name',
      `${LEAST}\nserver:\n  sesionIdel: 30s`,
      '3:3 /server/sesionIdel: is not known here → did you mean sessionIdle?',
    ],
    ['an unknown name', `${LEAST}\nlog: {colour: red}`, '2:7 /log/colour: is not known here → known here: level'],
    ['a misspelt word', `${LEAST}\ntaskless: serv`, '2:11 /taskless: must be serve or reject → did you mean serve?'],
    ['an unknown word', `${LEAST}\nlog: {level: loud}`, '2:14 /log/level: must be one of debug, info, warn, error'],
    ['an identity not built', `${LEAST}\nidentity: oauth`, '2:11 /identity: must be none'],
    [
      'an unknown contract',
      `${LEAST}\ncontracts: ["2025-11-26"]`,
      '2:13 /contracts/0: must be 2025-11-25 or 2026-07-28 → did you mean 2025-11-25?',
    ],
    ['no contract', `${LEAST}\ncontracts: []`, '2:12 /contracts: must name at least one version of MCP Tasks'],
    [
      'a contract twice',
      `${LEAST}\ncontracts: ["2025-11-25", "2025-11-25"]`,
      '2:12 /contracts: names a version twice → keep one of the two',
    ],
    [
      'a duration without unit',
      `${LEAST}\nretention: 30`,
      `2:12 /retention: must be a duration from 1m to 3650d → ${DURATION}`,
    ],
    ['a duration of months', `${LEAST}\nretention: P1M`, `2:12 /retention: must be a duration from 1m to 3650d → ${DURATION}`],
    [
      'a duration below its least',
      `${LEAST}\nretention: 59s`,
      `2:12 /retention: must be a duration from 1m to 3650d → ${DURATION}`,
    ],
    [
      'a duration above its most',
      `${LEAST}\nserver: {drain: PT1H1S}`,
      `2:17 /server/drain: must be a duration from 0s to 1h → ${DURATION}`,
    ],
    [
      'a size in decimal units',
      `${LEAST}\nserver: {requestBytesMax: 1MB}`,
      `2:27 /server/requestBytesMax: must be a size from 1KiB to 256MiB → ${SIZE}`,
    ],
    [
      'a size out of bounds',
      `${LEAST}\nserver: {requestBytesMax: 1023}`,
      `2:27 /server/requestBytesMax: must be a size from 1KiB to 256MiB → ${SIZE}`,
    ],
    [
      'a number out of bounds',
      `${LEAST}\nserver: {sessionsMax: 0}`,
      '2:23 /server/sessionsMax: must be a whole number from 1 to 100000',
    ],
    [
      'a fraction of one',
      `${LEAST}\nserver: {sessionsMax: 1.5}`,
      '2:23 /server/sessionsMax: must be a whole number from 1 to 100000',
    ],
    [
      'infinity',
      `${LEAST}\nlimits: {pollsPerSecondMax: .inf}`,
      '2:29 /limits/pollsPerSecondMax: must be a number from 0.01 to 10000',
    ],
    [
      'text for a number',
      `${LEAST}\nlimits: {pollsPerSecondMax: many}`,
      '2:29 /limits/pollsPerSecondMax: must be a number from 0.01 to 10000',
    ],
    ['text for a switch', upstream('tools: {helpers: perhaps}'), '4:22 /upstreams/a/tools/helpers: must be true or false'],
    [
      'text for a list',
      upstream('overlays: x.yaml'),
      '4:15 /upstreams/a/overlays: must be a list of at most 50 → write [a, b], or one item a line, each after a dash',
    ],
    [
      'a prefix that no tool name can have',
      upstream('tools: {prefix: a b}'),
      '4:21 /upstreams/a/tools/prefix: must be made of letters, digits, _, . and - → it becomes part of tool names',
    ],
    [
      'an address without port',
      `${LEAST}\nserver: {listen: localhost}`,
      '2:18 /server/listen: must be host:port with a port from 0 to 65535 → write it like 127.0.0.1:8080, "[::1]:8080" (quoted) or :8080',
    ],
    [
      'a port that is none',
      `${LEAST}\nserver: {listen: localhost:65536}`,
      '2:18 /server/listen: must be host:port with a port from 0 to 65535 → write it like 127.0.0.1:8080, "[::1]:8080" (quoted) or :8080',
    ],
    [
      'a bare IPv6 address',
      `${LEAST}\nserver: {listen: "::1:80"}`,
      '2:18 /server/listen: must be host:port with a port from 0 to 65535 → write it like 127.0.0.1:8080, "[::1]:8080" (quoted) or :8080',
    ],
    [
      'an invalid URL',
      upstream('baseUrl: billing.internal'),
      '4:14 /upstreams/a/baseUrl: must be an http or https URL without user, query and fragment → write it like https://longshore.internal',
    ],
    [
      'a URL with a query',
      `${LEAST}\nserver: {publicUrl: "https://x?y"}`,
      '2:21 /server/publicUrl: must be an http or https URL without user, query and fragment → write it like https://longshore.internal',
    ],
    [
      'an origin with a path',
      `${LEAST}\nserver: {allowedOrigins: [https://x/y]}`,
      '2:27 /server/allowedOrigins/0: must be an origin: scheme, host and perhaps port → write it like https://app.example.com; there is no wildcard',
    ],
    [
      'a wildcard origin',
      `${LEAST}\nserver: {allowedOrigins: ["*"]}`,
      '2:27 /server/allowedOrigins/0: must be an origin: scheme, host and perhaps port → write it like https://app.example.com; there is no wildcard',
    ],
    [
      'a host that is a URL',
      `${LEAST}\nserver: {allowedHosts: ["http://x"]}`,
      '2:25 /server/allowedHosts/0: must be a host name, perhaps with a port → write it like longshore.internal or longshore.internal:8080',
    ],
    [
      'a ledger of another kind',
      `${LEAST}\nledger: postgres://x/y`,
      '2:9 /ledger: names a kind of ledger that is not supported (postgres) → write sqlite:./data/longshore.db',
    ],
    [
      'a ledger without kind',
      `${LEAST}\nledger: ./data.db`,
      '2:9 /ledger: must say the kind of ledger and where it is → write sqlite:./data/longshore.db',
    ],
    [
      'a ledger that could be two places',
      `${LEAST}\nledger: sqlite://data/x.db`,
      '2:9 /ledger: must say the kind of ledger and where it is → write sqlite:./data/longshore.db',
    ],
    [
      'a missing document',
      'upstreams: {a: {document: none.yaml}}',
      '1:27 /upstreams/a/document: names a file that does not exist: …/none.yaml → paths are relative to the configuration file',
    ],
    [
      'a document that is a directory',
      'upstreams: {a: {document: .}}',
      '1:27 /upstreams/a/document: names a file that is a directory: … → paths are relative to the configuration file',
    ],
    [
      'a missing overlay',
      upstream('overlays: [api.yaml, none.yaml]'),
      '4:26 /upstreams/a/overlays/1: names a file that does not exist: …/none.yaml → paths are relative to the configuration file',
    ],
    [
      'a document of another scheme',
      'upstreams: {a: {document: "file:///x"}}',
      '1:27 /upstreams/a/document: is a URL of an unknown kind → write a path, or an http or https URL',
    ],
    [
      'a document whose URL is broken',
      'upstreams: {a: {document: "https://"}}',
      '1:27 /upstreams/a/document: is not a URL that can be read → write a path, or a URL like https://host/openapi.yaml',
    ],
    [
      'a pace out of order',
      upstream('defaults: {pace: {interval: 1s, min: 2s}}'),
      '4:22 /upstreams/a/defaults/pace: is not in order → let min be at most interval, and interval at most max',
    ],
    [
      'a secret in the file',
      upstream('credentials: {k: {value: x}}'),
      `4:23 /upstreams/a/credentials/k/value: is a secret in the configuration file, which is refused → ${SECRET}`,
    ],
    [
      'a password in the file',
      upstream('credentials: {k: {username: {env: U}, password: {value: x}}}'),
      `4:54 /upstreams/a/credentials/k/password/value: is a secret in the configuration file, which is refused → ${SECRET}`,
    ],
    [
      'text for a credential',
      upstream('credentials: {k: x}'),
      `4:22 /upstreams/a/credentials/k: must say where the secret is (env, file, or username and password) → ${SECRET}`,
    ],
    [
      'an empty credential',
      upstream('credentials: {k: {}}'),
      `4:22 /upstreams/a/credentials/k: does not say where the secret is → ${SECRET}`,
    ],
    [
      'two places for a secret',
      upstream('credentials: {k: {env: U, file: api.yaml}}'),
      '4:22 /upstreams/a/credentials/k: says more than once where the secret is → keep one of env, file, or username with password',
    ],
    [
      'half of a login',
      upstream('credentials: {k: {password: {env: U}}}'),
      '4:22 /upstreams/a/credentials/k: has a password but no username → give both',
    ],
    [
      'an empty half of a login',
      upstream('credentials: {k: {password: {env: U}, username: {}}}'),
      `4:53 /upstreams/a/credentials/k/username: must say where the secret is, once → ${SECRET}`,
    ],
    [
      'two ways to send it',
      upstream('credentials: {k: {env: U, header: X, query: y}}'),
      '4:22 /upstreams/a/credentials/k: says more than once where the secret is sent → keep one of header, query, or username with password',
    ],
    [
      'a header that is none',
      upstream('credentials: {k: {env: U, header: "X Y"}}'),
      '4:39 /upstreams/a/credentials/k/header: must be the name of an HTTP header',
    ],
    [
      'a reference for a name',
      upstream('credentials: {k: {env: $U}}'),
      `4:28 /upstreams/a/credentials/k/env: must be the name of an environment variable → write the name alone, and ${SECRET}`,
    ],
    [
      'a variable not set',
      upstream('credentials: {k: {env: NOT}}'),
      '4:28 /upstreams/a/credentials/k/env: environment variable NOT is not set → set NOT to the secret',
    ],
    [
      'a variable set to nothing',
      upstream('credentials: {k: {env: EMPTY}}'),
      '4:28 /upstreams/a/credentials/k/env: environment variable EMPTY is not set → set EMPTY to the secret',
    ],
    [
      'a secret with a line break',
      upstream('credentials: {k: {env: LINES}}'),
      '4:28 /upstreams/a/credentials/k/env: environment variable LINES is empty, too large, or not one line of text → let it hold the secret alone',
    ],
    [
      'a missing secret file',
      upstream('credentials: {k: {file: none}}'),
      '4:29 /upstreams/a/credentials/k/file: names a file that does not exist: …/none → put the secret there; paths are relative to the configuration file',
    ],
    [
      'an empty secret file',
      upstream('credentials: {k: {file: empty}}'),
      '4:29 /upstreams/a/credentials/k/file: file …/empty is empty, too large, or not one line of text → let it hold the secret alone',
    ],
  ])('%s is a fault, with its place and its mend', async (_what, text, said) => {
    const env = { U: 'u', EMPTY: '', LINES: 'a\nb' };
    expect(await faultsOf(load(text, { env, files: { empty: '\n' } }))).toEqual([said]);
  });

  test('that the environment sets is a fault of the environment', async () => {
    const text = `${LEAST}\nserver: {listen: 127.0.0.1:80}`;
    expect(await faultsOf(load(text, { env: { LONGSHORE_LISTEN: 'x', LONGSHORE_LOG_LEVEL: 'inf' } }))).toEqual([
      '$LONGSHORE_LISTEN /server/listen: must be host:port with a port from 0 to 65535 → write it like 127.0.0.1:8080, "[::1]:8080" (quoted) or :8080',
      '$LONGSHORE_LOG_LEVEL /log/level: must be one of debug, info, warn, error → did you mean info?',
    ]);
  });
});

describe('a configuration with many faults', () => {
  test('tells all of them at once, in the order of the file', async () => {
    const text = `server:
  listen: 0.0.0.0:80
  drain: soon
ledger: mysql:x
upstreams:
  a:
    overlays: [none.yaml]
    credentials: {k: {env: NOT}, l: {value: x}}
    tols: {}
  b:
    document: none.yaml
    defaults: {pace: {min: 2s, max: 1s}}
  c: 5
`;
    expect((await faultsOf(load(text))).map((said) => said.split(': ')[0])).toEqual([
      '2:11 /server/listen',
      '3:10 /server/drain',
      '4:9 /ledger',
      '6:3 /upstreams/a/document',
      '7:16 /upstreams/a/overlays/0',
      '8:28 /upstreams/a/credentials/k/env',
      '8:38 /upstreams/a/credentials/l/value',
      '9:5 /upstreams/a/tols',
      '11:15 /upstreams/b/document',
      '12:22 /upstreams/b/defaults/pace',
      '13:6 /upstreams/c',
    ]);
  });

  test('has a message that can be printed as it is', async () => {
    const error = await errorOf(load('upstreams: {}\nledgr: x'));
    expect(error.message).toBe(error.faults.map(describeFault).join('\n'));
    expect(error.message).toMatch(/longshore\.yaml:2:1 {2}\/ledgr: is not known here → did you mean ledger\?$/);
  });
});

describe('a gateway that others can reach', () => {
  test.each(['0.0.0.0:80', '"[::]:80"', '10.0.0.1:80', 'example.com:80', '"[::ffff:127.0.0.1]:80"'])(
    'at %s needs identity or an alarming word',
    async (listen) => {
      const closed = await faultsOf(load(`${LEAST}\nserver: {listen: ${listen}}`));
      expect(closed).toEqual([
        expect.stringMatching(
          /^2:18 \/server\/listen: can be reached .* set server\.dangerouslyServeEveryoneWithoutIdentity: true$/,
        ),
      ]);
      const open = await load(
        `${LEAST}\nserver: {listen: ${listen}, dangerouslyServeEveryoneWithoutIdentity: true, allowedHosts: [x]}`,
      );
      expect(open.server.insecurePublicBind).toBe(true);
      expect(open.warnings.map(({ pointer }) => pointer)).toEqual(['/server/dangerouslyServeEveryoneWithoutIdentity']);
    },
  );

  test('is told when nobody would be answered', async () => {
    const { warnings } = await load(`${LEAST}\nserver: {listen: 0.0.0.0:80, dangerouslyServeEveryoneWithoutIdentity: true}`);
    expect(warnings.map(({ pointer }) => pointer)).toEqual([
      '/server/listen',
      '/server/dangerouslyServeEveryoneWithoutIdentity',
    ]);
  });
});

describe('a warning', () => {
  test.each([
    ['an open publicUrl', 'server: {publicUrl: http://longshore.internal}', '/server/publicUrl', 21],
    ['a ledger that forgets', 'ledger: "sqlite::memory:"', '/ledger', 9],
  ])('about %s does not stop anything', async (_what, line, pointer, column) => {
    const { warnings } = await load(`${LEAST}\n${line}`);
    expect(warnings).toEqual([
      {
        file: expect.stringMatching(/longshore\.yaml$/),
        line: 2,
        column,
        pointer,
        message: expect.any(String),
        mend: expect.any(String),
      },
    ]);
  });

  test.each(['https://longshore.internal', 'http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080'])(
    'is not given for publicUrl %s',
    async (url) => {
      expect((await load(`${LEAST}\nserver: {publicUrl: "${url}"}`)).warnings).toEqual([]);
    },
  );

  test('comes along with faults', async () => {
    const error = await errorOf(load(`${LEAST}\nledger: "sqlite::memory:"\ntaskless: x`));
    expect(error.warnings.map(({ pointer }) => pointer)).toEqual(['/ledger']);
  });
});
