// `longshore init DOC…`: a configuration and an overlay for each document, out of what the documents say.
//   I1. Nothing is asked that can be inferred; what can't be is a line marked CONFIRM.
//   I2. Nothing is overwritten without --force: every file is looked at before the first is written. With it, what was there is
//       kept beside what is written.
//   I3. What is written loads: `longshore check` on it passes, or names secrets that are not set.
//
//   Exit code 0: written.   1: a document can't be used, or a file is in the way.   2: not asked properly.

import { access, constants, copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { gather } from '../catalogue/fault.ts';
import { isUrl, loadSource, locationOf, type ReadDocument } from '../catalogue/load.ts';
import { choose } from './choice.ts';
import { configText, type DraftedUpstream } from './config-text.ts';
import { draftCredentials } from './credentials-draft.ts';
import { look } from './look.ts';
import { type OverlayText, overlayText } from './overlay-text.ts';
import { count, painter, type Terminal, wrapped } from './terminal.ts';
import { upstreamName } from './upstream-name.ts';

export interface InitOptions {
  readonly documents: readonly string[];
  /** Where the files go. */
  readonly directory: string;
  readonly force: boolean;
  readonly read: ReadDocument;
  /** Absolute path of the JSON Schema of longshore.yaml. */
  readonly schema: string;
  readonly terminal: Terminal;
}

const CONFIG_FILE = 'longshore.yaml';

/** Writes the files, and answers the exit code. Throws {@link DocumentError} with the faults of every document that can't be used. */
export async function init(options: InitOptions): Promise<0 | 1> {
  const { documents, directory, force, read, terminal } = options;
  const sources = await gather(documents.map((document) => loadSource(document, read)));
  const names = distinct(sources.map((source, index) => upstreamName(documents[index] as string, source.root)));
  const drafted: (DraftedUpstream & { readonly text: OverlayText })[] = [];
  for (const [index, source] of sources.entries()) {
    const once: ReadDocument = async (location, how) =>
      location === source.location ? { text: '', location, parsed: source } : read(location, how);
    drafted.push(await draft(documents[index] as string, names[index] as string, directory, once));
  }
  const schema = schemaFrom(directory, options.schema);
  const files = [
    { name: CONFIG_FILE, text: configText(drafted, schema) },
    ...drafted.map(({ overlay, text }) => ({ name: basename(overlay), text: text.text })),
  ];
  const inTheWay = await existing(
    directory,
    files.map(({ name }) => name),
  );
  if (inTheWay.length > 0 && !force) {
    const list = inTheWay.map((name) => shown(directory, name)).join(' and ');
    const are = inTheWay.length === 1 ? 'exists' : 'exist';
    terminal.stderr(
      `${list} ${are} already, and nothing was written → move ${inTheWay.length === 1 ? 'it' : 'them'}, write elsewhere with --dir, or overwrite with --force\n`,
    );
    return 1;
  }
  const kept: string[] = [];
  try {
    await mkdir(directory, { recursive: true });
    for (const { name, text } of files) {
      const before = await setAside(join(directory, name), text);
      if (before !== undefined) kept.push(shown(directory, before));
      await written(join(directory, name), text);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    terminal.stderr(
      `${directory} can not be written (${(error as Error).message}) → free some space, ask for the right to write there, or write elsewhere with --dir\n`,
    );
    return 1;
  }
  if (kept.length > 0) terminal.stdout(`what was there is kept as ${kept.join(' and ')}\n`);
  terminal.stdout(summary(drafted, directory, terminal));
  return 0;
}

async function draft(
  document: string,
  name: string,
  directory: string,
  read: ReadDocument,
): Promise<DraftedUpstream & { readonly text: OverlayText }> {
  const looked = await look({ document, name, read });
  const service = looked.catalogue.services.get(name);
  return {
    look: looked,
    document: fromDirectory(directory, document),
    overlay: `./${name}.overlay.yaml`,
    allowedRefs: looked.refersElsewhere && !isUrl(document) ? [fromDirectory(directory, dirname(locationOf(document)))] : [],
    credentials: draftCredentials(name, looked.document, service?.securitySchemes ?? {}, looked.operations),
    chosen: choose(looked),
    text: overlayText(looked),
  };
}

/** The same name for two documents would lose one of them. */
function distinct(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let free = name;
    for (let number = 2; taken.has(free); number += 1) free = `${name}-${number}`;
    taken.add(free);
    return free;
  });
}

