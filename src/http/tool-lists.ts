// tools/list, built once for each kind of caller and handed out until a gate changes or what a tool says about Tasks
// moves: the catalogue itself does not change while it serves.

import type { Client, Contract, Policy } from '../contracts/contract.ts';
import { listedWords } from '../core/gates.ts';
import type { JsonObject } from '../core/json.ts';
import type { Companions } from '../core/presentation.ts';
import type { Catalogue, JobTool, Tool } from '../core/tool.ts';
import type { Engine } from '../engine/engine.ts';
import { companionEntries } from './companions.ts';
import { asStanding, standingOf } from './gated.ts';

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
  const desks = [gates, support].filter((desk) => desk !== undefined);
  for (const desk of desks) desk.subscribe(() => built.clear());

  function build(contract: Contract, client: Client): JsonObject {
    const entries = tools.map((tool) =>
      tool.kind === 'call' ? plain(tool) : gated(support?.of(tool) ?? tool, contract, client),
    );
    const mayPend = tools.some((tool) => tool.kind === 'job' && mayEndPending(support?.of(tool) ?? tool, contract, client));
    return { tools: [...entries, ...(mayPend ? companionEntries(companions) : [])] };

    function plain(tool: Tool): JsonObject {
      return { ...face(tool), ...contract.entry(tool, client, policy) };
    }
  }

  /** A job, as the gates of the door that this caller uses have it. */
  function gated(tool: JobTool, contract: Contract, client: Client): JsonObject {
    const { mode, gate } = standingOf(gates, { tool, contract, client }) ?? {};
    // Nobody is told that it may ask for a task where it never gets one.
    const entry = mode === 'shadow' ? {} : contract.entry(asStanding(tool, gate), client, policy);
    const listed = { ...face(tool), ...entry };
    if (mode !== 'drain' || gate === undefined) return listed;
    return { ...listed, description: `${listedWords(gate)}\n\n${tool.description}` };
  }

  /** Whether a call of it may be answered as pending: whoever is told to go on by a companion must find it in its list. */
  function mayEndPending(tool: JobTool, contract: Contract, client: Client): boolean {
    const { gate } = standingOf(gates, { tool, contract, client }) ?? {};
    const params = { name: tool.name, arguments: {} };
    return gate?.mode === 'canary' || contract.admit(asStanding(tool, gate), params, client, policy).as === 'inline';
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
