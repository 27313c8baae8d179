// What the demo's gateway is started on: a configuration like an operator's, written for the ports that are free.

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './gateway.ts';
import type { Service } from './service.ts';

const SPECS = fileURLToPath(new URL('../specs/demo/', import.meta.url));
const GATEWAY_PORT = 8080;

/** Writes the gateway's configuration into ./data, with an empty ledger and the secret of the webhooks beside it. */
export async function prepare(
  services: readonly Service[],
  webhookSecret: string,
): Promise<{ config: string; ledger: string; url: string }> {
  const port = await freePort(GATEWAY_PORT);
  // Two demos in one folder must not share a ledger.
  const name = port === GATEWAY_PORT ? 'demo' : `demo-${port}`;
  const folder = resolve('data');
  await mkdir(folder, { recursive: true });
  for (const suffix of ['', '-wal', '-shm']) await rm(`${folder}/${name}.db${suffix}`, { force: true });
  const specs = relative(folder, SPECS);
  const [reports, media, scans] = services.map((service) => service.url);
  await writeFile(`${folder}/${name}.webhook-secret`, `${webhookSecret}\n`, { mode: 0o600 });
  const config = `${folder}/${name}.yaml`;
  await writeFile(
    config,
    `# Written by the demo, anew each time. The gateway alone: node src/main.ts serve --config data/${name}.yaml
server: { listen: '127.0.0.1:${port}' }
ledger: sqlite:./${name}.db
# What clients are asked to wait between reads: the demo's jobs are short.
pollInterval: 500ms
upstreams:
  reports:
    document: ${specs}/reports.openapi.yaml
    baseUrl: ${reports}
  media:
    document: ${specs}/media.openapi.yaml
    overlays: [${specs}/media.overlay.yaml]
    baseUrl: ${media}
  scans:
    document: ${specs}/scans.openapi.yaml
    baseUrl: ${scans}
    # What it calls back with is signed by this.
    webhooks: { secrets: [{ file: ./${name}.webhook-secret }] }
    # So that the call without Tasks below outlasts the wait.
    defaults: { timing: { inlineWait: 1500ms } }
`,
  );
  return { config, ledger: `./data/${name}.db`, url: `http://127.0.0.1:${port}` };
}
