// npm run demo: three services that answer later, the gateway in front of them, and one job through each contract by a
// published client. Stays up so that a host can be connected; `-- --once` ends by itself with a line of JSON.
// Exit codes: 0 all well, 1 something went wrong (said in a sentence on standard error), 2 an argument that is none.

import { parseArgs } from 'node:util';
import { systemClock } from '../src/clock.ts';
import { type GatewayProcess, startGateway } from './gateway.ts';
import { startMedia } from './media.ts';
import { bad, faint, head, Narrator, say } from './narration.ts';
import { startReports } from './reports.ts';
import { startScans } from './scans.ts';
import type { Service } from './service.ts';
import { prepare } from './setup.ts';
import { tellStory } from './story.ts';

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    // Asked a second time, a person means it.
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
  });
}

function readArguments(): { readonly once: boolean } {
  try {
    return parseArgs({ options: { once: { type: 'boolean', default: false } } }).values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\nUsage: npm run demo [-- --once]\n`);
    process.exit(2);
  }
}

function introduce(services: readonly Service[], gateway: string, ledger: string): void {
  say();
  for (const { name, title, style, url } of services) head(name, `${title.padEnd(24)}${style.padEnd(18)}${url}`);
  head('gateway', `${`${gateway}/mcp`.padEnd(42)}ledger ${ledger}`);
  say();
}

function invite(url: string): void {
  say('Connect a client:');
  say(`  claude mcp add --transport http longshore ${url}`);
  say(`  code --add-mcp '${JSON.stringify({ name: 'longshore', type: 'http', url })}'`);
  say(`  npx @modelcontextprotocol/inspector --transport http --protocol-era modern --server-url ${url}`);
  say(`Then ask it: "Create the report of last month, and tell me its total."`);
  say();
  say(faint('Ctrl-C ends the demo.'));
}

/** Resolves when the demo is to end; rejects when the gateway ends on its own. */
async function stayUp(gateway: GatewayProcess): Promise<void> {
  const asked = new Promise<'asked'>((resolve) => {
    if (stop.signal.aborted) resolve('asked');
    stop.signal.addEventListener('abort', () => resolve('asked'), { once: true });
  });
  const why = await Promise.race([asked, gateway.exited]);
  if (why !== 'asked') throw new Error(`the gateway ended with ${why ?? 'a signal'}:\n${gateway.output().slice(-2000)}`);
}

async function run(once: boolean): Promise<void> {
  const services: Service[] = [];
  let gateway: GatewayProcess | undefined;
  try {
    services.push(await startReports({ port: 4101, clock: systemClock }));
    services.push(await startMedia({ port: 4102, clock: systemClock }));
    const scans = await startScans({ port: 4103, clock: systemClock });
    services.push(scans);
    const { config, ledger, url } = await prepare(services, scans.secret);
    const narrator = new Narrator();
    gateway = await startGateway({ config, url, onLog: (line) => narrator.hear(line) });
    introduce(services, url, ledger);
    const summary = await tellStory(`${url}/mcp`, services, narrator, stop.signal);
    if (summary.duplicates > 0) throw new Error('a call started more than one upstream job');
    if (once) process.stdout.write(`${JSON.stringify(summary)}\n`);
    else {
      invite(`${url}/mcp`);
      await stayUp(gateway);
    }
  } finally {
    gateway?.signal('SIGTERM');
    await gateway?.exited;
    await Promise.all(services.map((service) => service.close()));
  }
}

const { once } = readArguments();
try {
  await run(once);
} catch (error) {
  // Ended by the user on the way: no failure, unless a whole run was asked for.
  if (!stop.signal.aborted || once) {
    process.stderr.write(`${bad('The demo failed:')} ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
