// Making the report of a look: what the catalogue offers, beside what detection found.

import type { Pairs } from '../catalogue/detect/finding.ts';
import type { SourceOperation } from '../catalogue/operations.ts';
import { readExtension } from '../catalogue/x-longshore.ts';
import type { HelperRequest, JobDescription } from '../core/description.ts';
import type { LeftOut, Tool } from '../core/tool.ts';
import { describeFault, type Fault } from '../errors.ts';
import { EXTENSION, type Look } from './look.ts';
import {
  type Report,
  type ReportedOperation,
  type ReportedTool,
  type Shown,
  type ShownList,
  type States,
  tokensOf,
} from './report.ts';

const nameOf = ({ operationId, method, path }: Pick<SourceOperation, 'operationId' | 'method' | 'path'>): string =>
  operationId ?? `${method} ${path}`;
const lineOf = ({ method, path }: { readonly method: string; readonly path: string }): string => `${method} ${path}`;

/** The report of a look. `lists` are the contracts that were asked for. */
export function reportOf(look: Look, lists: readonly ShownList[]): Report {
  const { document, operations, catalogue } = look;
  const tools = new Map([...catalogue.tools.values()].map((tool) => [lineOf(tool.source), tool]));
  const left = new Map(catalogue.leftOut.map((one) => [lineOf(one.source), one]));
  const sizes = sizesOf(lists);
  const reported = operations.map((operation) =>
    reportedOperation(operation, look, tools.get(lineOf(operation)), left.get(lineOf(operation)), sizes),
  );
  const broken = catalogue.leftOut.filter(({ source }) => source.method === '*').map(unreadable);
  const all = [...reported, ...broken];
  const number = (verdict: Shown) => all.filter((one) => one.verdict === verdict).length;
  const { title } = (document.root['info'] ?? {}) as { readonly title?: unknown };
  return {
    document: document.source.file,
    ...(typeof title === 'string' && title !== '' ? { title } : {}),
    openapi: document.version,
    upstream: look.name,
    counts: {
      operations: all.length,
      jobs: number('job'),
      confirm: number('confirm'),
      calls: number('call'),
      helpers: number('helper'),
      leftOut: number('left out'),
    },
    operations: all,
    clients: lists.map(({ contract, tools: entries }) => {
      const bytes = Buffer.byteLength(JSON.stringify({ tools: entries }));
      return { contract, tools: entries.length, bytes, tokens: tokensOf(bytes) };
    }),
    warnings: warningsOf(catalogue.warnings, all),
  };
}

/** Warnings that say something which the operations do not. */
function warningsOf(warnings: readonly Fault[], operations: readonly ReportedOperation[]): Fault[] {
  const asked = new Set(operations.flatMap(({ verdict, pointer }) => (verdict === 'confirm' ? [pointer] : [])));
  const seen = new Set<string>();
  return warnings.filter((fault) => {
    const text = describeFault(fault);
    const isNew = !seen.has(text);
    seen.add(text);
    // Without credentials, every scheme is missing one: that is for `check` to say.
    return isNew && !asked.has(fault.pointer) && !/^\/(components\/securitySchemes|securityDefinitions)\//.test(fault.pointer);
  });
}

type Sizes = ReadonlyMap<string, ReportedTool['bytes']>;

function sizesOf(lists: readonly ShownList[]): Sizes {
  const sizes = new Map<string, ReportedTool['bytes']>();
  for (const { contract, tools } of lists) {
    for (const entry of tools) {
      const name = String(entry['name']);
      sizes.set(name, { ...sizes.get(name), [contract]: Buffer.byteLength(JSON.stringify(entry)) });
    }
  }
  return sizes;
}

const unreadable = ({ source, reason, mend }: LeftOut): ReportedOperation => ({
  verdict: 'left out',
  method: source.method,
  path: source.path,
  file: source.document,
  pointer: source.pointer,
  score: 0,
  evidence: [],
  pairs: {},
  reason,
  ...(mend === undefined ? {} : { mend }),
});

