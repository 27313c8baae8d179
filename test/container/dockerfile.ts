// The Dockerfile and .dockerignore as data, and their build replayed in a folder: enough to try an image without an engine.
//   I1. COPY takes from the project only what .dockerignore admits.
//   I2. RUN is run as it is written in stages that build. The last stage's RUN needs root and a root of its own, so it is only read.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, readdir, stat } from 'node:fs/promises';
import { delimiter, dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Copy, DockerfileParser, type Env, type Instruction } from 'dockerfile-ast';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
export const DOCKERFILE = readFileSync(join(PROJECT, 'Dockerfile'), 'utf8');

export interface Stage {
  readonly image: string;
  readonly name: string | undefined;
  readonly instructions: readonly Instruction[];
}

/** The stages in their order. */
export function stages(): readonly Stage[] {
  const found: { image: string; name: string | undefined; instructions: Instruction[] }[] = [];
  for (const instruction of DockerfileParser.parse(DOCKERFILE).getInstructions()) {
    if (instruction.getKeyword() === 'FROM') {
      const [image = '', , name] = textOf(instruction).split(/\s+/);
      found.push({ image, name, instructions: [] });
    } else found.at(-1)?.instructions.push(instruction);
  }
  return found;
}

/** What stands behind the keyword and its flags, continued lines joined. */
export const textOf = (instruction: Instruction): string => instruction.getArgumentsContent() ?? '';

/** The texts of all instructions with a keyword. */
export const texts = ({ instructions }: Stage, keyword: string): readonly string[] =>
  instructions.filter((instruction) => instruction.getKeyword() === keyword).map(textOf);

/** The words of an instruction in exec form; throws for the shell form. */
export function execForm(text: string | undefined): readonly string[] {
  const words: unknown = JSON.parse(text ?? '');
  if (!Array.isArray(words) || !words.every((word) => typeof word === 'string')) throw new Error(`not in exec form: ${text}`);
  return words;
}

export const workdirOf = (stage: Stage): string => texts(stage, 'WORKDIR').at(-1) ?? '/';

export const environmentOf = ({ instructions }: Stage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    instructions
      .filter((instruction) => instruction.getKeyword() === 'ENV')
      .flatMap((env) => (env as Env).getProperties().map((entry) => [entry.getName(), entry.getUnescapedValue() ?? ''])),
  );

/** One COPY. `from` names a stage; absent, it takes from the project. */
export function copyOf(instruction: Instruction): { from?: string; sources: readonly string[]; destination: string } {
  const paths = instruction.getArguments().map((argument) => argument.getValue());
  const from = (instruction as Copy).getFromFlag()?.getValue() ?? undefined;
  return { ...(from !== undefined && { from }), sources: paths.slice(0, -1), destination: paths.at(-1) ?? '' };
}

const IGNORE = readFileSync(join(PROJECT, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/**
 * Whether the build context has a path of the project: the last pattern decides that fits it, or a folder it is in.
 * @see https://docs.docker.com/build/concepts/context/#dockerignore-files
 */
export function isAdmitted(path: string): boolean {
  const parts = path.split('/');
  const withFolders = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  const fits = (line: string) => withFolders.some((folder) => patternOf(line).test(folder));
  return IGNORE.findLast(fits)?.startsWith('!') ?? true;
}

/** Names that begin with a dot are like others here, unlike in a shell. */
const patternOf = (line: string): RegExp =>
  new RegExp(`^${line.replace(/^!/, '').split('*').map(RegExp.escape).join('[^/]*')}$`);

export const isInProject = (path: string): boolean => existsSync(join(PROJECT, path));

/** Replays all stages. Returns the folder that stands for the last one's root. */
export async function replay(folder: string): Promise<string> {
  const roots = new Map<string, string>();
  const all = stages();
  for (const [index, stage] of all.entries()) {
    const root = join(folder, stage.name ?? `stage-${index}`);
    if (stage.name !== undefined) roots.set(stage.name, root);
    const workdir = join(root, workdirOf(stage));
    await mkdir(workdir, { recursive: true });
    for (const instruction of stage.instructions) {
      const keyword = instruction.getKeyword();
      if (keyword === 'COPY') await copy(instruction, roots, workdir);
      if (keyword === 'RUN' && index < all.length - 1) await shell(textOf(instruction), workdir);
    }
    for (const volume of texts(stage, 'VOLUME')) await mkdir(join(root, volume), { recursive: true });
    if (index === all.length - 1) return root;
  }
  throw new Error('the Dockerfile has no stage');
}

/** A folder gives its contents; several sources, or a destination that ends in a slash, mean that it is a folder. */
async function copy(instruction: Instruction, roots: ReadonlyMap<string, string>, workdir: string): Promise<void> {
  const { from, sources, destination } = copyOf(instruction);
  const origin = from === undefined ? PROJECT : (roots.get(from) ?? '');
  for (const source of sources) {
    const original = join(origin, source);
    const isFolder = (await stat(original)).isDirectory();
    const target = join(workdir, destination, ...(isFolder || !destination.endsWith('/') ? [] : [posix.basename(source)]));
    await mkdir(dirname(target), { recursive: true });
    await cp(original, target, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => from !== undefined || isAdmitted(posix.relative(PROJECT, path)),
    });
  }
}

async function shell(command: string, cwd: string): Promise<void> {
  const { code, output } = await ended(spawn('/bin/sh', ['-c', command], { cwd, env: cleanEnvironment() }));
  if (code !== 0) throw new Error(`RUN ${command} ended with ${code}:\n${output}`);
}

/** What is in the environment because of npm and the test runner: no container has that. How to reach a registry stays. */
const OURS =
  /^(npm_(?!config_(cache|registry|userconfig|cafile|https?_proxy|proxy)$)|NODE_(ENV|OPTIONS|PATH|V8_COVERAGE)$|VITE|LONGSHORE_|INIT_CWD$|TEST$|DEV$|PROD$|MODE$)/i;

/** Only what any process has, with the Node that runs this test as the image's. */
export const cleanEnvironment = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !OURS.test(name))),
  PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
  // The cache of this machine, where it has what is asked for.
  npm_config_prefer_offline: 'true',
});

export async function ended(child: ChildProcess): Promise<{ readonly code: number | null; readonly output: string }> {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const [code] = await once(child, 'close');
  return { code, output };
}

/** Files below a folder as paths from it, with their bytes. */
export async function filesOf(folder: string): Promise<ReadonlyMap<string, number>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(files.map(async (file) => [posix.relative(folder, file), (await stat(file)).size] as const)),
  );
}
