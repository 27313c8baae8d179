// Tasks as MCP 2026-07-28 has them: the extension io.modelcontextprotocol/tasks (SEP-2663), every request on its own.
//   B1. The server decides, if this request declares the extension; what an earlier request declared counts for nothing.
//   B2. A call whose end is known when it is answered is answered with its result: a task would only cost a round trip.
//   B3. A tool error is status `completed` with an isError result; `failed` is for what we never started.
//   B4. The result inside tasks/get is a complete result of its own and says so: reference clients refuse it otherwise.
//   B5. A cancel is cooperative: acknowledged always, and the task may still complete.
//   B6. What a task asks is shown in it, by key, to a client that can put forms; to any other the task waits, and its words say for what.

import pin from '../../specs/mcp/2026-07-28.json' with { type: 'json' };
import { openQuestions } from '../core/input.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import { present, toolError } from '../core/presentation.ts';
import {
  askBack,
  type Client,
  type Contract,
  inputRequests,
  iso,
  type Refused,
  refuse,
  showsForms,
  statusMessage,
  type TaskView,
  toolResult,
  WIRE_OF_TOOLS,
} from './contract.ts';

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/**
 * What only the extension's own schemas have. Longshore writes these messages itself, and the SDK does not know them: that it does
 * not is pinned, because an SDK that begins to may also begin to write them anew. What they are is held by a pin of their own.
 * @see docs/decisions/0010-extension-pin.md
 */
const WIRE_OF_EXTENSION = [
  'CancelledTask',
  'CompletedTask',
  'DetailedTask',
  'FailedTask',
  'InputRequiredTask',
  'TaskSubscriptionAcknowledgedNotifications',
  'TaskSubscriptionNotifications',
  'TasksExtensionCapability',
  'UpdateTaskRequest',
  'UpdateTaskResult',
  'WorkingTask',
];

const missingExtension: Refused = refuse(-32021, 'Missing required client capability', {
  requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
});

const task = ({ operation, pollIntervalMs }: TaskView, ending: JsonObject): JsonObject => ({
  taskId: operation.id,
  ...ending,
  createdAt: iso(operation.createdAt),
  lastUpdatedAt: iso(operation.updatedAt),
  ttlMs: operation.ttlMs,
  pollIntervalMs,
});

function shownTask(view: TaskView, client: Client | undefined): JsonObject {
  const picture = present(view);
  const message = statusMessage(picture);
  switch (picture.kind) {
    case 'pending':
      return task(view, {
        status: picture.status,
        ...message,
        ...(picture.status === 'input_required'
          ? { inputRequests: inputRequests(client?.forms === true ? openQuestions(view.operation) : []) }
          : {}),
      });
    case 'result':
      return task(view, { status: 'completed', ...message, result: complete(toolResult(picture)) });
    case 'error':
      return task(view, { status: 'failed', ...message, error: { code: picture.code, message: picture.message } });
    case 'cancelled':
      return task(view, { status: 'cancelled', ...message });
  }
}

const complete = (result: JsonObject): JsonObject => ({ resultType: 'complete', ...result });

export const tasks20260728: Contract = {
  id: '2026-07-28',
  leg: 'request',
  protocolVersions: ['2026-07-28'],
  signs(capabilities) {
    const extensions = capabilities?.['extensions'];
    return { tasks: isJsonObject(extensions) && isJsonObject(extensions[TASKS_EXTENSION]), forms: showsForms(capabilities) };
  },

  admit(tool, _params, client, policy) {
    if (tool.kind === 'call') return { as: 'call' };
    if (client.tasks) return { as: 'task' };
    return tool.taskSupport === 'required' && policy.taskless === 'reject' ? missingExtension : { as: 'inline' };
  },
  entry: () => ({}),
  result: (picture) => complete(toolResult(picture)),
  askBack,
  wire: {
    schemas: [
      ...WIRE_OF_TOOLS,
      ...WIRE_OF_EXTENSION,
      'ClientCapabilities',
      'DiscoverRequest',
      'DiscoverResult',
      'ElicitRequest',
      'ElicitResult',
      'RequestMeta',
      'ServerCapabilities',
      'SubscriptionFilter',
      'SubscriptionsAcknowledgedNotification',
      'SubscriptionsListenRequest',
      'SubscriptionsListenResult',
    ],
    pin,
  },

  tasks: {
    // Exactly `{}`: reference clients ignore an extension with any setting they do not know.
    capabilities: () => ({ extensions: { [TASKS_EXTENSION]: {} } }),
    gate: (client) => (client.tasks ? undefined : missingExtension),
    created(view) {
      const picture = present(view);
      if (picture.kind === 'result') return complete(toolResult(picture));
      return { resultType: 'task', ...task(view, { status: 'working' }) };
    },
    notCreated: (refused) => ({ as: 'result', result: complete(toolResult(toolError(refused.message))) }),
    task: (view, client) => complete(shownTask(view, client)),
    withheld: 'inline',
    stickyCancel: false,
    cancelled: () => ({ as: 'result', result: complete({}) }),
    updated: () => complete({}),
    notification: (view, client) => ({ method: 'notifications/tasks', params: shownTask(view, client) }),
  },
};