function reportedOperation(
  operation: SourceOperation,
  look: Look,
  tool: Tool | undefined,
  left: LeftOut | undefined,
  sizes: Sizes,
): ReportedOperation {
  const finding = look.findings.get(operation);
  const own = readExtension(operation.object[EXTENSION]);
  const isFound = own.kind === 'absent' && finding !== undefined && finding.verdict !== 'synchronous';
  const verdict: Shown =
    tool === undefined
      ? left?.because === 'helper'
        ? 'helper'
        : 'left out'
      : tool.kind === 'job'
        ? 'job'
        : isFound
          ? 'confirm'
          : 'call';
  const isJob = verdict === 'job' || verdict === 'confirm';
  const { source } = operation;
  const { placeOf } = operation.node.document;
  return {
    verdict,
    ...(operation.operationId === undefined ? {} : { operationId: operation.operationId }),
    method: operation.method,
    path: operation.path,
    file: source.document,
    ...(source.line === undefined ? {} : { line: source.line }),
    pointer: source.pointer,
    score: finding?.score ?? 0,
    evidence: (finding?.evidence ?? []).map((sign) => {
      const { line, column } = placeOf(sign.pointer);
      return { ...sign, line, column };
    }),
    ...(isJob ? { source: own.kind === 'absent' ? ('found' as const) : ('described' as const) } : {}),
    pairs: !isJob ? {} : own.kind === 'job' ? describedPairs(own.description) : foundPairs(finding?.pairs ?? {}, operation),
    ...(isJob ? statesOf(own.kind === 'job' ? own.description : finding?.description, finding?.unknownWords ?? []) : {}),
    ...(verdict === 'job' && tool !== undefined
      ? { taskSupport: tool.taskSupport, why: isFound && tool.taskSupport === finding.taskSupport ? finding.why : tool.why }
      : {}),
    ...(verdict === 'confirm' && finding !== undefined ? { taskSupport: finding.taskSupport, why: finding.why } : {}),
    ...(isFound && isJob && finding.atRunTime.length > 0 ? { atRunTime: finding.atRunTime } : {}),
    ...(verdict === 'helper' ? { serves: servesOf(finding?.serves, left) } : {}),
    ...reasonOf(verdict, operation, look, left),
    ...(tool === undefined ? {} : { tool: toolOf(tool, sizes) }),
  };
}

const toolOf = ({ name, taskSupport }: Tool, sizes: Sizes): ReportedTool => ({
  name,
  taskSupport,
  bytes: sizes.get(name) ?? {},
});

function servesOf(jobs: readonly SourceOperation[] = [], left: LeftOut | undefined): string[] {
  if (jobs.length > 0) return [...new Set(jobs.map(nameOf))];
  const said = /^it only serves (.*)$/.exec(left?.reason ?? '')?.[1];
  return said === undefined ? [] : [...new Set(said.split(', '))];
}

function foundPairs(pairs: Pairs, operation: SourceOperation): ReportedOperation['pairs'] {
  return Object.fromEntries(
    Object.entries(pairs).flatMap(([role, pair]) =>
      pair === undefined
        ? []
        : [[role, { operation: pair.operation === operation ? 'itself' : nameOf(pair.operation), how: pair.how }]],
    ),
  );
}

function describedPairs({ status, result, cancel }: JobDescription): ReportedOperation['pairs'] {
  const named = (request: HelperRequest | undefined) =>
    request?.operation ?? (request?.url === undefined ? undefined : `${request.method ?? 'GET'} ${request.url}`);
  const roles = Object.entries({ status: named(status), result: named(result), cancel: named(cancel) });
  return Object.fromEntries(roles.flatMap(([role, operation]) => (operation === undefined ? [] : [[role, { operation }]])));
}

function statesOf(description: JobDescription | undefined, unknown: readonly string[]): { states?: States } {
  const state = description?.state;
  if (state === undefined && unknown.length === 0) return {};
  const said = Object.values(state ?? {})
    .flat()
    .map((word) => String(word));
  return { states: { ...state, unknown: unknown.filter((word) => !said.includes(word)) } };
}

function reasonOf(
  verdict: Shown,
  operation: SourceOperation,
  { findings, refused, document }: Look,
  left: LeftOut | undefined,
): Pick<ReportedOperation, 'reason' | 'mend'> {
  if (verdict === 'left out') {
    return { reason: left?.reason ?? 'it is not offered', ...(left?.mend === undefined ? {} : { mend: left.mend }) };
  }
  if (verdict !== 'confirm') return {};
  const finding = findings.get(operation);
  if (finding?.lacks !== undefined) {
    return { reason: finding.lacks, mend: 'describe it in the overlay, or mark it synchronous with x-longshore: false' };
  }
  const why = refused.get(operation);
  if (why !== undefined) return { reason: why, mend: 'complete its description in the overlay' };
  if (operation.node.document.location !== document.source.location) {
    return {
      reason: 'it is written in another file, which no overlay reaches',
      mend: `write x-longshore beside it in ${operation.node.document.file}`,
    };
  }
  return {
    reason: 'the evidence is not enough to take it for a job',
    mend: 'confirm it in the overlay that longshore init writes, or mark it synchronous with x-longshore: false',
  };
}
