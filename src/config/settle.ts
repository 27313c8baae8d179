// From the file's members to the configuration that the house uses: names, paths and freezing. Nothing is decided here.

import { resolve } from 'node:path';
import type { Config, CredentialSource, Secret, UpstreamConfig } from './config.ts';
import { locate } from './locate.ts';
import type { ConfigFile, UpstreamFile } from './schema.ts';

/** What was read of the secrets of one upstream. */
export interface UpstreamSecrets {
  readonly credentials: Readonly<Record<string, CredentialSource>>;
  readonly webhooks: WebhookSecrets;
}

/** The secrets that deliveries are verified by; `unread`: there are more, which are not needed now. */
export interface WebhookSecrets {
  readonly secrets: readonly Secret[];
  readonly unread: boolean;
}

type Present<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Without the members that are `undefined`. */
export function present<T extends object>(members: T): Partial<Present<T>> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<Present<T>>;
}

/**
 * The configuration, frozen throughout.
 * @param file absolute path of the configuration file; paths inside are resolved against its directory
 */
export function settle(
  file: string,
  base: string,
  read: ConfigFile,
  secrets: ReadonlyMap<string, UpstreamSecrets>,
  tokens: { readonly admin?: Secret | undefined; readonly metrics?: Secret | undefined } = {},
): Config {
  const { listen, publicUrl, dangerouslyServeEveryoneWithoutIdentity, sessionIdle, drain, ...server } = read.server;
  const { inlineWait, ...limits } = read.limits;
  const { set, tripAfter, tripWithin } = read.gates;
  return freeze({
    file,
    server: {
      ...server,
      ...listen,
      ...present({ publicUrl }),
      insecurePublicBind: dangerouslyServeEveryoneWithoutIdentity,
      sessionIdleMs: sessionIdle,
      drainMs: drain,
    },
    ledger: { kind: 'sqlite', path: read.ledger.path === ':memory:' ? ':memory:' : resolve(base, read.ledger.path) },
    identity: read.identity,
    ...(read.admin !== undefined && { admin: present({ token: tokens.admin }) }),
    ...(read.metrics !== undefined && { metrics: present({ token: tokens.metrics }) }),
    contracts: read.contracts,
    taskless: read.taskless,
    gates: { set: set.map(settleGate), tripAfter, tripWithinMs: tripWithin },
    limits: { ...limits, inlineWaitMs: inlineWait },
    retentionMs: read.retention,
    ...present({ pollIntervalShownMs: read.pollInterval }),
    log: read.log,
    upstreams: Object.entries(read.upstreams).map(([name, upstream]) =>
      settleUpstream(name, base, upstream, secrets.get(name) ?? { credentials: {}, webhooks: { secrets: [], unread: false } }),
    ),
  });
}

const settleGate = ({
  upstream,
  tool,
  share,
  ...gate
}: ConfigFile['gates']['set'][number]): Config['gates']['set'][number] => ({
  ...gate,
  ...present({ upstream, tool, share }),
});

function settleUpstream(
  name: string,
  base: string,
  read: UpstreamFile,
  { credentials, webhooks }: UpstreamSecrets,
): UpstreamConfig {
  const place = (written: string): string => {
    const found = locate(written, base);
    return typeof found === 'string' ? written : found.at;
  };
  const { include, exclude, helpers, prefix } = read.tools;
  const { pace, timing, expect, taskSupport } = read.defaults;
  return {
    name,
    document: place(read.document),
    overlays: read.overlays.map(place),
    ...present({ baseUrl: read.baseUrl }),
    credentials,
    tools: { include, exclude, helpers, ...present({ prefix }) },
    infer: read.infer,
    allowedOrigins: read.allowedOrigins,
    ...(read.trustedOrigins.length > 0 && { trustedOrigins: read.trustedOrigins }),
    ...(read.rewrite.length > 0 && { rewrite: read.rewrite }),
    allowedRefs: read.allowedRefs.map(place),
    limits: read.limits,
    ...(read.webhooks && { webhooks: settleWebhooks(read.webhooks, webhooks) }),
    defaults: present({
      pace: pace && withMs(pace),
      timing: timing && withMs(timing),
      expectMs: expect,
      taskSupport,
    }),
  };
}

const settleWebhooks = (
  { keySets, allowedOrigins, publicUrl }: NonNullable<UpstreamFile['webhooks']>,
  { secrets, unread }: WebhookSecrets,
): NonNullable<UpstreamConfig['webhooks']> => ({
  secrets,
  ...(unread && { secretsUnread: true }),
  keySets,
  allowedOrigins,
  ...present({ publicUrl }),
});

type WithMs<T> = { [K in keyof T & string as `${K}Ms`]?: number };

/** Durations under the names that the house gives them: `interval` becomes `intervalMs`. */
function withMs<T extends Readonly<Record<string, number | undefined>>>(durations: T): WithMs<T> {
  return Object.fromEntries(
    Object.entries(durations).flatMap(([name, value]) => (value === undefined ? [] : [[`${name}Ms`, value]])),
  ) as WithMs<T>;
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) freeze(member);
  }
  return value;
}
