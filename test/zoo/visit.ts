// A visit: the zoo, one real gateway in front of all of it, and how each species is called.

import { folder, type GatewayUnderTest, serve, until } from '../e2e/gateway.ts';
import { modern, toolNames } from '../e2e/wire.ts';
import { operationOf, publish } from './documents.ts';
import { openZoo, type Zoo } from './keeper.ts';
import { CALLBACK_TOKEN, SPECIES, type Species } from './species.ts';

export interface Visit {
  readonly zoo: Zoo;
  readonly gateway: GatewayUnderTest;
  toolOf(species: Species): string;
  close(): Promise<void>;
}

/** Opens a zoo and starts a gateway that knows every species of it. */
export async function visit(inhabitants: readonly Species[] = SPECIES): Promise<Visit> {
  const zoo = await openZoo(inhabitants);
  const files = await folder();
  const gateway = await serve(await publish(inhabitants, files.path, zoo.url), { env: { ZOO_SECRET: CALLBACK_TOKEN } });
  const tools = await toolNames(modern(gateway.url));
  return {
    zoo,
    gateway,
    toolOf: (species) => {
      const found = tools.find((name) => letters(name) === letters(species.tool ?? operationOf(species)));
      if (found === undefined) throw new Error(`${species.name} has no tool among ${tools.join(', ')}`);
      return found;
    },
    close: async () => {
      await gateway.dispose();
      await files.remove();
      await zoo.close();
    },
  };
}

/** Without what names of tools and of operations are written with differently. */
const letters = (text: string): string => text.replace(/[^A-Za-z0-9]/g, '').toLowerCase();

/** JSON without what only people need. */
const compact = (text: string): string => text.replace(/\s*([{}[\]:,])\s*/g, '$1');

/** Whether an answer holds the result of a job of that name. */
export const holds = (text: string, { result }: Species, name: string): boolean =>
  compact(text).includes(compact(result.replaceAll('bridge', name)));

/** The arguments of a call for a job of that name. */
export function argumentsFor(
  { arguments: fixed = {}, data = {}, idFrom, nameAt }: Species,
  name: string,
): Record<string, unknown> {
  if (nameAt !== undefined) return JSON.parse(JSON.stringify(fixed).replaceAll('{name}', name));
  const own = Object.entries(fixed).map(([key, value]) => [key, key === idFrom ? `${value}-${name}` : value]);
  return { ...Object.fromEntries(own), ...data, name };
}

/** Cancels a job that would never end, once it was looked at; gives the status with which its task ends. */
export async function cancelled({ gateway, zoo, toolOf }: Visit, species: Species): Promise<unknown> {
  const wire = modern(gateway.url);
  const { result } = await wire.rpc('tools/call', { name: toolOf(species), arguments: argumentsFor(species, 'endless') });
  const taskId = result['taskId'];
  await until('the job is looked at', () => zoo.looks(species.name, 'endless') > 0);
  const { error } = await wire.rpc('tasks/cancel', { taskId });
  if (error !== undefined) throw new Error(`the cancel was refused: ${JSON.stringify(error)}`);
  return until('the task ends', async () => {
    const task = (await wire.rpc('tasks/get', { taskId })).result;
    return task['status'] === 'working' ? undefined : task['status'];
  });
}
