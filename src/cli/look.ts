// A look at one document: what detection finds in it, and what would be offered if that were believed.
//   L1. What is found is written as an overlay, and the document is compiled with it: what is shown is what would be served.
//   L2. A finding that an adapter refuses is no job: it is looked at again without it, and says why.
//   L3. A document is read and parsed once.

import { dirname } from 'node:path';
import { adapters } from '../../adapters/index.ts';
import { compileCatalogue } from '../catalogue/catalogue.ts';
import { detect } from '../catalogue/detect/detect.ts';
import type { Finding } from '../catalogue/detect/finding.ts';
import { gather } from '../catalogue/fault.ts';
import { isUrl, loadSource, locationOf, type OpenApiDocument, type ReadDocument, recognise } from '../catalogue/load.ts';
import type { SourceDocument } from '../catalogue/node.ts';
import { operationsOf, type SourceOperation } from '../catalogue/operations.ts';
import { applyOverlays } from '../catalogue/overlays.ts';
import { tokensOf } from '../catalogue/pointer.ts';
import { loadReferences } from '../catalogue/references.ts';
import { serversOf } from '../catalogue/servers.ts';
import type { Config, UpstreamConfig } from '../config/config.ts';
import { configSchema } from '../config/schema.ts';
import { settle } from '../config/settle.ts';
import { isJsonObject, type Json, stringifyJson } from '../core/json.ts';
import type { Catalogue } from '../core/tool.ts';
import { LongshoreError } from '../errors.ts';
import { writtenJob } from './written-job.ts';

export const EXTENSION = 'x-longshore';
/** Nobody's host: stands for the server of a document that names none. @see RFC 2606 §2 */
export const UNNAMED_SERVER = 'https://change-me.invalid';

export interface LookOptions {
  /** Path or URL, as the operator wrote it. */
  readonly document: string;
  readonly overlays?: readonly string[];
  /** What the upstream is called. */
  readonly name: string;
  readonly read: ReadDocument;
}

export interface Look {
  readonly name: string;
  /** With its overlays applied. */
  readonly document: OpenApiDocument;
  readonly operations: readonly SourceOperation[];
  readonly findings: ReadonlyMap<SourceOperation, Finding>;
  /** Asynchronous operations as an overlay would describe them. Those that describe themselves are not among them. */
  readonly drafted: ReadonlySet<SourceOperation>;
  /** Found to be asynchronous, but not to be followed as they were described: why. */
  readonly refused: ReadonlyMap<SourceOperation, string>;
  readonly catalogue: Catalogue;
  /** Offered as jobs, for whatever reason. */
  readonly jobs: ReadonlySet<SourceOperation>;
  readonly baseUrl: string;
  /** The document says where it is served; else `baseUrl` is a stand-in. */
  readonly namesServer: boolean;
  /** The document draws in other files. */
  readonly refersElsewhere: boolean;
  readonly config: Config;
}

/** Looks at a document. Throws {@link DocumentError} where it or an overlay can't be used. */
export async function look({ document: written, overlays = [], name, read }: LookOptions): Promise<Look> {
  const known = new Map<string, SourceDocument>();
  const load = async (file: string): Promise<SourceDocument> => {
    const source = await loadSource(file, read);
    known.set(locationOf(file), source);
    return source;
  };
  const [source, ...over] = await gather([written, ...overlays].map(load));
  if (source === undefined) throw new Error('a document is named');
  const document = recognise(applyOverlays(source, over).source);
  const refersElsewhere = hasForeignRef(document.root);
  const allowedRefs = refersElsewhere && !isUrl(written) ? [dirname(locationOf(written))] : [];
  const { resolve } = await loadReferences(document.source, allowedRefs, read);
  const operations = operationsOf(document, resolve, () => undefined);
  const findings = detect(operations, document, resolve);
  const { baseUrl, namesServer } = serverOf(document);

  const drafted = new Set(operations.filter((operation) => isDraftable(operation, findings.get(operation), document)));
  const refused = new Map<SourceOperation, string>();
  const config = configOf(name, { written, overlays, allowedRefs, ...(namesServer ? {} : { baseUrl }) });
  let catalogue = await compiled();
  for (const { source: at, because, reason } of catalogue.leftOut) {
    const operation = [...drafted].find(({ method, path }) => method === at.method && path === at.path);
    if (because !== 'refused' || operation === undefined) continue;
    refused.set(operation, reason);
  }
  if (refused.size > 0) {
    for (const operation of refused.keys()) drafted.delete(operation);
    catalogue = await compiled();
  }
  const followed = new Set(
    [...catalogue.tools.values()].filter(({ kind }) => kind === 'job').map(({ source: at }) => `${at.method} ${at.path}`),
  );
  const jobs = new Set(operations.filter(({ method, path }) => followed.has(`${method} ${path}`)));
  return {
    name,
    document,
    operations,
    findings,
    drafted,
    refused,
    catalogue,
    jobs,
    baseUrl,
    namesServer,
    refersElsewhere,
    config,
  };

  function compiled(): Promise<Catalogue> {
    const draft = stringifyJson(draftOf([...drafted], findings));
    const reader: ReadDocument = async (location, options) => {
      if (location === DRAFT) return { text: draft, location };
      const parsed = known.get(location);
      return parsed === undefined ? read(location, options) : { text: '', location: parsed.location, parsed };
    };
    const [upstream] = config.upstreams as [UpstreamConfig];
    const drafting = drafted.size === 0 ? upstream : { ...upstream, overlays: [...upstream.overlays, DRAFT] };
    return compileCatalogue({ config: { ...config, upstreams: [drafting] }, adapters, read: reader });
  }
}

