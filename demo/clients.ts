// MCP clients as hosts are built on them: each calls a tool the way its generation does, and follows it to the end.
// The code that decides how (when to poll, when to fetch) is the published SDK's; nothing here knows Longshore.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  createTaskSessionFromClient,
  type RawClientDispatch,
  type TaskEnabledSession,
  toolDeclarationFromMcpTool,
} from '@modelcontextprotocol/ext-tasks/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** What a tool gave, in the end. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
  readonly structured?: unknown;
}

export interface CallOptions {
  /** Told the task's id as soon as there is one. */
  readonly onTask?: (taskId: string) => void;
  /** Told each new status, as the client sees it. */
  readonly onStatus?: (status: string) => void;
  readonly signal?: AbortSignal;
}

export interface ToolClient {
  callTool(name: string, args: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<ToolAnswer>;
  close(): Promise<void>;
}

const MODERN = '2026-07-28';
const INFO = { name: 'longshore-demo', version: '1.0.0' };
const EXTENSION = 'io.modelcontextprotocol/tasks';
const TASK_TTL_MS = 600_000;

/** Tasks as of 2025-11-25, by the first SDK: `callToolStream` creates the task, polls it and fetches its result. */
export async function connectSdkV1(url: string): Promise<ToolClient> {
  const client = new ClientV1(INFO, { capabilities: { tasks: {} } });
  // The transport's optional members are typed without `undefined`, which exactOptionalPropertyTypes minds.
  await client.connect(new TransportV1(new URL(url)) as Parameters<typeof client.connect>[0]);
  const { tools } = await client.listTools();
  const takesTasks = new Set(
    tools.flatMap(({ name, execution }) => ((execution?.taskSupport ?? 'forbidden') === 'forbidden' ? [] : [name])),
  );
  return {
    callTool: async (name, args, { onTask, onStatus, signal } = {}) => {
      const params = { name, arguments: { ...args } };
      const options = {
        ...(takesTasks.has(name) ? { task: { ttl: TASK_TTL_MS } } : {}),
        ...(signal === undefined ? {} : { signal }),
      };
      let said: string | undefined;
      for await (const message of client.experimental.tasks.callToolStream(params, undefined, options)) {
        if (message.type === 'taskCreated') onTask?.(message.task.taskId);
        else if (message.type === 'taskStatus') {
          said = message.task.statusMessage;
          onStatus?.(message.task.status);
          // Of a task that failed, this SDK reports that it did, and leaves the reason in the status.
        } else if (message.type === 'error') return { text: said ?? message.error.message, isError: true };
        else return answerOf(message.result);
      }
      throw new Error('callToolStream ended without a result');
    },
    close: () => client.close(),
  };
}

/** A client that knows nothing of Tasks, as most hosts are today: one `tools/call`, one answer. */
export async function connectPlain(url: string): Promise<ToolClient> {
  const client = new ClientV1(INFO);
  await client.connect(new TransportV1(new URL(url)) as Parameters<typeof client.connect>[0]);
  return {
    callTool: async (name, args, { signal } = {}) =>
      answerOf(await client.callTool({ name, arguments: { ...args } }, undefined, signal === undefined ? {} : { signal })),
    close: () => client.close(),
  };
}

/**
 * A call without Tasks, to its end: what outlasts the server's wait is answered with a handle, and `wait_for_operation`
 * takes it from there, as a model does that reads the answer. `onPending` is told the handle each time.
 */
export async function callAndWait(
  client: ToolClient,
  tool: string,
  args: Readonly<Record<string, unknown>>,
  options: { readonly onPending?: (operation: string) => void; readonly signal?: AbortSignal } = {},
): Promise<ToolAnswer> {
  let answer = await client.callTool(tool, args, options);
  for (let operation = pendingHandle(answer); operation !== undefined; operation = pendingHandle(answer)) {
    options.onPending?.(operation);
    answer = await client.callTool('wait_for_operation', { operation }, options);
  }
  return answer;
}

/** The operation that a pending answer names. */
export function pendingHandle({ structured }: ToolAnswer): string | undefined {
  const { outcome, operation } = (structured ?? {}) as { readonly outcome?: unknown; readonly operation?: unknown };
  return outcome === 'pending' && typeof operation === 'string' ? operation : undefined;
}

/** The Tasks client library over the second SDK: `2026-07-28` is the extension, `2025-11-25` the core feature. */
export async function connectExtTasks(url: string, era: '2025-11-25' | '2026-07-28'): Promise<ToolClient> {
  const client = new Client(INFO, { versionNegotiation: { mode: era === MODERN ? 'auto' : 'legacy' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const tools = new Map((await client.listTools()).tools.map((tool) => [tool.name, toolDeclarationFromMcpTool(tool)]));
  const session: TaskEnabledSession = createTaskSessionFromClient(client, {
    endpointId: url,
    tools: { currentTool: (name) => tools.get(name) },
    ...(era === MODERN
      ? {
          rawDispatch: dispatcher(url),
          v2RequestFraming: {
            protocolVersion: MODERN,
            clientInfo: INFO,
            clientCapabilities: { extensions: { [EXTENSION]: {} } },
          },
        }
      : {}),
  });
  return {
    callTool: async (name, args, { onTask, onStatus, signal } = {}) => {
      const execution = await session.callTool(name, JSON.parse(JSON.stringify(args)), {
        task: { preference: 'prefer', retentionMs: TASK_TTL_MS },
        ...(signal === undefined ? {} : { signal }),
      });
      if (execution.kind === 'task') onTask?.(execution.handle.taskId);
      const { outcome } = await execution.settle({
        onEvent: (event) => (event.type === 'task' ? onStatus?.(event.task.status) : undefined),
      });
      if (outcome.status === 'completed') return answerOf(outcome.result);
      const text = outcome.status === 'failed' ? outcome.error.message : (outcome.task?.statusMessage ?? 'cancelled');
      return { text, isError: true };
    },
    close: async () => {
      await session.close();
      await client.close();
    },
  };
}

/** Sends task requests as they are: the second SDK's own codec does not know them yet. */
export function dispatcher(url: string): RawClientDispatch {
  let sent = 0;
  return async (request, options) => {
    const { method, params } = request as { method: string; params: { name?: string; taskId?: string } };
    sent += 1;
    const id = sent;
    const name = params.name ?? params.taskId;
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': MODERN,
        'Mcp-Method': method,
        ...(name === undefined ? {} : { 'Mcp-Name': name }),
        ...options?.context?.headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      ...(options?.signal === undefined ? {} : { signal: options.signal }),
    });
    const text = await response.text();
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const lines = isStream ? text.split('\n').filter((line) => line.startsWith('data: {')) : [text];
    const answer = lines.map((line) => JSON.parse(line.replace(/^data: /, ''))).find((message) => message.id === id);
    if (answer === undefined) throw new Error(`${method}: HTTP ${response.status} without an answer`);
    return 'error' in answer ? { kind: 'error', error: answer.error } : { kind: 'result', result: answer.result };
  };
}

/** Reads a CallToolResult. */
function answerOf(result: unknown): ToolAnswer {
  const { content, isError, structuredContent } = result as {
    readonly content?: readonly { readonly type: string; readonly text?: string }[];
    readonly isError?: boolean;
    readonly structuredContent?: unknown;
  };
  return {
    text: (content ?? []).map((item) => item.text ?? `(${item.type})`).join('\n'),
    isError: isError === true,
    ...(structuredContent === undefined ? {} : { structured: structuredContent }),
  };
}
