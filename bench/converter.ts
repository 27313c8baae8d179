// npm run bench:converter: Longshore as a plain converter from OpenAPI to MCP, beside another one that is installed from npm for the
// run, into a temporary folder. How large the list of tools of a small document is, and how soon a server answers with it: for that
// document, and for ten operations of one of three megabytes. The table goes to standard error, the same as JSON to standard output.
// Nothing is asserted: absolute figures say more about the machine, so that each is given as a ratio within its own round as well.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Command, InvalidArgumentError } from 'commander';
import { freePort } from '../demo/gateway.ts';
import { VERSION } from '../src/version.ts';
import { type FirstAnswer, firstAnswer, type Subject } from './first-answer.ts';
import { largeDocument, SELECTED } from './large-document.ts';
import { spread } from './spread.ts';

const PEER = { package: '@ivotoby/openapi-mcp-server', version: '1.16.1', bin: 'bin/mcp-server.js' };
const NOWHERE = 'http://127.0.0.1:9';
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

interface Task {
  readonly name: string;
  readonly document: string;
  /** Paths of operations with POST; absent: all operations. */
  readonly selected?: readonly string[];
  readonly goal: { readonly ms: number; readonly bytes?: number };
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('It is a number above 0.');
  return value;
}

const { rounds, json } = new Command('npm run bench:converter --')
  .description(
    'Longshore beside another converter from OpenAPI to MCP: size of the list of tools, and time to the first answer.',
  )
  .option('--rounds <number>', 'over which medians are taken', positive, 5)
  .option('--json', 'print nothing but JSON')
  .parse()
  .opts<{ readonly rounds: number; readonly json?: boolean }>();

const note = (text: string) => {
  if (json !== true) process.stderr.write(text);
};

async function longshore(folder: string, task: Task, round: number): Promise<Subject> {
  const url = new URL(`http://127.0.0.1:${await freePort()}/mcp`);
  const config = join(folder, `${task.name}-${round}.yaml`);
  const include =
    task.selected === undefined ? '' : `, tools: { include: ${JSON.stringify(task.selected.map((path) => `POST ${path}`))} }`;
  const lines = [
    `server: { listen: '${url.host}', drain: 1s }`,
    `ledger: sqlite:./${task.name}-${round}.db`,
    'log: { level: error }',
    `upstreams: { up: { document: ${task.document}, baseUrl: '${NOWHERE}'${include} } }`,
  ];
  await writeFile(config, `${lines.join('\n')}\n`);
  return { args: [here('../src/main.ts'), 'serve', '--config', config], url: url.href };
}

async function peer(folder: string, task: Task): Promise<Subject> {
  const url = new URL(`http://127.0.0.1:${await freePort()}/mcp`);
  const own = ['--api-base-url', NOWHERE, '--openapi-spec', task.document];
  const chosen = (task.selected ?? []).flatMap((path) => ['--tool', `POST::${path.slice(1)}`]);
  const transport = ['--transport', 'http', '--host', url.hostname, '--port', url.port];
  return { args: [join(folder, 'node_modules', PEER.package, PEER.bin), ...transport, ...own, ...chosen], url: url.href };
}

const folder = await mkdtemp(join(tmpdir(), 'longshore-converter-'));
try {
  note(`installing ${PEER.package}@${PEER.version}\n`);
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  await promisify(execFile)(
    'npm',
    ['install', '--silent', '--ignore-scripts', '--no-audit', '--no-fund', `${PEER.package}@${PEER.version}`],
    { cwd: folder },
  );
  const large = join(folder, 'large.json');
  const text = largeDocument(NOWHERE);
  await writeFile(large, text);
  const tasks: readonly Task[] = [
    { name: 'small', document: here('./library.openapi.yaml'), goal: { ms: 1_000, bytes: 8_192 } },
    { name: 'large', document: large, selected: SELECTED, goal: { ms: 2_000 } },
  ];
  const results = [];
  for (const task of tasks) {
    const own: FirstAnswer[] = [];
    const other: FirstAnswer[] = [];
    // The first round is for the caches of both, and of the disk.
    for (let round = 0; round <= rounds; round += 1) {
      note(`${task.name}: round ${round} of ${rounds}\n`);
      const pair = [
        await firstAnswer(await longshore(folder, task, round)),
        await firstAnswer(await peer(folder, task)),
      ] as const;
      if (round === 0) continue;
      own.push(pair[0]);
      other.push(pair[1]);
    }
    const of = (answers: readonly FirstAnswer[]) => ({
      ms: spread(answers.map(({ ms }) => ms)),
      bytes: answers[0]?.bytes ?? 0,
      tools: answers[0]?.tools ?? 0,
    });
    const ratios = spread(own.map(({ ms }, index) => ms / (other[index]?.ms ?? Number.NaN)));
    const [longshoreFigures, peerFigures] = [of(own), of(other)];
    results.push({
      task: task.name,
      documentBytes: task.name === 'large' ? Buffer.byteLength(text) : undefined,
      goal: task.goal,
      longshore: longshoreFigures,
      peer: peerFigures,
      ratios: { time: ratios, bytes: longshoreFigures.bytes / peerFigures.bytes },
    });
  }
  const report = { version: VERSION, node: process.version, loadAverage: loadavg()[0], peer: PEER, rounds, results };
  for (const { task, goal, longshore: figures, peer: beside, ratios } of results) {
    const bytes = `tools/list ${figures.bytes} bytes of ${figures.tools} tools${goal.bytes === undefined ? '' : ` (at most ${goal.bytes})`}, the other ${beside.bytes} of ${beside.tools}: ×${ratios.bytes.toFixed(2)}`;
    const time = `first answer after ${figures.ms.median.toFixed(0)} ms (at most ${goal.ms}), the other ${beside.ms.median.toFixed(0)} ms: ×${ratios.time.median.toFixed(2)} (${ratios.time.min.toFixed(2)}–${ratios.time.max.toFixed(2)})`;
    note(`${task}: ${time}\n${' '.repeat(task.length)}  ${bytes}\n`);
  }
  note(`load average ${report.loadAverage?.toFixed(1)}\n`);
  process.stdout.write(`${JSON.stringify(report)}\n`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
