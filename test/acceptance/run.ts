// npm run acceptance: the shared acceptance harness against the real gateway, held against expected.json.
//   npm run acceptance -- [ids or kinds] [--all-failures] [--clients L,M,P] [--p 25|26] [--serial]
//   A run fails where a case of `mustPass` does not pass, where one of `open` does better than it says, or where a case is on
//   neither list. Each case has a process of its own, a few at a time, since most of a case is waiting. One that must pass and
//   does not is tried once more, alone, because a busy machine spoils timings; the table says so.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { cp, mkdtemp, readFile, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const AT_ONCE = 3;
/** Cases that measure the gateway under load: after the others, and beside nothing but each other. */
const HEAVY: readonly string[] = ['LOAD-01', 'LOAD-02'];
/** They take longest, so they begin first. */
const LONG: readonly string[] = ['DUR-02', 'SUB-02', 'POL-05', 'SEC-05', 'POL-01'];
const INSTALL_LIMIT_MS = 60_000;

type Verdict = 'pass' | 'fail' | 'skip';

interface Expected {
  readonly mustPass: readonly string[];
  readonly open: Readonly<Record<string, Open>>;
}

/** What does not pass yet, and why. */
interface Open {
  /** `either`: it depends on the moment. */
  readonly verdict: 'fail' | 'skip' | 'either';
  /** Whose columns it is about; the others must pass. Absent: all. */
  readonly clients?: readonly string[];
  readonly reason: string;
}

/** A case as the harness reports it with --json. */
interface Result {
  readonly id: string;
  readonly kind: string;
  readonly verdict: Verdict;
  readonly columns: readonly {
    readonly client: string;
    readonly verdict: Verdict;
    readonly failures: readonly string[];
    readonly notes: readonly string[];
  }[];
  /** The first failing assertion, or why the case was skipped. */
  readonly first: string;
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const harness = join(process.env['LONGSHORE_SHARED'] ?? here('../../../shared'), 'harness');
const expected = JSON.parse(await readFile(here('expected.json'), 'utf8')) as Expected;
const children = new Set<ChildProcess>();

if (existsSync(join(harness, 'run.mjs'))) {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-acceptance-'));
  const clean = () => rmSync(folder, { recursive: true, force: true });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      for (const child of children) child.kill('SIGTERM');
      clean();
      process.exit(130);
    });
  }
  try {
    process.exitCode = (await runCases(await unpack(folder), process.argv.slice(2))) ? 0 : 1;
  } finally {
    clean();
  }
} else {
  const count = expected.mustPass.length + Object.keys(expected.open).length;
  console.log('skipped: the acceptance harness is not here; LONGSHORE_SHARED names the folder above harness/');
  console.log(`0 passed, 0 failed, ${count} skipped`);
}

/** A copy that can be run: where the harness lies, nothing may be written. */
async function unpack(folder: string): Promise<string> {
  const copy = join(folder, 'harness');
  await cp(harness, copy, { recursive: true });
  await run('chmod', ['-R', 'u+w', copy], folder);
  const installed = await run('npm', ['ci', '--silent', '--no-audit', '--no-fund'], copy, INSTALL_LIMIT_MS);
  if (installed.code !== 0) {
    // Without a network: the one package that it needs is among ours.
    rmSync(join(copy, 'node_modules'), { recursive: true, force: true });
    await symlink(here('../../node_modules'), join(copy, 'node_modules'));
  }
  return copy;
}

/** Runs the cases that the words name, or all, and prints the table. True where everything is as expected. */
async function runCases(copy: string, given: readonly string[]): Promise<boolean> {
  const isValue = (index: number) => ['--clients', '--p'].includes(given[index - 1] ?? '');
  const words = given.filter((word, index) => !word.startsWith('--') && !isValue(index));
  const options = given.filter((word) => !words.includes(word) && word !== '--all-failures');
  const { printed } = await run(process.execPath, ['run.mjs', '--list', ...words], copy);
  const ids = printed.split('\n').flatMap((line) => /^([A-Z]+-\d+)\s/.exec(line)?.[1] ?? []);
  if (ids.length === 0) {
    console.error(`no case and no kind is named so: ${words.join(' ')}\n${printed}`);
    return false;
  }

  row('id', 'kind', ['L', 'M', 'P'], 'verdict', '');
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const settle = (result: Result, again = false) => {
    const verdict = judge(result);
    counts[verdict === 'pass' ? 'passed' : verdict === 'open' ? 'skipped' : 'failed'] += 1;
    print(result, verdict, again, given.includes('--all-failures'));
  };
  const again: string[] = [];
  const runSome = async (some: readonly string[]) => {
    const waiting = [...some];
    const worker = async () => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
        const result = await runCase(copy, id, options);
        if (judge(result) === 'FAIL') again.push(id);
        else settle(result);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  };
  const light = ids.filter((id) => !HEAVY.includes(id));
  await runSome([...light.filter((id) => LONG.includes(id)), ...light.filter((id) => !LONG.includes(id))]);
  await runSome(ids.filter((id) => HEAVY.includes(id)));
  for (const id of again) settle(await runCase(copy, id, options), true);

  if (counts.skipped > 0) console.log('\nopen: does not pass yet, and expected.json says why');
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return counts.failed === 0;
}