/** No file is called so. */
const DRAFT = '/\0/draft.overlay.json';

function isDraftable(operation: SourceOperation, finding: Finding | undefined, document: OpenApiDocument): boolean {
  if (finding?.verdict !== 'asynchronous' || finding.lacks !== undefined) return false;
  // An overlay reaches its own document and no other.
  return operation.object[EXTENSION] === undefined && operation.node.document.location === document.source.location;
}

/** What an overlay says of one found operation. */
export const jobOf = ({ description, taskSupport }: Finding): Json =>
  writtenJob(taskSupport === 'required' ? { ...description, taskSupport } : description);

const draftOf = (drafted: readonly SourceOperation[], findings: ReadonlyMap<SourceOperation, Finding>): Json => ({
  overlay: '1.0.0',
  info: { title: 'drafted', version: '1.0.0' },
  actions: drafted.map((operation) => ({
    target: targetOf(operation),
    update: { [EXTENSION]: jobOf(findings.get(operation) as Finding) },
  })),
});

/** The operation as an overlay's target. @see RFC 9535 §2.3.1 */
export const targetOf = ({ node }: SourceOperation): string =>
  `$${tokensOf(node.pointer)
    .map((token) => (/^[A-Za-z_][A-Za-z0-9_]*$/.test(token) ? `.${token}` : `[${quoted(token)}]`))
    .join('')}`;

function quoted(token: string): string {
  const escaped = JSON.stringify(token).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped}'`;
}

function serverOf(document: OpenApiDocument): { readonly baseUrl: string; readonly namesServer: boolean } {
  try {
    const servers = serversOf(document, undefined);
    return { baseUrl: servers.base, namesServer: true };
  } catch (error) {
    if (!(error instanceof LongshoreError)) throw error;
    return { baseUrl: `${UNNAMED_SERVER}${relativeServer(document)}`, namesServer: false };
  }
}

/** The path of a server that says nothing but that. */
function relativeServer({ dialect, root }: OpenApiDocument): string {
  const servers = root['servers'];
  const [first] = Array.isArray(servers) ? (servers as Json[]) : [];
  const said = dialect === '2.0' ? root['basePath'] : isJsonObject(first) ? first['url'] : undefined;
  return typeof said === 'string' && /^\/[\w./~-]*$/.test(said) ? said.replace(/\/+$/, '') : '';
}

interface Drafting {
  readonly written: string;
  readonly overlays: readonly string[];
  readonly baseUrl?: string;
  readonly allowedRefs: readonly string[];
}

/** A configuration with this one upstream and nothing else said. */
function configOf(name: string, { written, overlays, baseUrl, allowedRefs }: Drafting): Config {
  const upstream = {
    document: locationOf(written),
    overlays: overlays.map(locationOf),
    allowedRefs: [...allowedRefs],
    ...(baseUrl === undefined ? {} : { baseUrl }),
  };
  return settle('longshore.yaml', '.', configSchema.parse({ upstreams: { [name]: upstream } }), new Map());
}

function hasForeignRef(value: Json): boolean {
  if (Array.isArray(value)) return value.some((item) => hasForeignRef(item as Json));
  if (!isJsonObject(value)) return false;
  const ref = value['$ref'];
  if (typeof ref === 'string' && !ref.startsWith('#')) return true;
  return Object.values(value).some(hasForeignRef);
}
