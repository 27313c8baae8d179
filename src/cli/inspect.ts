// `longshore inspect DOC`: what a document offers, which of its operations are jobs, by what evidence, and what it would cost.
//
//   Exit code 0: inspected, whatever was found.   1: the document or an overlay can't be used.   2: not asked properly.

import type { ReadDocument } from '../catalogue/load.ts';
import { loadSource } from '../catalogue/load.ts';
import { CONTRACT_IDS } from '../contracts/index.ts';
import type { ContractId, Door } from '../core/ids.ts';
import type { Catalogue } from '../core/tool.ts';
import { look } from './look.ts';
import { reportOf } from './make-report.ts';
import type { ShownList } from './report.ts';
import { reportText } from './report-text.ts';
import type { Terminal } from './terminal.ts';
import { upstreamName } from './upstream-name.ts';

export interface InspectOptions {
  readonly document: string;
  readonly overlays: readonly string[];
  readonly json: boolean;
  /** List every operation. */
  readonly all: boolean;
  /** What clients of this contract see, and no others. */
  readonly contract?: Door | undefined;
  readonly read: ReadDocument;
  readonly lists: (catalogue: Catalogue, contracts: readonly ContractId[]) => readonly ShownList[];
  readonly terminal: Terminal;
}

/** Inspects, prints, and answers the exit code. Throws {@link DocumentError} where there is nothing to inspect. */
export async function inspect({ document, overlays, json, all, contract, read, lists, terminal }: InspectOptions): Promise<0> {
  const source = await loadSource(document, read);
  const once: ReadDocument = async (location, options) =>
    location === source.location ? { text: '', location, parsed: source } : read(location, options);
  const looked = await look({ document, overlays, name: upstreamName(document, source.root), read: once });
  const shown = lists(looked.catalogue, CONTRACT_IDS).filter((list) => contract === undefined || list.contract === contract);
  const report = reportOf(looked, shown);
  terminal.stdout(json ? `${JSON.stringify(report)}\n` : reportText(report, terminal, all));
  return 0;
}
