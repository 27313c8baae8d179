// The form of a submission key that is an id in the path: the first that the document takes there.

import type { JobDescription, KeyFormat } from '../core/description.ts';
import type { JsonObject } from '../core/json.ts';
import { formattedKey } from '../core/submission-key.ts';
import type { Checker } from './check.ts';

const FORMS = ['uuid', 'hex', 'base36'] as const;
/** Keys that begin with the least and with the most that one can, and one with a letter and a digit of each kind. */
const SPECIMENS = [
  '00000000-0000-4000-8000-000000000000',
  'ffffffff-ffff-4fff-bfff-ffffffffffff',
  '0a1b2c3d-4e5f-4a6b-8c7d-8e9f0a1b2c3d',
];

/**
 * The format that fits a parameter's schema; a sentence where none does.
 * @param described Of what is described only what it leaves open is chosen.
 */
export function fittingFormat(described: KeyFormat = {}, schema: JsonObject, checker: Checker): KeyFormat | string {
  const check = checker.argumentCheck({ type: 'object', properties: { key: schema } });
  const misfit = (format: KeyFormat): string | undefined =>
    SPECIMENS.flatMap((specimen) => check({ key: formattedKey(specimen, format) }))[0]?.message;
  const forms = (described.as === undefined ? FORMS : [described.as]).map((as): KeyFormat => ({ ...described, as }));
  return forms.find((format) => misfit(format) === undefined) ?? misfit(forms[0] ?? {}) ?? 'does not fit';
}

/** The description with the format of its key filled in. */
export const withKeyFormat = (description: JobDescription, format: KeyFormat): JobDescription => ({
  ...description,
  submissionKey: { ...description.submissionKey, format },
});
