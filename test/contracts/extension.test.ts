// What Longshore writes of the Tasks extension, against the schemas that are published of it.

import { describe, expect, test } from 'vitest';
import { EXTENSION_SCHEMAS, extensionPin } from '../../scripts/extension-schemas.ts';
import pinned from '../../specs/mcp/extension-tasks.json' with { type: 'json' };
import { ABSENT } from '../../src/contracts/contract.ts';
import { contractFor } from '../../src/contracts/index.ts';
import { formOf } from '../../src/core/form.ts';
import type { OpenQuestion } from '../../src/core/input.ts';
import type { Json } from '../../src/core/json.ts';
import type { Operation } from '../../src/core/operation.ts';
import { lifeOf } from './lives.ts';

const contract = contractFor('request', '2026-07-28', ['2026-07-28']);
const { tasks } = contract;
if (tasks === undefined) throw new Error('2026-07-28 has Tasks');

const FORM = formOf({ type: 'object', properties: { sure: { type: 'boolean' } }, required: ['sure'] });
const QUESTIONS = [{ message: 'Go on?', form: FORM }];
const PAYLOAD = { mediaType: 'application/json', encoding: 'text', body: '{"n":1}' } as const;
const FORMS = { tasks: true, forms: true };

/** An operation that waits asks something. */
const asking = (operation: Operation): Operation =>
  operation.life === 'INPUT_REQUIRED' && operation.input === 'OPEN'
    ? { ...operation, inputRequest: { questions: QUESTIONS, declinable: false } as never }
    : operation;

/** What is wrong with a message by the published schema of that name; `undefined` where nothing is. */
function fault(schema: string, message: unknown): string | undefined {
  const known = EXTENSION_SCHEMAS[schema];
  if (known === undefined) return `there is no schema ${schema}`;
  const parsed = known.safeParse(JSON.parse(JSON.stringify(message)));
  return parsed.success ? undefined : `${schema}: ${parsed.error.message}\n${JSON.stringify(message)}`;
}

describe('the pin of the extension', () => {
  test('is what is published: read what changed, then npm run pin:contracts', () => {
    const { package: from, schemas, digest } = extensionPin();
    expect(schemas).toEqual(pinned.schemas);
    expect([digest, from]).toEqual([pinned.digest, pinned.package]);
  });

  test('names every message that is the extension’s own, and the pin of 2026-07-28 that the SDK has none of them', () => {
    const { pin } = contract.wire ?? {};
    const own = Object.entries(pin?.schemas ?? {}).flatMap(([name, digest]) => (digest === ABSENT ? [name] : []));
    expect(own.length).toBeGreaterThan(8);
    expect(own.filter((name) => !(name in pinned.schemas))).toEqual([]);
  });
});

describe('what Longshore writes of the extension is what is published of it:', () => {
  test('every task, its creation and its notifications, over random lives', () => {
    const faults = new Set<string>();
    const statuses = new Map<string, number>();
    let asked = 0;
    for (let seed = 1; seed <= 200; seed += 1) {
      for (const life of lifeOf(seed)) {
        const view = { operation: asking(life), pollIntervalMs: 500, payload: PAYLOAD };
        const task = tasks.task(view, FORMS);
        const created = tasks.created(view);
        const { method, params } = tasks.notification?.(view, FORMS) ?? {};
        const found = [
          fault('GetTaskResult', task),
          fault(created['resultType'] === 'task' ? 'CreateTaskResult' : 'CallToolResult', created),
          fault('TaskStatusNotification', { jsonrpc: '2.0', method, params }),
        ];
        for (const one of found) if (one !== undefined) faults.add(one);
        const status = String(task['status']);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (Object.keys((task['inputRequests'] ?? {}) as object).length > 0) asked += 1;
      }
    }
    expect([...faults].slice(0, 3)).toEqual([]);
    // The walk is worth something only if it got everywhere.
    expect([...statuses.keys()].sort()).toEqual(['cancelled', 'completed', 'failed', 'input_required', 'working']);
    expect(asked).toBeGreaterThan(10);
  });

  test('acknowledgements, the capability, and the answer that asks back', () => {
    const question: OpenQuestion = { key: 'input-1.1', message: 'Go on?', form: FORM };
    const cancelled = tasks.cancelled({} as never, true);
    expect([
      fault('CancelTaskResult', cancelled.as === 'result' && cancelled.result),
      fault('UpdateTaskResult', tasks.updated?.()),
      fault('ServerTaskCapabilityEnvelope', tasks.capabilities({ taskless: 'serve', identified: false })),
      fault('InputRequiredCallToolResult', contract.askBack?.([question], 'state')),
      fault('TaskSubscriptionAcknowledgedNotifications', { taskIds: ['op_1'] } satisfies Json),
    ]).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });

  test('and a message that is not would be found', () => {
    const task = { resultType: 'complete', taskId: 'op_1', status: 'working', createdAt: 'now', lastUpdatedAt: 'now' };
    expect(fault('GetTaskResult', task)).toContain('ttlMs');
    expect(fault('GetTaskResult', { ...task, ttlMs: null, status: 'resting' })).toContain('status');
    expect(fault('Nothing', task)).toContain('no schema');
  });
});