/** A path as the configuration writes it: relative to its directory. */
function fromDirectory(directory: string, name: string): string {
  if (isUrl(name)) return name;
  const way = relative(resolve(directory), resolve(name)).split(sep).join('/');
  // On another drive there is no relative way.
  if (isAbsolute(way)) return way;
  return way === '' ? '.' : way.startsWith('.') ? way : `./${way}`;
}

/** The schema beside the configuration where the package is installed there, else where this program has its own. */
function schemaFrom(directory: string, schema: string): string {
  const way = fromDirectory(directory, schema);
  return /^(\.\.\/){3,}/.test(way) ? schema : way;
}

async function existing(directory: string, names: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    names.map((name) =>
      access(join(directory, name)).then(
        () => [name],
        () => [],
      ),
    ),
  );
  return found.flat();
}

/** Copies what is to be replaced by something else; answers the copy's name, or `undefined` where nothing is lost. */
async function setAside(file: string, text: string): Promise<string | undefined> {
  const before = await readFile(file, 'utf8').catch(() => undefined);
  if (before === undefined || before === text) return undefined;
  for (let number = 1; ; number += 1) {
    const copy = `${file}.${number}.bak`;
    try {
      await copyFile(file, copy, constants.COPYFILE_EXCL);
      return basename(copy);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Whole or not at all: a file that is half written would not load. */
async function written(file: string, text: string): Promise<void> {
  const beside = `${file}.new`;
  try {
    await writeFile(beside, text);
    await rename(beside, file);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

const shown = (directory: string, name: string): string => {
  const way = relative('', join(directory, name));
  return way.startsWith('..') ? join(directory, name) : way;
};

function summary(
  drafted: readonly (DraftedUpstream & { readonly text: OverlayText })[],
  directory: string,
  terminal: Terminal,
): string {
  const paint = painter(terminal);
  const lines = [`wrote ${paint('bold', shown(directory, CONFIG_FILE))}`];
  for (const { look: looked, overlay, text, chosen } of drafted) {
    const confirm = text.toConfirm === 0 ? '' : `, ${text.toConfirm} marked CONFIRM`;
    const evident = text.evident === 0 ? '' : `, ${text.evident} need no description`;
    const name = paint('bold', shown(directory, basename(overlay)));
    lines.push(`wrote ${name} (${count(text.described, 'job')} described${evident}${confirm})`);
    if (!looked.namesServer)
      lines.push(`  ${looked.name} does not say where it is served → set \`baseUrl\` in ${shown(directory, CONFIG_FILE)}`);
    if (chosen.include !== undefined)
      lines.push(
        `  ${chosen.total} tools would be too many to choose among: \`tools.include\` names ${chosen.include.length} of them`,
      );
  }
  const variables = drafted.flatMap(({ credentials }) =>
    credentials.credentials.filter((one) => one.needed).flatMap((one) => one.variables),
  );
  const file = shown(directory, CONFIG_FILE);
  const option = file === CONFIG_FILE ? '' : ` --config ${file}`;
  const next = [
    ...(drafted.some(({ text }) => text.toConfirm > 0) ? ['look for CONFIRM in what was written'] : []),
    ...(variables.length === 0 ? [] : [`set ${variables.join(', ')}`]),
    `longshore check${option}`,
  ];
  return `${[...lines, wrapped(`next: ${next.join(' · then ')}`, terminal.columns, '      ')].join('\n')}\n`;
}
