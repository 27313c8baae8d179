// `longshore check`: is this configuration fit to start with? Every fault, every warning, and what would be offered.
//
//   longshore.yaml:9:5  /upstreams/billing/credentials/ApiKeyAuth/env: environment variable BILLING_KEY is not set → …
//
//   Faults go to standard error and the summary to standard output; with --json everything goes to standard output as one object:
//   {"ok": false, "faults": [Fault], "warnings": [Fault], "leftOut": [{upstream, operation, reason, mend}], "summary": {…}}
//
//   Exit code 0: fit to start, perhaps with warnings.   1: there are faults.   2: not asked properly (said by the command line).

import { isAbsolute, relative, sep } from 'node:path';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import type { Environment } from '../config/environment.ts';
import { loadConfig } from '../config/load.ts';
import type { Catalogue, LeftOut } from '../core/tool.ts';
import { describeFault, type Fault, LongshoreError } from '../errors.ts';

export interface CheckOptions {
  /** As written on the command line; absent: LONGSHORE_CONFIG, else longshore.yaml. */
  readonly file?: string | undefined;
  readonly env: Environment;
  readonly json?: boolean;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Compiles what the configuration names. Throws a LongshoreError, with `faults` where it can say them. */
  readonly compile: (config: Config) => Promise<Offer>;
}

/** What check wants to know of a catalogue. */
export type Offer = Pick<Catalogue, 'tools' | 'leftOut' | 'warnings'>;

interface Findings {
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
  readonly config?: Config;
  readonly catalogue?: Offer;
}

/** Checks, prints, and answers the exit code. Throws only for bugs. */
export async function check(options: CheckOptions): Promise<0 | 1> {
  const found = await look(options);
  const { faults, warnings, config, catalogue } = found;
  const refused = (catalogue?.leftOut ?? []).filter(({ because }) => because === 'refused');
  const ok = faults.length === 0;
  if (options.json === true) {
    const summary = config === undefined || catalogue === undefined ? {} : { summary: counts(config, catalogue, refused) };
    options.stdout(`${JSON.stringify({ ok, faults, warnings, leftOut: refused.map(describeLeftOut), ...summary })}\n`);
    return ok ? 0 : 1;
  }
  for (const fault of faults) options.stderr(`${describeFault(fault)}\n`);
  for (const warning of warnings) options.stderr(`warning  ${describeFault(warning)}\n`);
  for (const { source, reason, mend } of refused) {
    const place = {
      file: nearby(source.document),
      ...(source.line === undefined ? {} : { line: source.line }),
      pointer: source.pointer,
    };
    const message = `${source.method} ${source.path} ${reason}`;
    options.stderr(`left out ${describeFault({ ...place, message, ...(mend === undefined ? {} : { mend }) })}\n`);
  }
  if (ok && config !== undefined && catalogue !== undefined)
    options.stdout(`${summarise(counts(config, catalogue, refused))}\n`);
  else options.stderr(`${count(faults.length, 'fault')}\n`);
  return ok ? 0 : 1;
}

async function look({ file, env, compile }: CheckOptions): Promise<Findings> {
  try {
    const config = await loadConfig({ file, env });
    try {
      const catalogue = await compile(config);
      return { faults: [], warnings: [...config.warnings, ...catalogue.warnings].map(shorten), config, catalogue };
    } catch (error) {
      return { faults: faultsOf(error).map(shorten), warnings: config.warnings, config };
    }
  } catch (error) {
    if (error instanceof ConfigError) return { faults: error.faults, warnings: error.warnings };
    throw error;
  }
}

function faultsOf(error: unknown): readonly Fault[] {
  if (!(error instanceof LongshoreError)) throw error;
  if ('faults' in error && Array.isArray(error.faults) && error.faults.length > 0) return error.faults as readonly Fault[];
  return [{ pointer: '', message: error.message }];
}

/** Documents are known by their absolute paths; people are shown the way from where they stand, if it leads down. */
function nearby(file: string): string {
  const way = isAbsolute(file) ? relative('', file) : file;
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way) ? file : way;
}
const shorten = (fault: Fault): Fault => (fault.file === undefined ? fault : { ...fault, file: nearby(fault.file) });

function counts(config: Config, catalogue: Offer, refused: readonly LeftOut[]) {
  const tools = [...catalogue.tools.values()];
  const jobs = tools.filter(({ kind }) => kind === 'job').length;
  return { upstreams: config.upstreams.length, jobs, calls: tools.length - jobs, leftOut: refused.length };
}

const describeLeftOut = ({ upstream, source, reason, mend }: LeftOut) => ({
  upstream,
  operation: `${source.method} ${source.path}`,
  file: nearby(source.document),
  pointer: source.pointer,
  ...(source.line === undefined ? {} : { line: source.line }),
  reason,
  ...(mend === undefined ? {} : { mend }),
});

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

function summarise({ upstreams, jobs, calls, leftOut }: ReturnType<typeof counts>): string {
  return `${count(upstreams, 'upstream')}, ${count(jobs, 'job')}, ${count(calls, 'call')}, ${leftOut} left out`;
}
