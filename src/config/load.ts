// Reading the configuration: file, environment and what they name become a Config, or every fault at once.
//   C1. Nothing but ConfigError comes out, whatever the file holds.
//   C2. Faults are found together: what is wrong in one place never hides what is wrong in another, but a file that is
//       not YAML has no content to look at.
//   C3. No fault or warning repeats a value that could be a secret.

import { readFile as readFromDisk } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Fault } from '../errors.ts';
import type { Config, CredentialSource } from './config.ts';
import { ConfigError } from './config-error.ts';
import { type Environment, FILE_DEFAULT, FILE_VARIABLE, OVERRIDES, variable } from './environment.ts';
import {
  missingFiles,
  type ReadFile,
  readCredential,
  readToken,
  readWebhookSecrets,
  type Surroundings,
  unreadable,
} from './outside.ts';
import { type Problem, partAt, problemsOf } from './problems.ts';
import { contradictions, unwise } from './rules.ts';
import { type ConfigDraft, configSchema, draftSchema } from './schema.ts';
import { settle, type UpstreamSecrets } from './settle.ts';
import { type Path, pointerOf, readTree, type Tree } from './tree.ts';

const FILE_BYTES_MAX = 1024 * 1024;
/** Each round takes at least one thing that is wrong out, so a file with more kinds of wrong than this is looked at less closely. */
const ROUNDS_MAX = 20;

export interface LoadOptions {
  /** As the operator wrote it. Absent: LONGSHORE_CONFIG, else `longshore.yaml` in the working directory. */
  readonly file?: string | undefined;
  readonly env: Environment;
  /** Reads a file by absolute path, failing with Node's error codes. */
  readonly readFile?: ReadFile;
  /** `optional`: for commands that send nothing to upstreams; {@link MISSING_SECRET} stands for what is not there. */
  readonly secrets?: 'required' | 'optional';
}

export interface LoadedConfig extends Config {
  /** What works, but should have been meant. In the order of the file. */
  readonly warnings: readonly Fault[];
}

/** Reads and checks the configuration. @throws ConfigError with every fault, its place and its mend */
export async function loadConfig({
  file: named,
  env,
  readFile = readFromDisk,
  secrets = 'required',
}: LoadOptions): Promise<LoadedConfig> {
  const written = named ?? variable(env, FILE_VARIABLE) ?? FILE_DEFAULT;
  const file = resolve(written);
  const tree = readTree(await readText(written, file, readFile), env);
  if (tree.value === undefined) {
    const empty = {
      pointer: '',
      message: 'says nothing',
      mend: 'name at least one upstream, or write a file with longshore init',
    };
    throw new ConfigError(
      (tree.faults.length > 0 ? tree.faults : [{ ...empty, line: 1, column: 1 }]).map((fault) => ({ file: written, ...fault })),
    );
  }
  const { value, overridden } = override(tree.value, env);
  const parsed = configSchema.safeParse(value);
  const content = parsed.success ? parsed.data : soundPart(value);
  const around: Surroundings = { env, readFile, base: dirname(file), secrets };
  const outside = content === undefined ? undefined : await lookOutside(content, around);

  const faultOf = (problem: Problem): Fault => place(problem, written, tree, overridden);
  const fromTree = tree.faults.map((fault) => ({ file: written, ...fault })).filter(({ pointer }) => !overridden.has(pointer));
  const known = new Set(fromTree.map(({ pointer }) => pointer));
  const misfits = parsed.success ? [] : problemsOf(parsed.error.issues, value);
  // What remains of a part that does not fit would be blamed for what was taken out of it.
  const blamed = (content === undefined ? [] : contradictions(content)).filter(
    ({ path }) => !misfits.some((misfit) => path.every((token, index) => misfit.path[index] === token)),
  );
  const found = [...misfits, ...blamed, ...(outside?.problems ?? [])];
  // A part whose variable is missing has no value yet, so nothing else that is said about it holds.
  const faults = [...fromTree, ...found.map(faultOf).filter(({ pointer }) => !known.has(pointer))].sort(byPlace);
  const warnings = (content === undefined ? [] : unwise(content)).map(faultOf).sort(byPlace);
  if (faults.length > 0 || !parsed.success || outside === undefined) throw new ConfigError(faults, warnings);
  return Object.freeze({
    ...settle(file, around.base, parsed.data, outside.secrets, outside.tokens),
    warnings: Object.freeze(warnings),
  });
}

