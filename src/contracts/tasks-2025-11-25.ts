// Tasks as MCP 2025-11-25 has them: an experimental part of the core protocol, on a session.
//   A1. The client decides, by `params.task`; the tool says through `execution.taskSupport` what it may decide.
//   A2. A task begins as `working`, whatever has happened since: the result is read by tasks/result.
//   A3. A tool error is status `failed`, and tasks/result still gives the result. Cancelled, and what we never started, are errors there.
//   A4. A cancel is sticky: the answer is the task, cancelled, for ever.
//   A5. related-task goes on what tasks/result answers, on what a task asks and on its progress, and on nothing else: the other answers name their task
//       themselves, and a call that is waited for has none.

import pin from '../../specs/mcp/2025-11-25.json' with { type: 'json' };
import { isJsonObject, isRawNumber, type Json, type JsonObject } from '../core/json.ts';
import { type Picture, present } from '../core/presentation.ts';
import type { Tool } from '../core/tool.ts';
import {
  type Client,
  type Contract,
  elicitation,
  iso,
  type Policy,
  type Reply,
  refuse,
  showsForms,
  statusMessage,
  type TaskView,
  toolResult,
  WIRE_OF_TOOLS,
} from './contract.ts';

const RELATED_TASK = 'io.modelcontextprotocol/related-task';

/** `required` hides a tool from hosts that know no Tasks, so such a client is shown `optional`, unless it is to be refused. */
function shownSupport(tool: Tool, client: Client, policy: Policy): Tool['taskSupport'] {
  return tool.taskSupport === 'required' && !client.tasks && policy.taskless === 'serve' ? 'optional' : tool.taskSupport;
}

function statusOf(picture: Picture): string {
  switch (picture.kind) {
    case 'pending':
      return picture.status;
    case 'result':
      return picture.isError ? 'failed' : 'completed';
    case 'error':
      return 'failed';
    case 'cancelled':
      return 'cancelled';
  }
}

const task = ({ operation, pollIntervalMs }: TaskView, status: string, message: JsonObject): JsonObject => ({
  taskId: operation.id,
  status,
  ...message,
  createdAt: iso(operation.createdAt),
  lastUpdatedAt: iso(operation.updatedAt),
  ttl: operation.ttlMs,
  pollInterval: pollIntervalMs,
});

function shownTask(view: TaskView): JsonObject {
  const picture = present(view);
  return task(view, statusOf(picture), statusMessage(picture));
}

/** `task.ttl` in milliseconds; `undefined` where none is asked for, `false` where it is none. */
function ttlOf(asked: Json): number | undefined | false {
  if (typeof asked !== 'object' || asked === null || Array.isArray(asked) || isRawNumber(asked)) return false;
  const ttl = (asked as JsonObject)['ttl'];
  if (ttl === undefined) return undefined;
  return typeof ttl === 'number' && Number.isFinite(ttl) && ttl > 0 && ttl;
}

/** A result that says to which task it belongs, beside what else it says. */
function related({ _meta: meta, ...result }: JsonObject, taskId: string): JsonObject {
  return { ...result, _meta: { ...(isJsonObject(meta) && meta), [RELATED_TASK]: { taskId } } };
}

export const tasks20251125: Contract = {
  id: '2025-11-25',
  leg: 'session',
  protocolVersions: ['2025-11-25'],
  signs: (capabilities) => ({ tasks: capabilities?.['tasks'] !== undefined, forms: showsForms(capabilities) }),

  admit(tool, params, client, policy) {
    const asked = params['task'];
    if (asked === undefined) {
      if (tool.kind === 'call') return { as: 'call' };
      if (shownSupport(tool, client, policy) !== 'required') return { as: 'inline' };
      return refuse(-32601, `${tool.name} runs as a task only: call it with params.task.`);
    }
    if (tool.kind === 'call')
      return refuse(-32601, `${tool.name} answers at once and cannot run as a task: call it without params.task.`);
    const ttlMs = ttlOf(asked);
    if (ttlMs === false) return refuse(-32602, 'params.task must be an object, and its ttl a positive number of milliseconds.');
    return { as: 'task', ...(ttlMs === undefined ? {} : { ttlMs }) };
  },
  // Left out, it means `forbidden`; said, some clients read it as a sign that tasks are welcome.
  entry: (tool, client, policy) =>
    tool.kind === 'call' ? {} : { execution: { taskSupport: shownSupport(tool, client, policy) } },
  result: toolResult,
  ask: (question) => elicitation(question),
  wire: {
    schemas: [
      ...WIRE_OF_TOOLS,
      'CancelTaskRequest',
      'CancelTaskResult',
      'CreateTaskResult',
      'ElicitRequest',
      'ElicitResult',
      'GetTaskPayloadRequest',
      'GetTaskRequest',
      'GetTaskResult',
      'InitializeRequest',
      'InitializeResult',
      'ListTasksRequest',
      'ListTasksResult',
      'RelatedTaskMetadata',
      'Task',
      'TaskMetadata',
      'TaskStatusNotification',
      'ToolExecution',
    ],
    pin,
  },

  tasks: {
    capabilities: (policy) => ({
      tasks: { ...(policy.identified ? { list: {} } : {}), cancel: {}, requests: { tools: { call: {} } } },
    }),
    gate: () => undefined,
    created: (view) => ({ task: task(view, 'working', {}) }),
    // The only lawful result of a call with params.task is a task: anything else must be an error.
    notCreated: (refused) => refused,
    withheld: 'refused',
    task: shownTask,
    outcome,
    ask: (question, taskId) => elicitation(question, { [RELATED_TASK]: { taskId } }),
    progress: (progressToken, told, taskId) => ({
      method: 'notifications/progress',
      params: { progressToken, ...told, _meta: { [RELATED_TASK]: { taskId } } },
    }),
    stickyCancel: true,
    cancelled(view, recorded) {
      if (recorded) return { as: 'result', result: shownTask(view) };
      return refuse(-32602, `Cannot cancel: the task has already ended as ${statusOf(present(view))}.`);
    },
    listed: (views, nextCursor) => ({
      tasks: views.map(shownTask),
      ...(nextCursor === undefined ? {} : { nextCursor }),
    }),
    notification: (view) => ({ method: 'notifications/tasks/status', params: shownTask(view) }),
  },
};

function outcome(view: TaskView): Reply | 'not_yet' {
  const picture = present(view);
  switch (picture.kind) {
    case 'pending':
      return 'not_yet';
    case 'result':
      return { as: 'result', result: related(toolResult(picture), view.operation.id) };
    case 'error':
      return refuse(picture.code, picture.message);
    case 'cancelled':
      return refuse(-32603, picture.message);
  }
}
