// Between a contract's admission and the engine: which way a call of a job takes, as its gates have it.
//   R1. A call as a task asks the gate of its contract. One without asks the gate of calls without Tasks, and that of its contract
//       as well where its client shows Tasks: a contract that is closed is closed to whoever speaks it.
//   R2. What a gate keeps from being a task is carried out without one where the contract allows that, and else refused with the way on.
//   R3. No caller has to ask for a task where a gate may withhold it: the way on would be refused as well.

import { type Admission, type Client, type Contract, type Refused, refuse } from '../contracts/contract.ts';
import { callKey, drainedWords, type GateVerdict, gateData, verdict, withheldWords } from '../core/gates.ts';
import type { Door } from '../core/ids.ts';
import type { JobTool } from '../core/tool.ts';
import type { GateDesk, JudgedCall, Ruling, StartCall, Started } from '../engine/engine.ts';
import { ERRORS } from '../errors.ts';

/** How often a call is judged anew because the gates moved while it was being written. */
const TRIES_MAX = 3;

type JobAdmission = Exclude<Admission, Refused | { readonly as: 'call' }>;

export type Route =
  /** As `admission` says, or without a task although one was asked for. */
  { readonly as: 'task' | 'inline' | 'shadow'; readonly door: Door; readonly ruling?: Ruling } | Refused;

export async function routeOf(
  gates: GateDesk | undefined,
  { contract, client }: { readonly contract: Contract; readonly client: Client },
  admission: JobAdmission,
  call: JudgedCall,
): Promise<Route> {
  const asTask = admission.as === 'task';
  if (gates === undefined) return { as: admission.as, door: asTask ? contract.id : 'none' };
  const doors = doorsOf(contract, client, asTask);
  const ruling = await gates.judge(call, doors);
  const withheld = ruling.mode === 'aside' || ruling.mode === 'shadow';
  if (withheld && asTask && contract.tasks?.withheld === 'refused' && ruling.gate !== undefined) {
    return refuse(-32601, withheldWords(call.tool.name, ruling.gate), gateData(ruling.gate));
  }
  if (ruling.mode === 'shadow') return { as: 'shadow', door: doors[doors.length - 1] ?? 'none', ruling };
  if (ruling.mode === 'aside' && asTask) return routeOf(gates, { contract, client }, { as: 'inline' }, call);
  return { as: admission.as, door: doors[0], ruling };
}

/** What the gates say of a tool to this client, whatever it calls with. `undefined` where there are no gates. */
export function standingOf(
  gates: GateDesk | undefined,
  { tool, contract, client }: { readonly tool: JobTool; readonly contract: Contract; readonly client: Client },
): GateVerdict | undefined {
  if (gates === undefined) return undefined;
  const { adapter } = tool.descriptor;
  const door = contract.tasks !== undefined && client.tasks ? contract.id : 'none';
  const subject = { adapter, contract: door, upstream: tool.upstream, tool: tool.name };
  return verdict(gates.current(), subject, callKey('', tool.name, ''));
}

/** The tool as its gates leave it (R3). */
export const asStanding = (tool: JobTool, gate: GateVerdict['gate']): JobTool =>
  gate?.mode === 'canary' || gate?.mode === 'shadow' ? { ...tool, taskSupport: 'optional' } : tool;

/** Through which doors a call is judged; the first is the one it is recorded under. */
export function doorsOf(contract: Contract, client: Client, asTask: boolean): [Door, ...Door[]] {
  if (asTask) return [contract.id];
  return contract.tasks !== undefined && client.tasks ? ['none', contract.id] : ['none'];
}

/** Starts a call through its gates, judged again where they moved in between but say the same. */
export async function startThrough(
  start: (call: StartCall) => Promise<Started>,
  gates: GateDesk | undefined,
  call: StartCall,
): Promise<Exclude<Started, { kind: 'gated' }> | { readonly kind: 'refused'; readonly why: Refused }> {
  let judged = call;
  for (let tries = 1; ; tries += 1) {
    const started = await start(judged);
    if (started.kind !== 'gated') return started;
    const { gate } = started;
    if (gate !== undefined) {
      return { kind: 'refused', why: refuse(ERRORS.GATE_CLOSED.rpc, drainedWords(call.tool.name, gate), gateData(gate)) };
    }
    const [first, ...rest] = judged.ruling?.expected.map(({ contract }) => contract) ?? [];
    const fresh = first === undefined ? undefined : await gates?.judge(call, [first, ...rest]);
    const moved = fresh?.mode !== call.ruling?.mode && fresh?.mode !== 'drain';
    if (fresh === undefined || moved || tries === TRIES_MAX) {
      const why = `The gates of ${call.tool.name} were changed just now. Nothing was started: call again.`;
      return { kind: 'refused', why: refuse(ERRORS.GATE_CLOSED.rpc, why) };
    }
    judged = { ...call, ruling: fresh };
  }
}
