// Published clients, and what each gets through before a real gateway. Data for two readers: the tests, which are named by these
// words and prove them (matrix.ts), and docs/clients.md, which is generated from them.

import type { Door } from '../../src/core/ids.ts';

/** What every long job meets. */
export const COLUMNS = ['create', 'input', 'cancel', 'restart'] as const;
export type Column = (typeof COLUMNS)[number];

/** By the client's own means, by the companion tools that its model calls, or not at all. */
export type Way = 'itself' | 'companions' | 'no';

export interface Cell {
  readonly way: Way;
  /** A sentence whose subject is the client: what its test shows. */
  readonly does: string;
}

export interface Row extends Readonly<Record<Column, Cell>> {
  readonly name: string;
  /** The package that is installed for the tests, at the version that package.json pins. */
  readonly npm: string;
  readonly contract: Door;
}

const itself = (does: string): Cell => ({ way: 'itself', does });
const companions = (does: string): Cell => ({ way: 'companions', does });
const no = (does: string): Cell => ({ way: 'no', does });

const SDK_1 = '@modelcontextprotocol/sdk';
const SDK_2 = '@modelcontextprotocol/client';
const EXT_TASKS = '@modelcontextprotocol/ext-tasks';
const INSPECTOR = '@modelcontextprotocol/inspector';

const waits = companions('gets a handle for what outlasts its wait, and the result by `wait_for_operation`');
const cancels = companions('leaves a job going when it stops waiting, and stops it by `cancel_operation`');
const waitsAgain = companions('connects again, and gets the result by `wait_for_operation` with the handle that it had');
const answers = companions('is told what the job asks, and answers by `answer_operation`');

const extTasks = {
  create: itself('creates a task and settles it with its result'),
  input: itself('puts what the task asks to its host, once, and settles it'),
  cancel: itself('cancels a task that it follows'),
  restart: itself('connects again, and resumes from the reference that its host kept'),
};

const mcpdo = {
  create: itself('creates a task, and reads its result in the call and again by `tasks/result`'),
  input: itself('shows what the job asks, and answers by `elicitation/respond`'),
  cancel: itself('cancels a task by `tasks/cancel` while its call waits'),
  restart: itself('loses the call, connects again, and reads the task and its result by its id'),
};

export const CLIENTS = {
  'sdk-1': {
    name: 'TypeScript SDK 1, `callToolStream`',
    npm: SDK_1,
    contract: '2025-11-25',
    create: itself('creates a task, follows it, and gets its result'),
    input: itself('is asked once while it follows the task, and gets the result'),
    cancel: itself('cancels a task that it follows'),
    restart: itself('connects again, and reads by the same id what the job came to'),
  },
  'sdk-1-plain': {
    name: 'TypeScript SDK 1, `callTool`',
    npm: SDK_1,
    contract: 'none',
    create: waits,
    input: answers,
    cancel: cancels,
    restart: waitsAgain,
  },
  'sdk-2-2025': {
    name: 'TypeScript SDK 2, `callTool`, as it negotiates by default',
    npm: SDK_2,
    contract: '2025-11-25',
    create: waits,
    input: itself('is asked on the stream of its call, and gets the result'),
    cancel: cancels,
    restart: waitsAgain,
  },
  'sdk-2-2026': {
    name: 'TypeScript SDK 2, `callTool`, `versionNegotiation: auto`',
    npm: SDK_2,
    contract: '2026-07-28',
    create: companions(
      'refuses a task where it declares the extension, and else gets a handle for what outlasts its wait, and the result by `wait_for_operation`',
    ),
    input: itself('is asked by the answer to its call, and makes the call again by itself, also over a restart of the gateway'),
    cancel: cancels,
    restart: companions(
      'connects again, and gets the result with the handle that it had, or by its call made again under the same `longshore/idempotencyKey`',
    ),
  },
  'ext-tasks-2025': { name: 'ext-tasks over SDK 2', npm: EXT_TASKS, contract: '2025-11-25', ...extTasks },
  'ext-tasks-2026': { name: 'ext-tasks over SDK 2', npm: EXT_TASKS, contract: '2026-07-28', ...extTasks },
  'inspector-2025': {
    name: 'Inspector, `--cli`',
    npm: INSPECTOR,
    contract: '2025-11-25',
    create: companions('asks for no task, and gets the result of what outlasts its wait by `wait_for_operation`'),
    input: answers,
    cancel: companions('has no `tasks/cancel`, and stops a job by `cancel_operation`'),
    restart: companions('is another process each time, and gets the result by `wait_for_operation`'),
  },
  'inspector-2026': {
    name: 'Inspector, `--cli`',
    npm: INSPECTOR,
    contract: '2026-07-28',
    create: itself('creates a task by itself, and polls it to its result'),
    input: no('puts no questions, and goes on polling: it gets the result once another client has answered'),
    cancel: no('has no `tasks/cancel`, and leaves the job going when it is ended'),
    restart: no('gives up when a poll fails; the job goes on, and another client reads its result'),
  },
  'mcpdo-2025': { name: 'Inspector, `mcpdo`', npm: INSPECTOR, contract: '2025-11-25', ...mcpdo },
  'mcpdo-2026': { name: 'Inspector, `mcpdo`', npm: INSPECTOR, contract: '2026-07-28', ...mcpdo },
  mcpc: {
    name: 'mcpc',
    npm: '@apify/mcpc',
    contract: '2025-11-25',
    create: itself('creates a task, lets go of it, and reads its result later'),
    input: companions('declares no elicitation, so that nobody is asked; answers by `answer_operation`'),
    cancel: itself('cancels a task'),
    restart: itself('restarts its session, and reads the task and its result by its id'),
  },
} as const satisfies Readonly<Record<string, Row>>;

export type ClientKey = keyof typeof CLIENTS;
