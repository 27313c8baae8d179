// What compiled, but should be looked at: of one upstream, and of the whole catalogue.

import type { UpstreamConfig } from '../config/config.ts';
import { RESUBMIT_FIRST_MS } from '../core/instants.ts';
import type { Tool } from '../core/tool.ts';
import type { Fault } from '../errors.ts';
import { SCHEMA_BYTES_MAX } from './budget.ts';
import type { RequestContext } from './context.ts';
import type { SourceOperation } from './operations.ts';
import { escapeToken } from './pointer.ts';
import { isMeant } from './select.ts';
import type { Draft } from './tools.ts';

/** More tools than this, and models choose badly, and hosts cut the list. */
export const TOOLS_MAX = 40;
const NAMED_MAX = 5;
/** About how many bytes of JSON are one token. */
const BYTES_A_TOKEN = 4;

export interface Warned {
  readonly drafts: readonly Draft[];
  readonly operations: readonly SourceOperation[];
  readonly upstream: UpstreamConfig;
  readonly context: RequestContext;
}

export const upstreamWarnings = (warned: Warned): Fault[] => [
  ...missingCredentials(warned),
  ...cutSchemas(warned),
  ...idlePatterns(warned),
  ...idleRewrites(warned),
];

/** Security schemes that tools need and nothing is configured for. */
function missingCredentials({ drafts, upstream: { credentials }, context: { document, security } }: Warned): Fault[] {
  const needed = new Map<string, number>();
  for (const { operation } of drafts) {
    for (const scheme of security.of(operation) ?? []) needed.set(scheme, (needed.get(scheme) ?? 0) + 1);
  }
  const { file, placeOf } = document.source;
  const owner = document.dialect === '2.0' ? 'securityDefinitions' : 'components/securitySchemes';
  return [...needed]
    .filter(([scheme]) => !Object.hasOwn(credentials, scheme))
    .map(([scheme, count]) => {
      const pointer = `/${owner}/${escapeToken(scheme)}`;
      const message = `no credential is configured for the security scheme ${scheme}, which ${count} ${count === 1 ? 'tool needs' : 'tools need'}`;
      return { file, ...placeOf(pointer), pointer, message, mend: `set \`credentials.${scheme}\` of the upstream` };
    });
}

/** Rewritten URLs that could not be followed either. */
function idleRewrites({ upstream, context: { document, servers } }: Warned): Fault[] {
  const allowed = [servers.origin, ...(upstream.trustedOrigins ?? []), ...upstream.allowedOrigins];
  return (upstream.rewrite ?? [])
    .map(({ to }) => new URL(to).origin)
    .filter((origin) => !allowed.includes(origin))
    .map((origin) => ({
      file: document.source.file,
      pointer: '',
      message: `\`rewrite\` leads to ${origin}, which is no origin of this upstream, so that such URLs are refused`,
      mend: 'rewrite to where the service is, or add the origin to `allowedOrigins`',
    }));
}

/** Tools whose input schemas are shown without their deepest parts. */
function cutSchemas({ drafts, context: { document } }: Warned): Fault[] {
  const names = drafts.filter(({ isCut }) => isCut).map(({ wanted }) => wanted);
  if (names.length === 0) return [];
  const some = names.length > NAMED_MAX ? [...names.slice(0, NAMED_MAX), '…'] : names;
  const subject = names.length === 1 ? 'the input schema of 1 tool is' : `the input schemas of ${names.length} tools are`;
  return [
    {
      file: document.source.file,
      pointer: '',
      message: `${subject} larger than ${SCHEMA_BYTES_MAX / 1024} KiB, and shown without the deepest parts: ${some.join(', ')}`,
      mend: 'nothing has to be done, since what is not shown may still be sent; an overlay can give a simpler schema',
    },
  ];
}

/** Patterns of the configuration that mean no operation: typos, or operations that are gone. */
function idlePatterns({ operations, upstream: { name, tools } }: Warned): Fault[] {
  const patterns = [...tools.include, ...tools.exclude];
  return patterns
    .filter((pattern) => !operations.some((operation) => isMeant(pattern, operation)))
    .map((pattern) => ({
      pointer: `/upstreams/${escapeToken(name)}/tools`,
      message: `the pattern "${pattern}" means no operation`,
      mend: 'write an operationId, a tag, or a path as in the document, with or without a method: `GET /invoices/**`',
    }));
}

/** Jobs whose doubt is over before what would settle it has begun. */
export function hastyWindows(tools: readonly Tool[]): Fault[] {
  return tools.flatMap((tool) => {
    if (tool.kind !== 'job') return [];
    const { deduplicates, timing } = tool.descriptor.traits;
    if (!deduplicates || timing.reconcileWindowMs > RESUBMIT_FIRST_MS) return [];
    const { document, pointer, line } = tool.source;
    return [
      {
        file: document,
        ...(line !== undefined && { line }),
        pointer,
        message: `${tool.name} may be sent again under its submission key, but \`timing.reconcileWindow\` (${timing.reconcileWindowMs} ms) is over when the first repeat is due, ${RESUBMIT_FIRST_MS} ms after a lost answer`,
        mend: 'make `timing.reconcileWindow` longer, here in x-longshore or in `defaults` of the upstream: 15m is the default',
      },
    ];
  });
}

/** Too many tools, with what they take of a model's memory. */
export function tooManyTools(tools: readonly Tool[]): Fault[] {
  if (tools.length <= TOOLS_MAX) return [];
  const bytes = tools.reduce(
    (sum, { name, title, description, inputSchema, outputSchema, annotations }) =>
      sum + JSON.stringify({ name, title, description, inputSchema, outputSchema, annotations }).length,
    0,
  );
  const tokens = Math.round(bytes / BYTES_A_TOKEN / 1000) * 1000;
  return [
    {
      pointer: '/upstreams',
      message: `${tools.length} tools are offered, which is more than ${TOOLS_MAX}: listing them takes ${Math.ceil(bytes / 1024)} KiB, about ${tokens} tokens of every conversation`,
      mend: 'choose some with `tools.include`: by operationId, tag, method or path (`GET /invoices/**`)',
    },
  ];
}
