// The catalogue: from upstreams' documents to tools. Compiled once at start, and again when a document changes.
//   C1. A document that can't be used at all fails the whole, with every fault; an operation that can't be compiled fails alone.
//   C2. Names are decided last and over all upstreams, so that no upstream's order decides who gets one.

import type { Config } from '../config/config.ts';
import type { Catalogue, Tool } from '../core/tool.ts';
import type { Fault } from '../errors.ts';
import { gather } from './fault.ts';
import { apart } from './names.ts';
import { compileUpstream, type UpstreamOptions } from './upstream.ts';
import { hastyWindows, tooManyTools } from './warnings.ts';
import { NOBODY_ASKED } from './webhooks.ts';

export interface CatalogueOptions
  extends Pick<UpstreamOptions, 'adapters' | 'read'>,
    Partial<Pick<UpstreamOptions, 'faultOfRules'>> {
  readonly config: Pick<Config, 'upstreams'> & { readonly limits: Pick<Config['limits'], 'inlineWaitMs'> };
}

/** Compiles every upstream. Throws {@link DocumentError} with the faults of every document that can't be used. */
export async function compileCatalogue(options: CatalogueOptions): Promise<Catalogue> {
  const { upstreams, limits } = options.config;
  const { adapters, read, faultOfRules = () => NOBODY_ASKED } = options;
  const parts = await gather(
    upstreams.map((upstream) => compileUpstream(upstream, { adapters, read, faultOfRules, inlineWaitMs: limits.inlineWaitMs })),
  );
  const { names, changed } = apart(
    parts.map(({ upstream, drafts }) => ({ upstream: upstream.name, names: drafts.map(({ wanted }) => wanted) })),
  );
  const tools = new Map<string, Tool>();
  for (const [index, { drafts, tellsAnswers }] of parts.entries()) {
    for (const [at, draft] of drafts.entries()) {
      const name = names[index]?.[at] ?? draft.wanted;
      tools.set(name, draft.make(name, tellsAnswers));
    }
  }
  const renamed = changed.map(
    ({ upstream, from, to }): Fault => ({
      pointer: '',
      message: `the tool ${from} exists in more than one upstream; in ${upstream} it is called ${to}`,
      mend: 'give the upstreams a `tools.prefix` each',
    }),
  );
  return {
    tools,
    leftOut: parts.flatMap(({ leftOut }) => leftOut),
    warnings: [
      ...parts.flatMap(({ warnings }) => warnings),
      ...renamed,
      ...hastyWindows([...tools.values()]),
      ...tooManyTools([...tools.values()]),
    ],
    services: new Map(parts.map(({ upstream, service }) => [upstream.name, service])),
  };
}
