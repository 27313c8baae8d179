// How a job is begun, named, and known again: submit, handle, submissionKey, lookup.

import { z } from 'zod';
import { codes, duration, expression, helper, named, pointer, sent, texts, words } from './kinds.ts';

const step = z.strictObject({
  ...helper,
  ...sent,
  when: words.meta({ description: 'Status words that say that the job waits for this step.' }).optional(),
  urlAt: pointer.meta({ description: 'Where the status has the URL of this step.' }).optional(),
  argument: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,64}$/, { error: 'is no name of an argument' })
    .meta({ description: 'The argument that is the body of this step.' })
    .optional(),
  mediaType: z
    .string()
    .regex(/^[\w.+-]+\/[\w.+-]+$/, { error: 'is no media type' })
    .meta({ description: 'Media type of that body; without it, as the operation says.' })
    .optional(),
  optional: z.boolean().meta({ description: 'The argument, and with it the step, may be left out.' }).optional(),
});

export const submit = z.strictObject({
  headers: texts.optional(),
  query: texts.optional(),
  body: z.record(z.string().min(1), z.json()).optional(),
  sync: z
    .strictObject({ codes: codes.optional(), at: pointer.optional() })
    .refine(({ codes: listed, at }) => listed !== undefined || at !== undefined, { error: 'needs codes or at' })
    .meta({ description: 'Answers that are the end themselves: of these codes, or with something there.' })
    .optional(),
  busy: z
    .strictObject({
      codes: z.array(z.int().min(400).max(499)).min(1),
      at: pointer.optional(),
      words: words.optional(),
    })
    .refine(({ at, words: listed }) => (at === undefined) === (listed === undefined), {
      error: 'needs both at and words, or neither',
    })
    .meta({ description: 'Answers that say "not now", and that nothing was created: it is sent later.' })
    .optional(),
  steps: z
    .array(named(step))
    .min(1)
    .max(10)
    .meta({ description: 'What is sent after the submit, in order: the data of the job, or the word to begin.' })
    .optional(),
});

export const handle = z
  .union([
    z.literal('self'),
    z.strictObject({
      headers: words.optional(),
      id: expression.optional(),
      url: expression.optional(),
      self: z.literal(true).optional(),
    }),
  ])
  .meta({ description: 'Where the job is named; self: at the address of the submit.' });

export const submissionKey = z
  .strictObject({
    header: z.string().min(1).optional(),
    query: z.string().min(1).optional(),
    body: pointer.optional(),
    path: z
      .string()
      .min(1)
      .meta({ description: 'Path parameter of an id that is ours to choose: PUT /jobs/{jobId}.' })
      .optional(),
    format: z
      .strictObject({
        as: z.enum(['uuid', 'hex', 'base36']).optional(),
        prefix: z
          .string()
          .regex(/^[A-Za-z0-9_.:-]{1,64}$/, { error: 'must be 1 to 64 letters, digits, _, ., : and -' })
          .optional(),
      })
      .meta({ description: 'What the key looks like: uuid (36 characters), hex (32) or base36 (25), behind a prefix.' })
      .optional(),
    retention: duration.optional(),
    deduplicates: z
      .boolean()
      .meta({ description: 'false: jobs carry the key, but sending it twice makes two. Then describe a lookup.' })
      .optional(),
    duplicate: z.strictObject({ status: z.int().min(100).max(599), reference: z.string().optional() }).optional(),
  })
  .refine((key) => [key.header, key.query, key.body, key.path].filter((place) => place !== undefined).length === 1, {
    error: 'needs exactly one of header, query, body and path',
  });

export const lookup = named(
  z.strictObject({
    ...helper,
    ...sent,
    url: z.string().min(1).meta({ description: 'URL template with {key}, the submission key.' }).optional(),
    list: pointer.meta({ description: 'JSON Pointer of the jobs in the answer, where it is a list.' }).optional(),
    match: z.strictObject({ at: pointer }).meta({ description: 'Where a job shows its key; a list needs this.' }).optional(),
    id: pointer.meta({ description: 'JSON Pointer of the id in a found job.' }).optional(),
    authoritative: z
      .boolean()
      .meta({ description: 'A job that is not there was never created: the request is then sent again.' })
      .optional(),
  }),
).meta({ description: 'How a job is found by the submission key that it carries.' });
