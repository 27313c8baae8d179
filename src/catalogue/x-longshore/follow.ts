// How a job is followed while it runs: status, state, progress, input, cancel, pace, timing.

import { z } from 'zod';
import {
  codes,
  duration,
  expression,
  headerName,
  helper,
  hold,
  member,
  named,
  pointer,
  refusals,
  sent,
  words,
} from './kinds.ts';

export const status = named(
  z.strictObject({
    ...helper,
    ...sent,
    id: expression.optional(),
    append: z.string().min(1).meta({ description: 'Appended to the URL that the upstream named: api/json.' }).optional(),
    wait: z
      .strictObject({ ...helper, ...sent, for: hold })
      .meta({ description: 'The same look as a long poll, held by the service until there is news.' })
      .optional(),
    follow: z
      .strictObject({
        at: pointer,
        url: z.string().min(1).meta({ description: 'URL template with {id}, where an id is named.' }).optional(),
        append: z.string().min(1).optional(),
        when: words.meta({ description: 'Status words that say so; any job may then go on as another.' }).optional(),
      })
      .meta({ description: 'The job that this one becomes: polled from then on.' })
      .optional(),
  }),
);

const stateWords = z.strictObject({
  at: pointer.optional(),
  header: headerName.meta({ description: 'Response header that holds the word, where no body does.' }).optional(),
  prefix: z.string().min(1).max(64).meta({ description: 'What all words begin with: JOB_STATE_.' }).optional(),
  working: words.optional(),
  succeeded: words.optional(),
  failed: words.optional(),
  cancelled: words.optional(),
  input: words.optional(),
  second: z
    .strictObject({
      when: words.meta({ description: 'Words of the first place for which the second is asked.' }),
      at: pointer,
      working: words.optional(),
      succeeded: words.optional(),
      failed: words.optional(),
      cancelled: words.optional(),
    })
    .meta({ description: 'A second word, that tells what an end was.' })
    .optional(),
  flags: z
    .strictObject({
      running: pointer.optional(),
      done: pointer.optional(),
      succeeded: pointer.optional(),
      failed: pointer.optional(),
      cancelled: pointer.optional(),
      input: pointer.optional(),
    })
    .refine((flags) => Object.keys(flags).length > 0, { error: 'names no flag' })
    .meta({ description: 'JSON Pointers: each is so where there is anything but false, null, zero or empty.' })
    .optional(),
  conditions: z
    .strictObject({
      at: pointer,
      type: member.meta({ description: 'Member that holds the type; `type` where absent.' }).optional(),
      status: member.meta({ description: 'Member that says whether it holds; `status` where absent.' }).optional(),
      succeeded: words.optional(),
      failed: words.optional(),
      cancelled: words.optional(),
    })
    .meta({ description: 'A list of conditions; working while none of those named here holds.' })
    .optional(),
  error: pointer.meta({ description: 'Where an error is: what is over and has one has failed.' }).optional(),
  codes: z
    .strictObject({
      working: codes.optional(),
      succeeded: codes.optional(),
      failed: codes.optional(),
      cancelled: codes.optional(),
      unreadable: refusals.meta({ description: 'That the status could not be read: the job goes on.' }).optional(),
    })
    .meta({ description: 'Status codes that say something else than usual.' })
    .optional(),
  unknownFor: duration.optional(),
});

export const state = stateWords.refine(
  ({ header, at, flags, conditions }) => header === undefined || (at ?? flags ?? conditions) === undefined,
  { error: 'has its word in a header, so that no at, flags or conditions can say it' },
);

export const progress = z.strictObject({
  at: pointer.optional(),
  of: z.number().positive().optional(),
  done: pointer.meta({ description: 'How many are done; with total.' }).optional(),
  total: pointer.meta({ description: 'How many there are.' }).optional(),
  header: headerName.meta({ description: 'Header that says how far it is: 50% complete.' }).optional(),
  message: pointer.optional(),
});

export const cancel = named(
  z.strictObject({
    ...helper,
    ...sent,
    deletes: z.boolean().optional(),
    urlAt: pointer.meta({ description: 'Where the submit’s answer or the status has the URL of the cancel.' }).optional(),
    allowedWhen: pointer.meta({ description: 'Where the status says that it can be cancelled now.' }).optional(),
    over: codes.meta({ description: 'Status codes that say that the job is over already.' }).optional(),
  }),
);

export const input = named(
  z.strictObject({
    ...helper,
    list: pointer.meta({ description: 'JSON Pointer of the questions in the status, where there may be several.' }).optional(),
    id: pointer.meta({ description: 'JSON Pointer of the question’s own id.' }).optional(),
    message: pointer.meta({ description: 'JSON Pointer of the question, for people.' }).optional(),
    form: z
      .union([pointer, z.record(z.string(), z.json())])
      .meta({ description: 'JSON Schema of the answer, or where the status holds one; else the operation’s request body.' })
      .optional(),
    at: pointer.meta({ description: 'JSON Pointer of where the answer goes in the request body.' }).optional(),
    body: z.record(z.string().min(1), z.json()).meta({ description: 'Sent beside the answer.' }).optional(),
    decline: named(z.strictObject({ ...helper, body: z.record(z.string().min(1), z.json()).optional() }))
      .meta({ description: 'How the service is told no.' })
      .optional(),
  }),
).meta({ description: 'How a job that waits for a person is asked and answered.' });

export const pace = z.strictObject({
  interval: duration.optional(),
  min: duration.optional(),
  max: duration.optional(),
  first: duration.meta({ description: 'Before the first look, where the submit’s answer says nothing of it.' }).optional(),
  after: z
    .strictObject({ header: headerName.optional(), at: pointer.optional(), unit: z.enum(['s', 'ms']).optional() })
    .refine(({ header, at }) => header !== undefined || at !== undefined, { error: 'needs header or at' })
    .meta({ description: 'Where answers say when to look again, beside Retry-After; unit: of a bare number.' })
    .optional(),
});

export const timing = z.strictObject({
  submitTimeout: duration.optional(),
  readTimeout: duration.optional(),
  consistencyGrace: duration.optional(),
  reconcileWindow: duration.optional(),
  effectsWindow: duration.optional(),
  waitBudget: duration.optional(),
  startWithin: duration.optional(),
  inlineWait: duration.optional(),
});