async function readText(written: string, file: string, readFile: ReadFile): Promise<string> {
  const fail = (message: string, mend: string) => new ConfigError([{ file: written, pointer: '', message, mend }]);
  let bytes: Uint8Array;
  try {
    bytes = await readFile(file);
  } catch (error) {
    throw fail(unreadable(error), `name the file with --config or ${FILE_VARIABLE}, or write one with longshore init`);
  }
  if (bytes.byteLength > FILE_BYTES_MAX)
    throw fail('is larger than 1 MiB', 'keep documents and overlays in files of their own');
  try {
    // The decoder drops a byte order mark.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw fail('is not UTF-8', 'save it as UTF-8');
  }
}

/** The file's value with the environment's members put over it, and which variable set what (by pointer). */
function override(
  value: unknown,
  env: Environment,
): { readonly value: unknown; readonly overridden: ReadonlyMap<string, string> } {
  const overridden = new Map<string, string>();
  if (!isMembers(value)) return { value, overridden };
  const result = structuredClone(value);
  for (const { variable: name, path } of OVERRIDES) {
    const said = variable(env, name);
    const last = path.at(-1);
    let at: unknown = result;
    for (const token of path.slice(0, -1)) if (isMembers(at)) at = at[token] ??= {};
    if (said === undefined || last === undefined || !isMembers(at)) continue;
    at[last] = said;
    overridden.set(pointerOf(path), name);
  }
  return { value: result, overridden };
}

/** What remains when everything that does not fit the schema is taken out: so that the rest can be looked at as well. */
function soundPart(value: unknown): ConfigDraft | undefined {
  const rest = structuredClone(value);
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const parsed = draftSchema.safeParse(rest);
    if (parsed.success) return parsed.data;
    const paths = parsed.error.issues.flatMap((issue): Path[] => {
      const path = issue.path.map((token) => (typeof token === 'number' ? token : String(token)));
      return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...path, key]) : [path];
    });
    // All are looked up before any is taken out, or the second below one place would take out what is around it.
    for (const take of paths.map((path) => taker(rest, path))) take();
  }
  return undefined;
}

/** Takes out what is at `path`: a list as a whole, and where nothing is there, what should have held it. */
function taker(value: unknown, path: Path): () => void {
  const last = path.at(-1);
  if (last === undefined) return () => undefined;
  const holder = partAt(value, path.slice(0, -1));
  if (!isMembers(holder) || !Object.hasOwn(holder, last)) return taker(value, path.slice(0, -1));
  return () => {
    delete holder[last];
  };
}

async function lookOutside(content: ConfigDraft, around: Surroundings) {
  const problems: Problem[] = [];
  const secrets = new Map<string, UpstreamSecrets>();
  for (const [name, upstream] of Object.entries(content.upstreams ?? {})) {
    problems.push(...(await missingFiles(['upstreams', name], upstream, around)));
    const sources: Record<string, CredentialSource> = {};
    for (const [scheme, credential] of Object.entries(upstream.credentials)) {
      const read = await readCredential(['upstreams', name, 'credentials', scheme], credential, around);
      problems.push(...read.problems);
      sources[scheme] = read.source;
    }
    const path = ['upstreams', name, 'webhooks', 'secrets'];
    const webhooks = await readWebhookSecrets(path, upstream.webhooks?.secrets ?? [], around);
    problems.push(...webhooks.problems);
    secrets.set(name, { credentials: sources, webhooks });
  }
  const admin = content.admin && (await readToken(['admin', 'token'], content.admin.token, around));
  const scraper = content.metrics?.token && (await readToken(['metrics', 'token'], content.metrics.token, around));
  problems.push(...(admin?.problems ?? []), ...(scraper?.problems ?? []));
  return { problems, secrets, tokens: { admin: admin?.token, metrics: scraper?.token } };
}

function place(problem: Problem, file: string, tree: Tree, overridden: ReadonlyMap<string, string>): Fault {
  const pointer = pointerOf(problem.path);
  const { message, mend } = problem;
  const rest = { pointer, message, ...(mend === undefined ? {} : { mend }) };
  const by = overridden.get(pointer);
  return by === undefined ? { file, ...tree.placeOf(problem.path, problem.part), ...rest } : { file: `$${by}`, ...rest };
}

const byPlace = (a: Fault, b: Fault): number => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);

function isMembers(value: unknown): value is Record<string | number, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
