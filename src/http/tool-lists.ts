// tools/list, built once for each kind of caller and handed out from then on: the catalogue does not change while it serves.

import type { Client, Contract, Policy } from '../contracts/contract.ts';
import type { JsonObject } from '../core/json.ts';
import type { Companions } from '../core/presentation.ts';
import type { Catalogue, Tool } from '../core/tool.ts';
import { companionEntries } from './companions.ts';

export interface ToolLists {
  of(contract: Contract, client: Client): JsonObject;
}

export function createToolLists(catalogue: Catalogue, companions: Companions, policy: Policy): ToolLists {
  const built = new Map<Contract, Map<boolean, JsonObject>>();
  const tools = [...catalogue.tools.values()];
  const jobs = tools.some((tool) => tool.kind === 'job');

  function build(contract: Contract, client: Client): JsonObject {
    const entries = tools.map((tool) => ({ ...face(tool), ...contract.entry(tool, client, policy) }));
    return { tools: [...entries, ...(jobs && !client.tasks ? companionEntries(companions) : [])] };
  }

  return {
    of(contract, client) {
      const lists = built.get(contract) ?? new Map<boolean, JsonObject>();
      built.set(contract, lists);
      const list = lists.get(client.tasks) ?? build(contract, client);
      lists.set(client.tasks, list);
      return list;
    },
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
