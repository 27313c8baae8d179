// Which credential goes where: the document's securitySchemes joined with the secrets of the configuration.
//   K1. A secret is held in a closure, so that nothing prints it; it is read when a request is written.
//   K2. What can't be sent is a fault when the configuration is read, not a surprise at the first call.

import type { CredentialSource } from '../config/config.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import type { Fault } from '../errors.ts';

/** One credential, ready to be put on a request. */
export interface UpstreamCredential {
  /** Name in the document's securitySchemes, or in the configuration alone. */
  readonly scheme: string;
  readonly in: 'header' | 'query' | 'cookie';
  readonly name: string;
  readonly value: () => string;
  /** The document knows no such scheme, so no request can select it: it goes along with every one. */
  readonly always: boolean;
}

export interface Credentials {
  readonly credentials: readonly UpstreamCredential[];
  /** Pointers are relative to the upstream's `credentials`. */
  readonly faults: readonly Fault[];
}

type Sent = Pick<UpstreamCredential, 'in' | 'name' | 'value'> | { readonly wrong: string; readonly mend?: string };

const authorization = (value: () => string): Sent => ({ in: 'header', name: 'Authorization', value });

const NEEDS_VALUE: Sent = { wrong: 'this scheme needs a secret', mend: 'give one by env or file' };

/** How a scheme of the document is sent. @see OpenAPI 3.1 §4.8.27 Security Scheme Object */
function bySecurityScheme(scheme: JsonObject, source: CredentialSource): Sent {
  const { type, in: place, name } = scheme;
  const kind = typeof scheme['scheme'] === 'string' ? scheme['scheme'] : '';
  const { username, password, value: secret } = source;
  // Swagger 2.0 calls it a type of its own.
  if (type === 'basic' || (type === 'http' && kind.toLowerCase() === 'basic')) {
    if (username === undefined || password === undefined) return { wrong: 'HTTP Basic needs username and password' };
    const pair = () => Buffer.from(`${username.reveal()}:${password.reveal()}`, 'utf8').toString('base64');
    return authorization(() => `Basic ${pair()}`);
  }
  if (secret === undefined) return NEEDS_VALUE;
  switch (type) {
    case 'apiKey':
      if ((place !== 'header' && place !== 'query' && place !== 'cookie') || typeof name !== 'string' || name === '') {
        return { wrong: 'the document does not say where this API key goes (in, name)' };
      }
      return { in: place, name, value: () => secret.reveal() };
    case 'http':
      if (kind.toLowerCase() === 'digest' || kind === '')
        return { wrong: `HTTP ${kind || 'without a scheme'} is not supported` };
      return authorization(() => `${kind.toLowerCase() === 'bearer' ? 'Bearer' : kind} ${secret.reveal()}`);
    case 'oauth2':
    case 'openIdConnect':
      return authorization(() => `Bearer ${secret.reveal()}`);
    default:
      return { wrong: `schemes of type ${typeof type === 'string' ? type : 'unknown'} are not supported` };
  }
}

/** How a credential is sent that only the configuration knows. */
function bySource(source: CredentialSource, known: readonly string[]): Sent {
  const { header, query, value: secret } = source;
  if (header === undefined && query === undefined) {
    return {
      wrong: 'the document has no such security scheme',
      mend: `${known.length === 0 ? 'the document has none' : `name one of ${known.join(', ')}`}, or say by header or query where it goes`,
    };
  }
  if (secret === undefined) return NEEDS_VALUE;
  const value = () => secret.reveal();
  return header === undefined ? { in: 'query', name: query ?? '', value } : { in: 'header', name: header, value };
}

/** What keeps a credential out of a request: a name or a secret that its place can't carry. Never says the secret. */
function misfit({ in: place, name, value }: Exclude<Sent, { wrong: string }>): string | undefined {
  if (place === 'query') return value().isWellFormed() ? undefined : 'the secret is not text';
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)) return `${name} can't be the name of a ${place}`;
  const carried = place === 'cookie' ? /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/ : /^[\t\x20-\x7e]*$/;
  return carried.test(value()) ? undefined : `the secret holds characters that a ${place} can't carry, such as a line break`;
}

/**
 * The credentials of one upstream.
 * @param securitySchemes `components.securitySchemes` of the document, `$ref`s resolved; `{}` where there is none.
 * @param sources The configuration's `credentials`, by scheme name.
 */
export function credentialsFor(securitySchemes: JsonObject, sources: Readonly<Record<string, CredentialSource>>): Credentials {
  const credentials: UpstreamCredential[] = [];
  const faults: Fault[] = [];
  for (const [scheme, source] of Object.entries(sources)) {
    const described = Object.hasOwn(securitySchemes, scheme) ? securitySchemes[scheme] : undefined;
    const documented = isJsonObject(described);
    const sent = documented ? bySecurityScheme(described, source) : bySource(source, Object.keys(securitySchemes));
    const wrong = 'wrong' in sent ? sent.wrong : misfit(sent);
    if (wrong !== undefined) {
      const pointer = `/${scheme.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      faults.push({ pointer, message: `${scheme}: ${wrong}`, ...('mend' in sent && { mend: sent.mend }) });
    } else if (!('wrong' in sent)) credentials.push({ scheme, ...sent, always: !documented });
  }
  return { credentials, faults };
}
