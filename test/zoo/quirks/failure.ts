// Quirks of a failure: the forms in which services put the sentence that says why.

import { isJsonObject, type JsonObject } from '../../../src/core/json.ts';
import type { Answer } from '../species.ts';
import { quirkOf } from './name.ts';

/** The sentence, wherever it is. */
export const WHY = 'line 3 is no JSON';

/** What a status says beside its word, by the quirk `error-…`. */
const FORMS: Readonly<Record<string, JsonObject>> = {
  plain: { error: WHY },
  list: { errors: [WHY] },
  'inner-list': { error: { code: 400, errors: [{ reason: 'invalid', message: WHY }] } },
  data: { errors: { object: 'list', data: [{ code: 'invalid', line: 3, message: WHY }] } },
  details: { error: { code: 'Failed', details: [{ error: { code: 'Invalid', message: WHY } }] } },
  'detail-texts': { error: { code: 'Failed', details: [{ error: WHY }] } },
  violations: {
    error: {
      code: 3,
      details: [
        { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field: 'line', description: WHY }] },
      ],
    },
  },
  'json-api': { errors: [{ status: '422', title: 'Unprocessable', detail: WHY }] },
  problem: { type: 'https://errors.example/line', title: 'Unprocessable', detail: WHY },
  failure: { failure: { code: 'INVALID', message: WHY } },
  issue: { resourceType: 'OperationOutcome', issue: [{ severity: 'error', diagnostics: WHY }] },
  reason: { job: { outcome: { StateChangeReason: WHY } } },
};

export const FAILURES: readonly string[] = Object.keys(FORMS).map((form) => `error-${form}`);

/** The end of a job as a failure in the form of its quirk; as it was where that is no form of failure. */
export function failing(ended: Answer, name: string): Answer {
  const form = FORMS[/^error-(.+)/.exec(quirkOf(name))?.[1] ?? ''];
  if (form === undefined) return ended;
  return {
    code: ended.code,
    json: { ...(isJsonObject(ended.json) && { id: ended.json['id'] ?? null }), status: 'error', ...form },
  };
}
