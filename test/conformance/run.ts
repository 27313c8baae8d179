// npm run conformance: the official suite against the real gateway, held against the list of what is expected to fail.
//   `-- --write` writes docs/conformance.md from the run, if it is a good one.
//   A check that fails and is not on the list fails the run; so does an entry of the list that passes, or is not run at all.
//   The suite's own exit code is not enough: it leaves out what it does not score, and all scenarios of Tasks are among that.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../demo/gateway.ts';
import { startGateway } from '../../src/compose.ts';
import { loadConfig } from '../../src/config/load.ts';
import { logger } from '../../src/telemetry/log.ts';
import { fixtures } from './fixtures.ts';
import {
  type ByFixtures,
  type Check,
  type Expected,
  isBad,
  type Lists,
  type Ran,
  renderPage,
  renderTables,
  versionsTested,
} from './page.ts';
import { startService } from './service.ts';

const REVISIONS = ['2025-11-25', '2026-07-28'] as const;
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const PAGE = here('../../docs/conformance.md');
const SUITE = here('../../node_modules/@modelcontextprotocol/conformance/dist/index.js');

let gateChanges = 0;
const folder = await mkdtemp(join(tmpdir(), 'longshore-conformance-'));
const service = await startService();
const url = `http://127.0.0.1:${await freePort()}`;
await writeFile(
  join(folder, 'longshore.yaml'),
  `
server: { listen: '${new URL(url).host}', drain: 1s }
ledger: sqlite:./ledger.db
taskless: reject
pollInterval: 200ms
log: { level: warn }
admin: { token: { env: ADMIN_TOKEN } }
upstreams:
  service:
    document: ${here('service.openapi.yaml')}
    overlays: [${here('service.overlay.yaml')}]
    baseUrl: ${service.url}
  unreachable:
    document: ${here('unreachable.openapi.yaml')}
    baseUrl: http://127.0.0.1:${await freePort()}
`,
);
const token = randomBytes(24).toString('base64');
const config = await loadConfig({ file: join(folder, 'longshore.yaml'), env: { ADMIN_TOKEN: token } });
const gateway = await startGateway(config, logger(config.log.level), { around: fixtures(changeTools) });
try {
  const ran: Ran[] = [];
  for (const revision of REVISIONS) ran.push(...(await runSuite(revision)));
  const listIn = async (file: string) => JSON.parse(await readFile(here(file), 'utf8'));
  const expected: readonly Expected[] = await listIn('expected-failures.json');
  const byFixtures: readonly ByFixtures[] = await listIn('by-fixtures.json');
  const { passed, failed, asExpected } = report(ran, expected, byFixtures);
  const isGood = failed === 0 && passed > 0;
  if (isGood) await keepPage(ran, { expected, byFixtures });
  console.log(`${asExpected} checks failed as expected (expected-failures.json says why)`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = isGood ? 0 : 1;
} finally {
  await gateway.close();
  service.close();
  await rm(folder, { recursive: true, force: true });
}

/** Moves a gate, and with it the list of tools, as an operator does. All calls still go through. */
async function changeTools(): Promise<void> {
  const place = { adapter: 'http-202@1', contract: '2025-11-25', tool: 'multi_input' };
  gateChanges += 1;
  const mode = gateChanges % 2 === 1 ? { mode: 'canary', share: 1 } : { mode: 'open' };
  const response = await fetch(`${url}/admin/v1/gates`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...place, ...mode, actor: 'conformance', reason: 'the suite wants a change' }),
  });
  if (!response.ok) throw new Error(`the gate did not move: ${await response.text()}`);
}

/** Every scenario that a revision asks for, scored or not, with its checks. */
async function runSuite(revision: string): Promise<readonly Ran[]> {
  const out = join(folder, revision);
  const suite = spawn(process.execPath, [SUITE, 'server', '--url', `${url}/mcp`, '--requirements', revision, '-o', out], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  suite.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  await new Promise((resolve) => suite.once('close', resolve));
  const folders = await readdir(out).catch(() => {
    throw new Error(`the suite left no results for ${revision}:\n${printed}`);
  });
  return Promise.all(
    folders.sort().map(async (name) => ({
      revision,
      scenario: /^server-(.*)-\d{4}-\d\d-\d\dT/.exec(name)?.[1] ?? name,
      checks: JSON.parse(await readFile(join(out, name, 'checks.json'), 'utf8')) as readonly Check[],
    })),
  );
}

/** Prints the table. `failed`: surprises on either side, checks that fail and are not expected to, and the reverse. */
function report(
  ran: readonly Ran[],
  expected: readonly Expected[],
  byFixtures: readonly ByFixtures[],
): { readonly passed: number; readonly failed: number; readonly asExpected: number } {
  const wanted = new Map(expected.map((entry) => [`${entry.revision} ${entry.scenario}`, new Set(entry.checks)]));
  let [passed, failed, asExpected] = [0, 0, 0];
  for (const { revision, scenario, checks } of ran) {
    const open = wanted.get(`${revision} ${scenario}`) ?? new Set<string>();
    const bad = checks.filter(isBad);
    const surprises = bad.filter(({ id }) => !open.has(id));
    const stale = [...open].filter((id) => !bad.some((check) => check.id === id));
    const good = checks.filter(({ status }) => status === 'SUCCESS').length;
    passed += good;
    failed += surprises.length + stale.length;
    asExpected += bad.length - surprises.length;
    const verdict =
      surprises.length + stale.length > 0 ? 'FAIL' : bad.length > 0 ? 'expected' : good > 0 ? 'pass' : 'nothing asserted';
    console.log(
      `${revision}  ${scenario.padEnd(52)} ${String(good).padStart(3)} ok ${String(bad.length).padStart(3)} not  ${verdict}`,
    );
    for (const { id, errorMessage } of surprises) console.log(`    ${id}: ${errorMessage ?? 'failed'}`);
    for (const id of stale) console.log(`    ${id}: is expected to fail, and does not: take it off the list`);
    wanted.delete(`${revision} ${scenario}`);
  }
  const scenarios = new Set(ran.map(({ revision, scenario }) => `${revision} ${scenario}`));
  for (const { revision, scenario } of byFixtures.filter((it) => !scenarios.has(`${it.revision} ${it.scenario}`))) {
    failed += 1;
    console.log(`${revision} ${scenario}: is to be run against fixtures, and was not run: take it off the list`);
  }
  for (const missing of wanted.keys()) {
    failed += 1;
    console.log(`${missing}: is expected to fail, and was not run: take it off the list`);
  }
  console.log();
  return { passed, failed, asExpected };
}

/** With `--write`, writes the page; else says whether the page still shows this run, by anything but its date and versions. */
async function keepPage(ran: readonly Ran[], lists: Lists): Promise<void> {
  if (process.argv.includes('--write')) {
    await writeFile(PAGE, renderPage(ran, lists, await versionsTested(), new Date().toISOString().slice(0, 10)));
    console.log('wrote docs/conformance.md');
    return;
  }
  const written = await readFile(PAGE, 'utf8').catch(() => '');
  const isCurrent = renderTables(ran, lists).every((table) => written.includes(table));
  if (!isCurrent) console.log('docs/conformance.md shows another run: npm run conformance -- --write');
}
