// A visit: the zoo, one real gateway in front of all of it, and how each species is called.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { folder, type GatewayUnderTest, serve, until } from '../e2e/gateway.ts';
import { INFO, modern, textOf, toolNames } from '../e2e/wire.ts';
import { operationOf, publish } from './documents.ts';
import { openZoo, type Zoo } from './keeper.ts';
import { TOKEN } from './quirks/status.ts';
import { CALLBACK_TOKEN } from './senders.ts';
import { SPECIES, type Species } from './species.ts';

export interface Visit {
  readonly zoo: Zoo;
  readonly gateway: GatewayUnderTest;
  /** What the gateway has in its environment, from its next start on. */
  readonly env: Record<string, string>;
  toolOf(species: Species): string;
  /** The text of a call without Tasks that is told how far the job is. */
  plainly(species: Species, name: string, onProgress: (progress: number) => void): Promise<string>;
  close(): Promise<void>;
}

/** Opens a zoo and starts a gateway that knows every species of it. */
export async function visit(inhabitants: readonly Species[] = SPECIES): Promise<Visit> {
  const zoo = await openZoo(inhabitants);
  const files = await folder();
  const certificate = join(files.path, 'zoo.pem');
  await writeFile(certificate, zoo.certificate);
  const env: Record<string, string> = { ZOO_SECRET: CALLBACK_TOKEN, ZOO_TOKEN: TOKEN, NODE_EXTRA_CA_CERTS: certificate };
  const gateway = await serve(await publish(inhabitants, files.path, zoo), { env });
  const tools = await toolNames(modern(gateway.url));
  const toolOf = (species: Species): string => {
    const found = tools.find((name) => letters(name) === letters(species.tool ?? operationOf(species)));
    if (found === undefined) throw new Error(`${species.name} has no tool among ${tools.join(', ')}`);
    return found;
  };
  return {
    zoo,
    gateway,
    env,
    toolOf,
    plainly: async (species, name, onProgress) => {
      const client = new Client(INFO);
      await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)) as Parameters<typeof client.connect>[0]);
      const params = { name: toolOf(species), arguments: argumentsFor(species, name) };
      const result = await client.callTool(params, undefined, { onprogress: ({ progress }) => onProgress(progress) });
      await client.close();
      return textOf(result);
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
  { arguments: fixed = {}, data = {}, idFrom, owner, nameAt }: Species,
  name: string,
): Record<string, unknown> {
  if (nameAt !== undefined) return JSON.parse(JSON.stringify(fixed).replaceAll('{name}', name));
  const own = Object.entries(fixed).map(([key, value]) => [key, key === idFrom || key === owner ? `${value}-${name}` : value]);
  return { ...Object.fromEntries(own), ...data, name };
}

/** A task as a client sees it. */
export interface Shown {
  readonly status: string;
  /** What is said of it, or the text of its result. */
  readonly text: string;
  readonly isError: boolean;
  readonly structured?: unknown;
}

/** A call as a task, followed by hand. */
export interface Followed {
  readonly id: string;
  now(): Promise<Shown>;
  /** How it is once it has ended. */
  ended(): Promise<Shown>;
  cancel(): Promise<void>;
}

/** Calls a tool for a job of that name, as a task of 2026-07-28. */
export async function follow({ gateway, toolOf }: Visit, species: Species, name: string): Promise<Followed> {
  const wire = modern(gateway.url);
  const called = await wire.rpc('tools/call', { name: toolOf(species), arguments: argumentsFor(species, name) });
  const id = String(called.result['taskId']);
  const now = async (): Promise<Shown> => {
    if (called.result['taskId'] === undefined) return shown({ status: 'completed', result: called.result });
    return shown((await wire.rpc('tasks/get', { taskId: id })).result);
  };
  return {
    id,
    now,
    ended: () =>
      until('the task ends', async () => {
        const task = await now();
        return task.status !== 'working' && task;
      }),
    cancel: async () => {
      const { error } = await wire.rpc('tasks/cancel', { taskId: id });
      if (error !== undefined) throw new Error(`the cancel was refused: ${JSON.stringify(error)}`);
    },
  };
}

function shown(task: Readonly<Record<string, unknown>>): Shown {
  const result = task['result'] as { readonly isError?: boolean; readonly structuredContent?: unknown } | undefined;
  return {
    status: String(task['status']),
    text: result === undefined ? String(task['statusMessage'] ?? '') : textOf(result),
    isError: result?.isError === true,
    structured: result?.structuredContent,
  };
}

/** Cancels a job that would never end, once it was looked at; gives the status with which its task ends. */
export async function cancelled(open: Visit, species: Species): Promise<string> {
  const task = await follow(open, species, 'endless');
  await until('the job is looked at', () => open.zoo.looks(species.name, 'endless') > 0);
  await task.cancel();
  return (await task.ended()).status;
}
