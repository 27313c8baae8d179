// What the configuration names outside itself: secrets, which are read, and documents, whose being there is looked at.
//   O1. No message repeats what was read, or the value of a variable.

import { resolve } from 'node:path';
import type { CredentialSource, Secret } from './config.ts';
import { type Environment, variable } from './environment.ts';
import { locate } from './locate.ts';
import { type Problem, problem } from './problems.ts';
import { type CredentialFile, SECRET_MEND, type SecretFile, type UpstreamDraft } from './schema.ts';
import { holdSecret } from './secret.ts';
import { present, type WebhookSecrets } from './settle.ts';
import type { Path } from './tree.ts';

export type ReadFile = (path: string) => Promise<Uint8Array>;

const SECRET_BYTES_MAX = 64 * 1024;

export interface Surroundings {
  readonly env: Environment;
  readonly readFile: ReadFile;
  /** Directory of the configuration file. */
  readonly base: string;
  readonly secrets: 'required' | 'optional';
}

/** Stands for a secret that is not there and is not needed. */
export const MISSING_SECRET = 'missing';

/** Why a file can't be read, in words; never with its content. */
export function unreadable(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  const known = {
    ENOENT: 'does not exist',
    ENOTDIR: 'does not exist',
    EISDIR: 'is a directory',
    EACCES: 'may not be read',
    EPERM: 'may not be read',
  };
  return known[code as keyof typeof known] ?? `can not be read${typeof code === 'string' ? ` (${code})` : ''}`;
}

/** Problems of the document, overlays and allowedRefs that an upstream names. Remote ones are not asked for. */
export async function missingFiles(path: Path, upstream: UpstreamDraft, around: Surroundings): Promise<Problem[]> {
  const named = [
    ...(upstream.document === undefined ? [] : [{ path: [...path, 'document'], written: upstream.document, read: true }]),
    ...upstream.overlays.map((written, index) => ({ path: [...path, 'overlays', index], written, read: true })),
    ...upstream.allowedRefs.map((written, index) => ({ path: [...path, 'allowedRefs', index], written, read: false })),
  ];
  const found = await Promise.all(
    named.map(async ({ path: at, written, read }): Promise<Problem | undefined> => {
      const place = locate(written, around.base);
      if (typeof place === 'string') return problem(at, place);
      if (place.remote || !read) return undefined;
      try {
        await around.readFile(place.at);
        return undefined;
      } catch (error) {
        return {
          path: at,
          message: `names a file that ${unreadable(error)}: ${place.at}`,
          mend: 'paths are relative to the configuration file',
        };
      }
    }),
  );
  return found.filter((item) => item !== undefined);
}

/** The credential with its secrets read, or what is wrong with them. */
export async function readCredential(
  path: Path,
  credential: CredentialFile,
  around: Surroundings,
): Promise<{ readonly source: CredentialSource; readonly problems: readonly Problem[] }> {
  const problems: Problem[] = [];
  const read = async (at: Path, place: SecretFile | undefined): Promise<Secret | undefined> => {
    const result = place === undefined ? undefined : await readSecret(at, place, around);
    if (result !== undefined && 'problem' in result && around.secrets === 'optional') return holdSecret(MISSING_SECRET);
    if (result !== undefined && 'problem' in result) problems.push(result.problem);
    return result !== undefined && 'secret' in result ? result.secret : undefined;
  };
  const value = await read(path, credential);
  const username = await read([...path, 'username'], credential.username);
  const password = await read([...path, 'password'], credential.password);
  return { source: present({ value, username, password, header: credential.header, query: credential.query }), problems };
}

/** The secrets that deliveries are verified by, or what is wrong with them. Keys in files may have several lines. */
export async function readWebhookSecrets(
  path: Path,
  places: readonly SecretFile[],
  around: Surroundings,
): Promise<WebhookSecrets & { readonly problems: readonly Problem[] }> {
  const problems: Problem[] = [];
  const secrets: Secret[] = [];
  let unread = false;
  for (const [index, place] of places.entries()) {
    const at = [...path, index];
    if ((place.env === undefined) === (place.file === undefined)) {
      problems.push({ path: at, message: 'must say where the secret is, once', mend: SECRET_MEND });
      continue;
    }
    const result = await readSecret(at, place, around, writable);
    if (result !== undefined && 'secret' in result) secrets.push(result.secret);
    else if (around.secrets === 'optional') unread = true;
    else if (result !== undefined) problems.push(result.problem);
  }
  return { secrets, unread, problems };
}

/** Shorter ones can be guessed over HTTP. */
const TOKEN_CHARACTERS_MIN = 16;

/** A token that callers of ours bring (operators, scrapers), or what is wrong with it. */
export async function readToken(
  path: Path,
  place: SecretFile,
  around: Surroundings,
): Promise<{ readonly token?: Secret; readonly problems: readonly Problem[] }> {
  if ((place.env === undefined) === (place.file === undefined)) {
    return { problems: [{ path, message: 'must say where the secret is, once', mend: SECRET_MEND }] };
  }
  const result = await readSecret(path, place, around);
  if (result !== undefined && 'problem' in result) return { problems: around.secrets === 'optional' ? [] : [result.problem] };
  if (result === undefined) return { problems: [] };
  if (result.secret.reveal().length >= TOKEN_CHARACTERS_MIN) return { token: result.secret, problems: [] };
  const message = `is shorter than ${TOKEN_CHARACTERS_MIN} characters, so that it could be guessed`;
  return { problems: [{ path, message, mend: 'make one with openssl rand -base64 32' }] };
}

type SecretResult = { readonly secret: Secret } | { readonly problem: Problem } | undefined;

async function readSecret(
  path: Path,
  place: SecretFile,
  around: Surroundings,
  fits: (text: string) => boolean = sendable,
): Promise<SecretResult> {
  if (place.env !== undefined) {
    const at = [...path, 'env'];
    const text = variable(around.env, place.env);
    if (text === undefined) {
      return {
        problem: { path: at, message: `environment variable ${place.env} is not set`, mend: `set ${place.env} to the secret` },
      };
    }
    return fits(text) ? { secret: holdSecret(text) } : { problem: unsendable(at, `environment variable ${place.env}`) };
  }
  if (place.file === undefined) return undefined;
  const at = [...path, 'file'];
  const file = resolve(around.base, place.file);
  try {
    const bytes = await around.readFile(file);
    const text = bytes.byteLength > SECRET_BYTES_MAX ? '' : new TextDecoder('utf-8').decode(bytes).replace(/\r?\n$/, '');
    return fits(text) ? { secret: holdSecret(text) } : { problem: unsendable(at, `file ${file}`) };
  } catch (error) {
    return {
      problem: {
        path: at,
        message: `names a file that ${unreadable(error)}: ${file}`,
        mend: 'put the secret there; paths are relative to the configuration file',
      },
    };
  }
}

// A line break or another control character would end or break the header that carries it (RFC 9110 §5.5).
const sendable = (text: string): boolean => text !== '' && !/\p{Cc}|\uFFFD/u.test(text);

const writable = (text: string): boolean => text.trim() !== '' && !/[^\P{Cc}\r\n\t]|\uFFFD/u.test(text);

const unsendable = (path: Path, what: string): Problem => ({
  path,
  message: `${what} is empty, too large, or not one line of text`,
  mend: 'let it hold the secret alone',
});
