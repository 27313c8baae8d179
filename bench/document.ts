// One process of bench/documents.ts: reads, judges and compiles the documents that it is told, and says what came of each.

import { adapters } from '../adapters/index.ts';
import { compileCatalogue } from '../src/catalogue/catalogue.ts';
import { detect } from '../src/catalogue/detect/detect.ts';
import { DocumentError } from '../src/catalogue/fault.ts';
import { loadSource, recognise } from '../src/catalogue/load.ts';
import { operationsOf } from '../src/catalogue/operations.ts';
import { readSource } from '../src/catalogue/read.ts';
import { loadReferences } from '../src/catalogue/references.ts';
import { systemClock } from '../src/clock.ts';
import type { UpstreamConfig } from '../src/config/config.ts';

export type Outcome =
  | {
      readonly kind: 'judged';
      readonly operations: number;
      readonly asynchronous: number;
      readonly followable: number;
      readonly proposed: number;
      readonly jobs: number;
      readonly calls: number;
      readonly operationsRefused: readonly string[];
      readonly notFollowed: readonly string[];
      readonly tookMs: number;
    }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'crashed'; readonly message: string };

const LIMIT = 1_000_000;

const upstream = (document: string): UpstreamConfig => ({
  name: 'service',
  document,
  overlays: [],
  baseUrl: 'http://service.test',
  credentials: {},
  tools: { include: [], exclude: [], helpers: false },
  infer: true,
  allowedOrigins: [],
  allowedRefs: [],
  limits: {
    concurrentRequestsMax: 1,
    concurrentPollsMax: 1,
    pollsPerSecondMax: 1,
    concurrentSubmitsMax: 1,
    responseBytesMax: LIMIT,
    requestBytesMax: LIMIT,
  },
  defaults: {},
});

/** A reason without what is particular to one operation, so that the like are counted together. */
const general = (reason: string): string =>
  reason
    .replace(/\([^()]*\)/g, '(…)')
    .replace(/\b(GET|PUT|POST|PATCH|DELETE) \S+/g, '…')
    .replace(/(^|\s)["#/]\S+/g, '$1…')
    .slice(0, 120);

async function judge(file: string): Promise<Outcome> {
  try {
    // What a start does with it; the judging is done once more below, to count what it says.
    const began = systemClock.monotonic();
    const { tools, leftOut } = await compileCatalogue({
      config: { upstreams: [upstream(file)], limits: { inlineWaitMs: 1_000 } },
      adapters,
      read: readSource,
    });
    const tookMs = systemClock.monotonic() - began;
    const source = await loadSource(file, readSource);
    const document = recognise(source);
    const { resolve } = await loadReferences(source, [], readSource);
    const operations = operationsOf(document, resolve, () => undefined);
    const findings = [...detect(operations, document, resolve).values()];
    const found = findings.filter(({ verdict }) => verdict === 'asynchronous');
    const jobs = [...tools.values()].filter(({ kind }) => kind === 'job').length;
    return {
      kind: 'judged',
      operations: operations.length,
      asynchronous: found.length,
      followable: found.filter(({ lacks }) => lacks === undefined).length,
      proposed: findings.filter(({ verdict }) => verdict === 'propose').length,
      jobs,
      calls: tools.size - jobs,
      operationsRefused: leftOut.flatMap(({ because, reason }) => (because === 'refused' ? [general(reason)] : [])),
      notFollowed: found.flatMap(({ lacks }) => (lacks === undefined ? [] : [general(lacks)])),
      tookMs,
    };
  } catch (error) {
    if (error instanceof DocumentError) return { kind: 'refused', reason: general(error.faults[0]?.message ?? error.message) };
    return { kind: 'crashed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

process.on('message', async (file: string) => {
  process.send?.(await judge(file));
});
