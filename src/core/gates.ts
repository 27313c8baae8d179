// Gates: which calls may start new operations, by adapter and contract, narrowed by upstream and tool. What was started is never
// a gate's business: reading, polling, cancelling and reconciling ask no gate.
//   G1. The strictest of the gates that concern a call wins: open < canary < shadow < drain.
//   G2. A canary's share is stable by call key: the same call is judged the same way, and a larger share admits all that a smaller one did.
//   G3. Epochs come from one row of numbers. A change takes the next, so that the epoch of a call rises exactly when one of its gates changes.

import type { Door } from './ids.ts';
import type { EpochMs } from './time.ts';
import type { Tool } from './tool.ts';

/** From the least strict to the strictest. */
export const GATE_MODES = ['open', 'canary', 'shadow', 'drain'] as const;
export type GateMode = (typeof GATE_MODES)[number];

/** What a gate is about. Absent members: whatever they are. */
export interface GatePlace {
  /** `http-202@1` */
  readonly adapter: string;
  readonly contract: Door;
  readonly upstream?: string;
  readonly tool?: string;
}

/** What a call is, to a gate. */
export type GateSubject = Required<GatePlace>;

export interface GateChange extends GatePlace {
  readonly mode: GateMode;
  /** With `canary`, and only there: the share of calls that goes through, from 0 to 1. */
  readonly share?: number;
  readonly reason: string;
  /** A person, {@link CONFIGURATION}, or {@link GATEWAY}. */
  readonly actor: string;
}

/** A gate as its last change left it. */
export interface Gate extends GateChange {
  readonly epoch: number;
  readonly since: EpochMs;
}

/** Who closed a gate, where it was no person. */
export const CONFIGURATION = 'configuration';
export const GATEWAY = 'longshore';

/** The epoch of what no gate was ever changed for. */
export const FIRST_EPOCH = 1;
/** An epoch that nothing ever has: a creation that expects it creates nothing. */
export const NO_EPOCH = 0;

/** `aside`: outside a canary's share, to be handled as a call without Tasks. `gate` is the one that decides. */
export interface GateVerdict {
  readonly mode: 'open' | 'aside' | 'shadow' | 'drain';
  readonly epoch: number;
  readonly gate?: Gate;
}

export function concerns(gate: GatePlace, subject: GateSubject): boolean {
  return (
    gate.adapter === subject.adapter &&
    gate.contract === subject.contract &&
    (gate.upstream === undefined || gate.upstream === subject.upstream) &&
    (gate.tool === undefined || gate.tool === subject.tool)
  );
}

/** What a call is judged by: the same for every repeat of the same call. */
export const callKey = (principal: string, tool: string, key: string): string => JSON.stringify([principal, tool, key]);

export function verdict(gates: readonly Gate[], subject: GateSubject, key: string): GateVerdict {
  const concerned = gates.filter((gate) => concerns(gate, subject));
  const epoch = concerned.reduce((highest, gate) => Math.max(highest, gate.epoch), FIRST_EPOCH);
  const [gate] = [...concerned].sort((one, other) => strictness(other) - strictness(one) || one.epoch - other.epoch);
  if (gate === undefined || gate.mode === 'open') return { mode: 'open', epoch };
  if (gate.mode !== 'canary') return { mode: gate.mode, epoch, gate };
  return { mode: fractionOf(key) < (gate.share ?? 0) ? 'open' : 'aside', epoch, gate };
}

const RANKS = { open: 0, aside: 1, shadow: 2, drain: 3 } as const satisfies Record<GateVerdict['mode'], number>;

/** Of the verdicts of one call through several doors, the one that holds. */
export const strictest = (verdicts: readonly [GateVerdict, ...GateVerdict[]]): GateVerdict =>
  verdicts.reduce((strict, one) => (RANKS[one.mode] > RANKS[strict.mode] ? one : strict));

/** Of two canaries the smaller share is the stricter. */
const strictness = ({ mode, share }: Gate): number =>
  GATE_MODES.indexOf(mode) + (mode === 'canary' ? 0.5 * (1 - (share ?? 0)) : 0);

/** A number from 0 to below 1 that depends on the text alone. FNV-1a over UTF-16 units, then the finaliser of MurmurHash3: its bits are even. */
export function fractionOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** What is wrong with a change; `undefined` for one that can be made. */
export function faultOfChange({ mode, share, contract }: GateChange): string | undefined {
  if (mode !== 'canary') return share === undefined ? undefined : 'a share belongs to canary alone';
  if (contract === 'none') return 'calls without Tasks have nothing to fall back on: a canary needs a contract with Tasks';
  if (share === undefined) return 'a canary needs a share from 0 to 1';
  return share >= 0 && share <= 1 ? undefined : 'the share must be from 0 to 1';
}

/** What a place names that there is nothing of: a mistyped gate would close nothing, and nobody would notice. */
export function unknownIn(
  { adapter, contract, upstream, tool }: GatePlace,
  there: { readonly adapters: Iterable<string>; readonly contracts: readonly Door[]; readonly tools: Iterable<Tool> },
): string | undefined {
  const tools = [...there.tools];
  const named = (what: string, name: string, names: readonly string[]) =>
    names.includes(name)
      ? undefined
      : `there is no ${what} ${name}: there ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}`;
  return (
    named('adapter', adapter, [...there.adapters]) ??
    named('contract', contract, [...there.contracts, 'none']) ??
    (upstream === undefined ? undefined : named('upstream', upstream, [...new Set(tools.map((one) => one.upstream))])) ??
    (tool === undefined || tools.some(({ name, kind }) => name === tool && kind === 'job')
      ? undefined
      : `there is no job ${tool}`)
  );
}

export const samePlace = (one: GatePlace, other: GatePlace): boolean =>
  one.adapter === other.adapter &&
  one.contract === other.contract &&
  one.upstream === other.upstream &&
  one.tool === other.tool;

/** `http-202@1 × 2025-11-25`, and what narrows it. */
export function gateName({ adapter, contract, upstream, tool }: GatePlace): string {
  const narrower = [upstream && `upstream ${upstream}`, tool && `tool ${tool}`].filter(Boolean);
  return `${adapter} × ${contract}${narrower.length === 0 ? '' : ` (${narrower.join(', ')})`}`;
}

const gateWords = (gate: Gate, now: string): string =>
  `gate ${gateName(gate)} ${now} since ${new Date(gate.since).toISOString()}: ${gate.reason.replace(/[.\s]+$/, '')}.`;

/** What a caller is told whose call a gate refuses. */
export const drainedWords = (tool: string, gate: Gate): string =>
  `${tool} takes no new calls: ${gateWords(gate, 'is drained')} Nothing was started. Calling again does not help until whoever runs this gateway opens the gate: tell the user. What was started before goes on, and can be read and cancelled.`;

/** What a caller is told that asked for a task where none is given. */
export const withheldWords = (tool: string, gate: Gate): string =>
  `${tool} runs this call without a task: ${gateWords(gate, `is in ${gate.mode}`)} Nothing was started: call it again without params.task.`;

/** What a tool's description begins with while a gate refuses its calls. */
export const listedWords = (gate: Gate): string => `Takes no new calls: ${gateWords(gate, 'is drained')}`;

/** What programs are told of the gate that decided. */
export const gateData = (gate: Gate) => ({
  gate: gateName(gate),
  mode: gate.mode,
  reason: gate.reason,
  since: new Date(gate.since).toISOString(),
});
