// From the harness's neutral descriptor to `x-longshore`, as an operator would write it for such a service.

import type { NeutralOperation } from './neutral.ts';

/** How long doubt is looked into: short, because the cases wait for its end; longer where it is a repeated submit that ends it. */
const RECONCILE_WINDOW = '1s';
const REPEAT_WINDOW = '30s';

const milliseconds = (durationMs: number | undefined): string | undefined =>
  durationMs === undefined ? undefined : `${durationMs}ms`;

/** The value of `x-longshore`. Members that are `undefined` are left out when it is written as JSON. */
export function describe(operation: NeutralOperation): unknown {
  if (operation.pattern === 'sync') return false;
  const key = submissionKey(operation.idempotency);
  const common = {
    taskSupport: operation.taskSupport,
    error: { message: operation.messagePointer },
    submissionKey: key,
    cancel: operation.cancel ?? undefined,
    pace: {
      interval: milliseconds(operation.defaultIntervalMs),
      min: milliseconds(operation.floorMs),
      max: milliseconds(operation.capMs),
    },
    timing: {
      submitTimeout: milliseconds(operation.submitTimeoutMs),
      consistencyGrace: milliseconds(operation.notFoundGraceMs),
      waitBudget: milliseconds(operation.deadlineMs),
      inlineWait: milliseconds(operation.syncBudgetMs),
      reconcileWindow: key === undefined ? RECONCILE_WINDOW : REPEAT_WINDOW,
    },
  };
  const webhook = webhookOf(operation.webhook);
  const status = operation.statusUrlTemplate === undefined ? undefined : { url: operation.statusUrlTemplate };
  const handle = {
    headers: operation.pollHeader === undefined ? undefined : [operation.pollHeader],
    id: operation.idPointer === undefined ? undefined : `$response.body#${operation.idPointer}`,
  };
  if (operation.pattern === 'AIP-151') {
    return { adapter: 'aip-151', ...common, handle, status, result: { at: operation.resultPointer } };
  }
  if (operation.pattern === 'webhook-only') {
    const { running: working, success: succeeded, failed, cancelled } = operation;
    return { ...common, handle, webhook, state: { working, succeeded, failed, cancelled } };
  }
  return {
    ...common,
    handle,
    status,
    webhook,
    state: {
      at: operation.statusPointer,
      working: operation.running,
      succeeded: operation.success,
      failed: operation.failed,
      cancelled: operation.cancelled,
    },
    result: { at: operation.resultPointer, urlAt: operation.resultUrlPointer, header: operation.resultHeader },
  };
}

function webhookOf(webhook: NeutralOperation['webhook']): unknown {
  if (webhook === undefined) return undefined;
  const { toleranceSeconds } = webhook;
  return {
    role: webhook.role,
    inject: { body: webhook.callbackPointer },
    verify: { scheme: webhook.scheme, tolerance: toleranceSeconds === undefined ? undefined : `${toleranceSeconds}s` },
    event: {
      job: webhook.idPointer,
      status: webhook.statusPointer,
      result: webhook.resultPointer,
      resultUrl: webhook.resultUrlPointer,
      time: webhook.eventTimePointer,
    },
  };
}

function submissionKey(idempotency: NeutralOperation['idempotency']): unknown {
  if (idempotency === undefined || idempotency === 'none') return undefined;
  const { header, duplicateStatus, duplicatePointer } = idempotency;
  return {
    header,
    duplicate: duplicateStatus === undefined ? undefined : { status: duplicateStatus, reference: duplicatePointer },
  };
}
