// What operators send, read strictly; the numbers of a result keep their digits.
//
//   cancel  {"actor": "ada", "reason": "…"}
//   settle  {"actor": "ada", "reason": "…", "verdict": {"kind": "found", "job": "exp_8813"}}
//           verdicts: found {job} · never · result {ending, value?} · give_up · effects {finding}

import { z } from 'zod';
import { type Json, tryParseJson } from '../core/json.ts';
import { jsonPayload } from '../core/readings.ts';
import type { Settlement, Word } from '../engine/engine.ts';
import { Unfit } from './problem.ts';

/** One line of text: it goes into logs and onto terminals. */
const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1, { error: 'must not be empty' })
    .max(max, { error: `must have at most ${max} characters` })
    .refine((text) => !/\p{Cc}/u.test(text), { error: 'must be one line without control characters' });

const word = { actor: line(200), reason: line(1_000) };

const verdict = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('found'), job: line(2_048) }),
  z.strictObject({ kind: z.literal('never') }),
  z.strictObject({
    kind: z.literal('result'),
    ending: z.enum(['succeeded', 'failed', 'cancelled']),
    value: z.unknown().optional(),
  }),
  z.strictObject({ kind: z.literal('give_up') }),
  z.strictObject({ kind: z.literal('effects'), finding: line(1_000) }),
]);

const CANCEL = z.strictObject(word);
const SETTLE = z.strictObject({ ...word, verdict });

/** Throws {@link Unfit}, naming each member that is wrong. */
function read<T extends z.ZodType>(schema: T, text: string): z.output<T> {
  const body = tryParseJson(text);
  if (body === undefined) throw new Unfit('The body is not JSON.');
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new Unfit(parsed.error.issues.map(({ path, message }) => `/${path.join('/')}: ${message}`).join('; '));
}

export const cancelBody = (text: string): Word => read(CANCEL, text);

export function settleBody(text: string): Settlement {
  const { verdict: said, ...who } = read(SETTLE, text);
  if (said.kind !== 'result') return { ...who, verdict: said };
  const { kind, ending, value } = said;
  // It came out of JSON text, and nothing has changed it.
  const result = value === undefined ? {} : { result: jsonPayload(value as Json) };
  return { ...who, verdict: { kind, ending, ...result } };
}