function judge({ id, verdict, columns }: Result): 'pass' | 'open' | 'FAIL' | 'stale' | 'unlisted' {
  const open = expected.open[id];
  if (open === undefined && !expected.mustPass.includes(id)) return 'unlisted';
  if (open === undefined) return verdict === 'pass' ? 'pass' : 'FAIL';
  const isOpen = (client: string) => open.clients === undefined || open.clients.includes(client);
  if (columns.some((column) => column.verdict === 'fail' && !isOpen(column.client))) return 'FAIL';
  return open.verdict === verdict || open.verdict === 'either' ? 'open' : 'stale';
}

function print(result: Result, verdict: ReturnType<typeof judge>, again: boolean, everything: boolean): void {
  const { id, kind, columns, first } = result;
  const said = {
    pass: [...(again ? ['at the second try, alone'] : []), ...leftOut(result)].join('; '),
    open: expected.open[id]?.reason,
    FAIL: first,
    stale: `expected.json says ${expected.open[id]?.verdict}, and it does not: ${result.verdict} ${first}`,
    unlisted: `is not in expected.json: ${result.verdict} ${first}`,
  }[verdict];
  const cells = ['L', 'M', 'P'].map((client) => {
    const column = columns.find((one) => one.client === client || one.client === '-');
    return column === undefined ? '.' : { pass: 'ok', fail: 'FAIL', skip: 'skip' }[column.verdict];
  });
  row(id, kind, cells, verdict, said ?? '');
  if (!everything) return;
  for (const { client, failures, notes } of columns) {
    for (const failure of failures) console.log(`           ${client} ${failure}`);
    for (const note of notes) console.log(`           ${client} note: ${note}`);
  }
}

/** What a case that passed did not look at. */
function leftOut({ columns }: Result): readonly string[] {
  return [...new Set(columns.flatMap(({ notes }) => notes.filter((note) => /skipped:|instead of/.test(note))))];
}

function row(id: string, kind: string, cells: readonly string[], verdict: string, said: string): void {
  const columns = cells.map((cell) => cell.padEnd(5)).join('');
  console.log(`${id.padEnd(8)} ${kind.padEnd(11)} ${columns} ${verdict.padEnd(8)} ${said}`.trimEnd());
}

async function runCase(copy: string, id: string, options: readonly string[]): Promise<Result> {
  const { printed } = await run(
    process.execPath,
    ['run.mjs', id, '--json', '--product', here('product.mjs'), ...options],
    copy,
  );
  try {
    const [result] = JSON.parse(printed.slice(0, printed.lastIndexOf(']') + 1)) as [Result];
    return result;
  } catch {
    return { id, kind: '', verdict: 'fail', columns: [], first: `the harness said: ${printed.slice(-300)}` };
  }
}

/** Runs a command to its end. `code` is null where it could not be run, or took longer than `limitMs`. */
function run(
  command: string,
  words: readonly string[],
  cwd: string,
  limitMs?: number,
): Promise<{ readonly code: number | null; readonly printed: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, words, {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      // The gateway is started a hundred times: its modules are compiled once.
      env: { ...process.env, NODE_COMPILE_CACHE: join(cwd, 'compiled') },
      ...(limitMs !== undefined && { timeout: limitMs }),
    });
    children.add(child);
    let printed = '';
    let complaints = '';
    child.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    child.stderr.on('data', (chunk) => {
      complaints += chunk;
    });
    const end = (code: number | null, more: string) => {
      children.delete(child);
      resolve({ code, printed: printed === '' ? complaints + more : printed });
    };
    child.once('error', (error) => end(null, error.message));
    child.once('close', (code) => end(code, ''));
  });
}
