// tools/list, built once for each kind of caller and handed out until a gate changes or what a tool says about Tasks
// moves: the catalogue itself does not change while it serves.

import type { Client, Contract, Policy } from '../contracts/contract.ts';
import { callKey, type GateVerdict, listedWords, verdict } from '../core/gates.ts';
import type { JsonObject } from '../core/json.ts';
import type { Companions } from '../core/presentation.ts';
import type { Catalogue, JobTool, Tool } from '../core/tool.ts';
import type { Engine, GateDesk } from '../engine/engine.ts';
import { companionEntries } from './companions.ts';

export interface ToolLists {
  of(contract: Contract, client: Client): JsonObject;
  /** Calls whenever what is listed may have changed; returns how to stop. Absent where it never does. */
  readonly changed?: (listener: () => void) => () => void;
}

export function createToolLists(
  catalogue: Catalogue,
  companions: Companions,
  policy: Policy,
  { gates, support }: Pick<Engine, 'gates' | 'support'> = {},
): ToolLists {
  const built = new Map<Contract, Map<boolean, JsonObject>>();
  const tools = [...catalogue.tools.values()];
  const jobs = tools.some((tool) => tool.kind === 'job');
  const desks = [gates, support].filter((desk) => desk !== undefined);
  for (const desk of desks) desk.subscribe(() => built.clear());

  function build(contract: Contract, client: Client): JsonObject {
    const entries = tools.map((tool) =>
      tool.kind === 'call' ? plain(tool) : gated(support?.of(tool) ?? tool, contract, client),
    );
    return { tools: [...entries, ...(jobs && !client.tasks ? companionEntries(companions) : [])] };

    function plain(tool: Tool): JsonObject {
      return { ...face(tool), ...contract.entry(tool, client, policy) };
    }
  }

  /** A job, as the gates of the door that this caller uses have it. */
  function gated(tool: JobTool, contract: Contract, client: Client): JsonObject {
    const ruled = gates === undefined ? undefined : verdictFor(tool, contract, client, gates);
    const { gate } = ruled ?? {};
    // A call that asks for a task may get none: nobody is told that it must ask for one.
    const shown: Tool = gate?.mode === 'canary' ? { ...tool, taskSupport: 'optional' } : tool;
    // Nobody is told that it may ask for a task where it never gets one.
    const entry = ruled?.mode === 'shadow' ? {} : contract.entry(shown, client, policy);
    const listed = { ...face(tool), ...entry };
    if (ruled?.mode !== 'drain' || gate === undefined) return listed;
    return { ...listed, description: `${listedWords(gate)}\n\n${tool.description}` };
  }

  function verdictFor(tool: JobTool, contract: Contract, client: Client, { current }: GateDesk): GateVerdict {
    const { adapter } = tool.descriptor;
    const door = contract.tasks !== undefined && client.tasks ? contract.id : 'none';
    return verdict(
      current(),
      { adapter, contract: door, upstream: tool.upstream, tool: tool.name },
      callKey('', tool.name, ''),
    );
  }

  return {
    of(contract, client) {
      const lists = built.get(contract) ?? new Map<boolean, JsonObject>();
      built.set(contract, lists);
      const list = lists.get(client.tasks) ?? build(contract, client);
      lists.set(client.tasks, list);
      return list;
    },
    // After our own listener, so that whoever asks at once gets the new list.
    ...(desks.length > 0 && {
      changed(listener) {
        const stops = desks.map((desk) => desk.subscribe(listener));
        return () => {
          for (const stop of stops) stop();
        };
      },
    }),
  };
}

/** A job publishes no output schema: its call may end as pending, which no schema of the upstream's allows. */
const face = (tool: Tool): JsonObject => ({
  name: tool.name,
  ...(tool.title === undefined ? {} : { title: tool.title }),
  description: tool.description,
  inputSchema: tool.inputSchema,
  ...(tool.kind === 'job' || tool.outputSchema === undefined ? {} : { outputSchema: tool.outputSchema }),
  annotations: { ...tool.annotations },
});
