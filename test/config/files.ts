// Configuration files in a directory of their own, and what is found in them, as short lines.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ConfigError } from '../../src/config/config-error.ts';
import { type LoadedConfig, loadConfig } from '../../src/config/load.ts';

/** A directory with `files` in it, gone when the test's resource is disposed of. */
export async function directory(
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<{ path: string; [Symbol.asyncDispose](): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'longshore-config-'));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

export const DOCUMENT = { 'api.yaml': 'openapi: 3.1.0\n' };

/** Loads `text` as longshore.yaml beside api.yaml. */
export async function load(
  text: string | Uint8Array,
  {
    env = {},
    files = {},
    secrets = 'required',
  }: { env?: Record<string, string>; files?: Record<string, string>; secrets?: 'required' | 'optional' } = {},
): Promise<LoadedConfig> {
  await using place = await directory({ ...DOCUMENT, ...files, 'longshore.yaml': text });
  return await loadConfig({ file: join(place.path, 'longshore.yaml'), env, secrets });
}

/** What is wrong, each as `line:column pointer: message → mend`, or the file's name instead of a place it does not have. */
export async function faultsOf(loading: Promise<LoadedConfig>): Promise<readonly string[]> {
  const error = await errorOf(loading);
  return error.faults.map(({ file, line, column, pointer, message, mend }) => {
    const place = line === undefined ? `${file?.replace(/^.*\//, '')}` : `${line}:${column}`;
    const said = `${message}${mend === undefined ? '' : ` → ${mend}`}`.replace(/\/\S*longshore-config-\w+/g, '…');
    return `${place} ${pointer}: ${said}`;
  });
}

export async function errorOf(loading: Promise<LoadedConfig>): Promise<ConfigError> {
  try {
    await loading;
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('it was loaded');
}
