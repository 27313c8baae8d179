// Reading documents: files, and http(s) addresses that the operator named. No credentials are sent, ever.

import { readFile, stat } from 'node:fs/promises';
import { isUrl, type ReadDocument } from './load.ts';

/** Larger than the largest public documents (about 13 MB), small enough not to hurt. */
const BYTES_MAX = 64 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

const ACCEPT = 'application/openapi+json, application/openapi+yaml, application/json, application/yaml, */*;q=0.5';

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'it does not exist',
  EISDIR: 'it is a directory',
  EACCES: 'it may not be read',
  EPERM: 'it may not be read',
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the host does not exist',
  TimeoutError: `no whole answer came within ${TIMEOUT_MS / 1000} s`,
};

const tooLarge = () => new Error(`it is larger than ${BYTES_MAX / 1024 / 1024} MB`);

/** What went wrong, in words. Low-level errors carry their code, sometimes one level down. */
function worded(error: unknown): Error {
  const { code, name, cause, message } = error as {
    code?: string;
    name?: string;
    cause?: { code?: string; message?: string };
    message: string;
  };
  const said = WORDS[code ?? ''] ?? WORDS[cause?.code ?? ''] ?? WORDS[name ?? ''];
  return new Error(said ?? cause?.message ?? message, { cause: error });
}

/** Reads a document by path or address, within limits of size and time. */
export const readSource: ReadDocument = async (location, { moves }) => {
  const read = isUrl(location) ? fetchText(location, moves) : fileText(location);
  try {
    return await read;
  } catch (error) {
    throw worded(error);
  }
};

async function fileText(path: string): Promise<Awaited<ReturnType<ReadDocument>>> {
  if ((await stat(path)).size > BYTES_MAX) throw tooLarge();
  return { text: await readFile(path, 'utf8'), location: path };
}

async function fetchText(address: string, moves: boolean): Promise<Awaited<ReturnType<ReadDocument>>> {
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') throw new Error('the address holds a user name or password');
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, {
    headers: { accept: ACCEPT },
    redirect: moves ? 'follow' : 'manual',
    credentials: 'omit',
    signal,
  });
  if (response.status >= 300 && response.status < 400)
    throw new Error(`it has moved to ${response.headers.get('location') ?? 'elsewhere'}`);
  if (!response.ok) throw new Error(`the answer was ${response.status} ${response.statusText}`.trim());
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > BYTES_MAX) throw tooLarge();
    chunks.push(chunk);
  }
  return {
    text: new TextDecoder('utf-8').decode(Buffer.concat(chunks)),
    location: response.url === '' ? address : response.url,
  };
}
