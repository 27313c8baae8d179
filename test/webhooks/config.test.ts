// The secrets that deliveries are verified by, as the configuration file names them.

import { describe, expect, test } from 'vitest';
import { errorOf, faultsOf, load } from '../config/files.ts';

const PEM = '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----\n';
const text = (webhooks: string, server = '') =>
  `${server}upstreams:\n  up:\n    document: ./api.yaml\n    webhooks: ${webhooks}\n`;

describe('webhooks', () => {
  test('are off where nothing is said', async () => {
    const { upstreams } = await load('upstreams: { up: { document: ./api.yaml } }');
    expect(upstreams[0]).not.toHaveProperty('webhooks');
  });

  test('have several secrets, from variables and files of several lines, in order', async () => {
    const config = await load(text('{ secrets: [{ env: NEW }, { file: ./key.pem }], publicUrl: https://hooks.example/ }'), {
      env: { NEW: 'whsec_1' },
      files: { 'key.pem': PEM },
    });
    const { secrets = [], publicUrl } = config.upstreams[0]?.webhooks ?? {};
    expect(secrets.map((secret) => secret.reveal())).toEqual(['whsec_1', PEM.trimEnd()]);
    expect(publicUrl).toBe('https://hooks.example');
    expect(JSON.stringify(config)).not.toContain('whsec_1');
  });

  test('name what is missing, and never the secret', async () => {
    expect(await faultsOf(load(text('{ secrets: [{ env: NEW }, { file: ./gone }, {}, { env: A, file: ./b }] }')))).toEqual([
      expect.stringMatching(/secrets\/0\/env: environment variable NEW is not set/),
      expect.stringMatching(/secrets\/1\/file: names a file that does not exist/),
      expect.stringMatching(/secrets\/2: must say where the secret is, once/),
      expect.stringMatching(/secrets\/3: must say where the secret is, once/),
    ]);
    const error = await errorOf(load(text('{ secrets: [{ env: NEW }] }'), { env: { NEW: 'a\u0000hidden' } }));
    expect(error.message).toMatch(/is empty, too large, or not one line of text/);
    expect(error.message).not.toContain('hidden');
  });

  test('need an address that upstreams can reach', async () => {
    const open = 'server: { listen: 0.0.0.0:8080, dangerouslyServeEveryoneWithoutIdentity: true }\n';
    const env = { NEW: 's' };
    expect(await faultsOf(load(text('{ secrets: [{ env: NEW }] }', open), { env }))).toEqual([
      expect.stringMatching(/\/upstreams\/up\/webhooks: is set, but nothing says where the upstream reaches this gateway/),
    ]);
    const named = text('{ secrets: [{ env: NEW }], publicUrl: https://hooks.example }', open);
    expect((await load(named, { env })).upstreams[0]?.webhooks?.publicUrl).toBe('https://hooks.example');
  });

  test('whose secrets are not there stop no command that needs none of them', async () => {
    const written = text('{ secrets: [{ env: NEW }, { file: ./gone }, { env: OLD }] }');
    const { upstreams } = await load(written, { secrets: 'optional', env: { OLD: 'here' } });
    const { secrets = [], secretsUnread } = upstreams[0]?.webhooks ?? {};
    expect(secrets.map((secret) => secret.reveal())).toEqual(['here']);
    expect(secretsUnread).toBe(true);
    const all = await load(written, { secrets: 'optional', env: { NEW: 'a', OLD: 'b' }, files: { gone: 'c' } });
    expect(all.upstreams[0]?.webhooks).not.toHaveProperty('secretsUnread');
    expect(await faultsOf(load(text('{ secrets: [{}] }'), { secrets: 'optional' }))).toEqual([
      expect.stringMatching(/must say where the secret is, once/),
    ]);
  });

  test('name where keys are published, and whose certificates are believed', async () => {
    const { upstreams } = await load(
      text('{ keySets: ["https://keys.example/v3?p=sign"], allowedOrigins: [https://notify.example, http://localhost:9] }'),
    );
    expect(upstreams[0]?.webhooks).toMatchObject({
      secrets: [],
      keySets: ['https://keys.example/v3?p=sign'],
      allowedOrigins: ['https://notify.example', 'http://localhost:9'],
    });
    const bad = text(
      '{ keySets: ["http://keys.example/jwks", "https://u:p@keys.example/", "ftp://x/"], allowedOrigins: [http://notify.example] }',
    );
    expect(await faultsOf(load(bad))).toEqual([
      expect.stringMatching(/keySets\/1: must be an http or https URL without user/),
      expect.stringMatching(/keySets\/2: must be an http or https URL/),
      expect.stringMatching(/allowedOrigins\/0: is not https: who stands on the way/),
    ]);
    expect(await faultsOf(load(text('{ keySets: ["http://keys.example/jwks"] }')))).toEqual([
      expect.stringMatching(/keySets\/0: is not https/),
    ]);
  });
});
