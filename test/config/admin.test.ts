import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { DOCUMENT, directory, faultsOf, load } from './files.ts';

const LEAST = 'upstreams: {billing: {document: api.yaml}}\n';
const TOKEN = 'correct horse battery staple';
const SECRET = 'put the secret in the environment ({env: NAME}) or in a file ({file: ./path})';

describe('the operators’ token', () => {
  test.each([
    ['the environment', 'admin: {token: {env: ADMIN}}', { env: { ADMIN: TOKEN } }],
    ['a file', 'admin: {token: {file: ./admin.token}}', { files: { 'admin.token': `${TOKEN}\n` } }],
  ])('is read from %s, and never shown', async (_where, text, around) => {
    const config = await load(`${text}\n${LEAST}`, around);
    expect(config.admin?.token?.reveal()).toBe(TOKEN);
    expect(JSON.stringify(config) + inspect(config, { depth: null })).not.toContain(TOKEN);
  });

  test('is not there unless it is asked for', async () => {
    expect((await load(LEAST)).admin).toBeUndefined();
  });

  test.each([
    ['missing', 'admin: {}', /1:1 \/admin\/token: is missing/, {}],
    ['in no place', 'admin: {token: {}}', `1:16 /admin/token: must say where the secret is, once → ${SECRET}`, {}],
    ['in two places', 'admin: {token: {env: A, file: b}}', /must say where the secret is, once/, {}],
    ['in the file itself', 'admin: {token: hunter2hunter2hunter2}', /must say where the secret is \(env or file\)/, {}],
    ['not set', 'admin: {token: {env: ADMIN}}', /environment variable ADMIN is not set/, {}],
    [
      'short enough to guess',
      'admin: {token: {env: ADMIN}}',
      '1:16 /admin/token: is shorter than 16 characters, so that it could be guessed → make one with openssl rand -base64 32',
      { ADMIN: 'hunter2' },
    ],
  ])('that is %s is a fault', async (_what, text, fault, env) => {
    const found = await faultsOf(load(`${text}\n${LEAST}`, { env }));
    expect(found).toEqual([typeof fault === 'string' ? fault : expect.stringMatching(fault)]);
    expect(found.join()).not.toContain('hunter2');
  });

  test('may be missing where no secret is needed', async () => {
    await using place = await directory({ ...DOCUMENT, 'longshore.yaml': `admin: {token: {env: ADMIN}}\n${LEAST}` });
    const config = await loadConfig({ file: join(place.path, 'longshore.yaml'), env: {}, secrets: 'optional' });
    expect(config.admin).toEqual({});
  });
});

describe('metrics', () => {
  test('are off unless they are asked for, and need no token', async () => {
    expect(await load(LEAST)).not.toHaveProperty('metrics');
    expect((await load(`metrics: {}\n${LEAST}`)).metrics).toEqual({});
  });

  test('may have a token, which is never shown and never short', async () => {
    const text = `metrics: {token: {env: SCRAPER}}\n${LEAST}`;
    const config = await load(text, { env: { SCRAPER: TOKEN } });
    expect(config.metrics?.token?.reveal()).toBe(TOKEN);
    expect(inspect(config, { depth: null })).not.toContain(TOKEN);
    expect(await faultsOf(load(text, { env: { SCRAPER: 'short' } }))).toEqual([
      expect.stringMatching(/\/metrics\/token: is shorter/),
    ]);
    expect(await faultsOf(load(text))).toEqual([expect.stringMatching(/variable SCRAPER is not set/)]);
  });

  test('without a token on an address that others reach should have been meant', async () => {
    const open = `server: {listen: 0.0.0.0:80, allowedHosts: [h], dangerouslyServeEveryoneWithoutIdentity: true}\nmetrics: {}\n${LEAST}`;
    expect((await load(open)).warnings.map(({ pointer }) => pointer)).toEqual([
      '/server/dangerouslyServeEveryoneWithoutIdentity',
      '/metrics',
    ]);
  });
});
