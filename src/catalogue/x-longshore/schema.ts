// `x-longshore` as a schema: every word that may be written there, with the sentence that editors show for it.
// What is written becomes a JobDescription in ../x-longshore.ts; schema/x-longshore.json is generated from here.

import { z } from 'zod';
import { cancel, input, pace, progress, state, status, timing } from './follow.ts';
import { duration } from './kinds.ts';
import { error, result } from './result.ts';
import { handle, lookup, submissionKey, submit } from './submit.ts';
import { webhook } from './webhook.ts';

export const described = z
  .strictObject({
    synchronous: z.literal(true).meta({ description: 'No job: called and answered at once.' }).optional(),
    preset: z
      .string()
      .min(1)
      .meta({ description: 'name@version of a description in specs/presets; what is written beside it wins.' })
      .optional(),
    adapter: z.string().min(1).meta({ description: 'http-202 (default), aip-151, or the id of a loaded adapter.' }).optional(),
    taskSupport: z.enum(['forbidden', 'optional', 'required']).optional(),
    submit: submit.optional(),
    handle: handle.optional(),
    status: status.optional(),
    state: state.optional(),
    result: result.optional(),
    error: error.optional(),
    progress: progress.optional(),
    cancel: cancel.optional(),
    input: input.optional(),
    submissionKey: submissionKey.optional(),
    lookup: lookup.optional(),
    webhook: webhook.optional(),
    expect: duration.meta({ description: 'How long the job usually takes.' }).optional(),
    deduplicate: duration
      .meta({
        description: 'For so long the same call (caller, tool, arguments) gives the same operation, also without a key.',
      })
      .optional(),
    pace: pace.optional(),
    timing: timing.optional(),
  })
  .meta({
    description: 'How an asynchronous operation is started, followed, fetched and cancelled. Everything has a default.',
  });

/** What may stand under `x-longshore`. */
export const X_LONGSHORE = z.union([z.boolean(), described]);
