// From the harness's neutral configuration to what an operator has: a document, an overlay and longshore.yaml, in one folder.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from './description.ts';
import type { NeutralConfig } from './neutral.ts';

/**
 * The neutral configuration bounds polls that are under way, and nothing else: what it doesn't name is put out of its way. A second
 * holds at most one and a half times the rate, counted where polls leave; the cases count up to 150 where they arrive.
 */
const OUT_OF_THE_WAY = { pollsPerSecondMax: 90, concurrentSubmitsMax: 32, concurrentRequestsMax: 100 } as const;

const ADMIN_TOKEN_VARIABLE = 'LONGSHORE_ADMIN_TOKEN';
/** What operators bring; nothing behind it is worth keeping. */
export const ADMIN_TOKEN = 'the-operators-of-the-acceptance-run';

export interface Prepared {
  /** Path of longshore.yaml. */
  readonly file: string;
  /** Variables that it names. */
  readonly env: Readonly<Record<string, string>>;
}

/** Writes the files. */
export async function configure(config: NeutralConfig, folder: string, port: number): Promise<Prepared> {
  const { credentials, env } = credentialsOf(config);
  const webhooks = webhookSecretsOf(config);
  const isUrl = typeof config.spec === 'string';
  const settings = {
    server: { listen: `127.0.0.1:${port}`, drain: '2s' },
    ledger: 'sqlite:./ledger.db',
    taskless: 'reject',
    retention: `${config.retentionMs}ms`,
    pollInterval: `${config.pollIntervalShownMs}ms`,
    admin: { token: { env: ADMIN_TOKEN_VARIABLE } },
    metrics: {},
    log: { level: config.logLevel },
    upstreams: {
      service: {
        document: isUrl ? config.spec : './service.openapi.json',
        overlays: ['./service.overlay.json'],
        baseUrl: config.server,
        credentials,
        ...(webhooks.secrets.length > 0 && { webhooks: { secrets: webhooks.secrets } }),
        tools: { exclude: helpersIn(config) },
        allowedOrigins: config.allowOrigins,
        allowedRefs: config.allowRefs,
        limits: {
          responseBytesMax: config.maxResponseBytes,
          concurrentPollsMax: config.maxConcurrentPollsPerUpstream,
          ...OUT_OF_THE_WAY,
        },
      },
    },
  };
  const file = join(folder, 'longshore.yaml');
  await Promise.all([
    ...(isUrl ? [] : [write(join(folder, 'service.openapi.json'), config.spec)]),
    write(join(folder, 'service.overlay.json'), overlayOf(config)),
    // JSON is YAML.
    write(file, settings),
  ]);
  return { file, env: { ...env, ...webhooks.env, [ADMIN_TOKEN_VARIABLE]: ADMIN_TOKEN } };
}

const write = (path: string, value: unknown): Promise<void> => writeFile(path, `${JSON.stringify(value, undefined, 2)}\n`);

function overlayOf({ operations }: NeutralConfig) {
  return {
    overlay: '1.0.0',
    info: { title: 'What is asynchronous', version: '1' },
    actions: Object.entries(operations).map(([operationId, operation]) => ({
      target: `$.paths.*[?@.operationId == ${JSON.stringify(operationId)}]`,
      update: { 'x-longshore': describe(operation) },
    })),
  };
}

/** Secrets never stand in the configuration: each goes into a variable. */
function credentialsOf({ credentials }: NeutralConfig) {
  const named = Object.entries(credentials).map(([header, secret], index) => ({
    header,
    secret,
    name: `UPSTREAM_SECRET_${index}`,
  }));
  return {
    credentials: Object.fromEntries(named.map(({ header, name }) => [header, { env: name, header }])),
    env: Object.fromEntries(named.map(({ secret, name }) => [name, secret])),
  };
}

function webhookSecretsOf({ operations }: NeutralConfig) {
  const secrets = new Set(Object.values(operations).flatMap(({ webhook }) => webhook?.secrets ?? []));
  const named = [...secrets].map((secret, index) => ({ secret, name: `WEBHOOK_SECRET_${index}` }));
  return {
    secrets: named.map(({ name }) => ({ env: name })),
    env: Object.fromEntries(named.map(({ secret, name }) => [name, secret])),
  };
}

/** Operations that are named and not described only serve others. */
function helpersIn({ spec, operations }: NeutralConfig): readonly string[] {
  if (typeof spec === 'string') return [];
  return Object.values(spec.paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ operationId }) => (operationId === undefined || operationId in operations ? [] : [operationId]));
}
