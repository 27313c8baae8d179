import { describe, expect, test } from 'vitest';
import type { CredentialSource, Secret } from '../../src/config/config.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { credentialsFor } from '../../src/upstream/credentials.ts';

const secret = (text: string): Secret => ({ reveal: () => text });
const value = secret('S3CRET');
const login = { username: secret('Aladdin'), password: secret('open sesame é') };

/** What one scheme and source come to: how it is sent, or what is wrong. */
function outcome(scheme: JsonObject | undefined, source: CredentialSource): string {
  const { credentials, faults } = credentialsFor(scheme === undefined ? {} : { main: scheme }, { main: source });
  const sent = credentials.map((one) => `${one.in} ${one.name}: ${one.value()}${one.always ? ' (always)' : ''}`);
  return [
    ...sent,
    ...faults.map((fault) => `${fault.pointer} ${fault.message}${fault.mend === undefined ? '' : ` → ${fault.mend}`}`),
  ].join('; ');
}

describe('a security scheme of the document', () => {
  test.each<[JsonObject, CredentialSource, string]>([
    [{ type: 'apiKey', in: 'header', name: 'X-Api-Key' }, { value }, 'header X-Api-Key: S3CRET'],
    [{ type: 'apiKey', in: 'query', name: 'api_key' }, { value }, 'query api_key: S3CRET'],
    [{ type: 'apiKey', in: 'cookie', name: 'session' }, { value }, 'cookie session: S3CRET'],
    [{ type: 'http', scheme: 'bearer' }, { value }, 'header Authorization: Bearer S3CRET'],
    [{ type: 'http', scheme: 'Basic' }, login, 'header Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZSDDqQ=='],
    [{ type: 'http', scheme: 'Token' }, { value }, 'header Authorization: Token S3CRET'],
    [{ type: 'oauth2', flows: {} }, { value }, 'header Authorization: Bearer S3CRET'],
    [{ type: 'openIdConnect', openIdConnectUrl: 'https://id' }, { value }, 'header Authorization: Bearer S3CRET'],
  ])('%o is sent as it says', (scheme, source, expected) => {
    expect(outcome(scheme, source)).toBe(expected);
  });

  test.each<[JsonObject, CredentialSource, RegExp]>([
    [{ type: 'http', scheme: 'basic' }, { value }, /^\/main main: .*username and password/],
    [{ type: 'http', scheme: 'bearer' }, login, /^\/main main: .*needs a secret/],
    [{ type: 'http', scheme: 'digest' }, { value }, /digest is not supported/],
    [{ type: 'mutualTLS' }, { value }, /mutualTLS are not supported/],
    [{ type: 'apiKey' }, { value }, /does not say where/],
    [{ type: 'apiKey', in: 'header', name: 'X Key' }, { value }, /X Key can't be the name of a header/],
    [{ type: 'apiKey', in: 'header', name: 'X-Key' }, { value: secret('S3C\nRET') }, /line break/],
    [{ type: 'apiKey', in: 'cookie', name: 'c' }, { value: secret('S3C;RET') }, /cookie can't carry/],
  ])('%o that its source does not suit is a fault, without the secret', (scheme, source, expected) => {
    expect(outcome(scheme, source)).toMatch(expected);
    expect(outcome(scheme, source)).not.toContain('S3C');
  });
});

describe('a credential that the document does not know', () => {
  test('goes where the configuration says, with every request', () => {
    expect(outcome(undefined, { value, header: 'X-Gate' })).toBe('header X-Gate: S3CRET (always)');
    expect(outcome(undefined, { value, query: 'key' })).toBe('query key: S3CRET (always)');
  });

  test('and that says no place is a fault that names the schemes there are', () => {
    const { credentials, faults } = credentialsFor({ oauth: { type: 'oauth2' } }, { 'o/auth': { value } });
    expect(credentials).toEqual([]);
    expect(faults).toEqual([
      {
        pointer: '/o~1auth',
        message: 'o/auth: the document has no such security scheme',
        mend: expect.stringContaining('oauth'),
      },
    ]);
    expect(outcome(undefined, { value })).toMatch(/the document has none, or say by header or query/);
  });

  test('named like a member of every object is still unknown', () => {
    expect(credentialsFor({}, { constructor: { value } } as unknown as Record<string, CredentialSource>).faults).toHaveLength(
      1,
    );
  });
});

test('a credential is printed by nobody', () => {
  const { credentials } = credentialsFor({ main: { type: 'http', scheme: 'bearer' } }, { main: { value } });
  expect(JSON.stringify(credentials)).not.toContain('S3CRET');
});
