// What of a description this adapter keeps in the descriptor. Where a delivery's parts are is in the descriptor's webhook.

import type { Compiled, OpenApiOperation, Refusal } from '../../src/core/adapter.ts';
import type { JobDescription } from '../../src/core/description.ts';
import type { Descriptor } from '../../src/core/descriptor.ts';
import { misreadExpression } from '../../src/core/expressions.ts';
import { type CompiledHelper, compileHelper } from '../../src/core/helper-request.ts';
import type { Json } from '../../src/core/json.ts';
import { type ResultRules, resultRules } from '../../src/core/result.ts';
import { expressionsIn, sentOf } from '../../src/core/sent.ts';
import { conflictingWord, MEANINGS, type StateWords } from '../../src/core/states.ts';
import { type KeyPlaces, keyFault, keyPlacesOf } from '../../src/core/submission-key.ts';

/** The adapter's compiled data: JSON, inside the descriptor. */
export interface Protocol {
  /** Runtime expression of the job's id in the submit's answer. */
  readonly id: string;
  readonly words: StateWords;
  /** How the value is read out of a result that is fetched. */
  readonly result: ResultRules;
  readonly messageAt?: string;
  /** Where an event has an error: then what it calls over has failed. */
  readonly errorAt?: string;
  readonly cancel?: CompiledHelper;
  readonly deletes: boolean;
  readonly key?: KeyPlaces;
}

export const protocolOf = (descriptor: Descriptor): Protocol => descriptor.protocol as unknown as Protocol;

/** Members that say how to ask, which nobody can here. */
const OF_POLLING = ['status', 'progress', 'lookup', 'input'] as const;
/** Ways to say a state that an event has no use for. */
const OF_STATUSES = ['second', 'flags', 'conditions', 'codes', 'header'] as const;

/** Members that only a look at a status or at an address would read. */
const OF_LOOKS: readonly (readonly [string, (description: JobDescription) => unknown])[] = [
  ['submit/busy', ({ submit }) => submit?.busy],
  ['cancel/urlAt', ({ cancel }) => cancel?.urlAt],
  ['cancel/allowedWhen', ({ cancel }) => cancel?.allowedWhen],
  ['cancel/over', ({ cancel }) => cancel?.over],
  ['pace/after', ({ pace }) => pace?.after],
  ['pace/first', ({ pace }) => pace?.firstMs],
  ['result/self', ({ result }) => result?.self],
  ['result/required', ({ result }) => result?.required],
];

/** Compiles a description, or says what in it can't be used, where, and the way out. */
export function compile(
  source: OpenApiOperation,
  description: JobDescription,
  allowedOrigins: readonly string[],
): Compiled | Refusal {
  const refuse = (place: string, reason: string, mend: string): Refusal => ({
    refused: true,
    pointer: `${source.pointer}/x-longshore/${place}`,
    reason,
    mend,
  });
  const { handle, state, result, error, cancel } = description;
  if (description.webhook === undefined) {
    return refuse('webhook', 'is missing: nothing says how the service calls back', 'describe the webhook, or use http-202');
  }
  const asked = OF_POLLING.find((member) => description[member] !== undefined);
  if (asked !== undefined) {
    const mend = 'leave the adapter out: a status that can be polled decides, and the webhook hurries it';
    return refuse(asked, 'is described, but this adapter never asks', mend);
  }
  if (description.submit?.steps !== undefined)
    return refuse('submit/steps', 'are described, but only a look can tell what became of a step', 'describe a status as well');
  const unseen = OF_LOOKS.find(([, part]) => part(description) !== undefined)?.[0];
  if (unseen !== undefined) return refuse(unseen, 'is described, but nobody looks at this job', 'leave it out');
  const idle = OF_STATUSES.find((member) => state?.[member] !== undefined);
  if (idle !== undefined) return refuse(`state/${idle}`, 'is described, but events have a word or an error', 'leave it out');
  const words: StateWords = Object.fromEntries(
    MEANINGS.flatMap((meaning) => (state?.[meaning] === undefined ? [] : [[meaning, state[meaning]]])),
  );
  if (description.webhook.event?.status === undefined && Object.keys(words).length > 0) {
    return refuse('webhook/event/status', 'is missing: words are described, but not where they are', 'add its JSON Pointer');
  }
  const conflict = conflictingWord(words);
  if (conflict !== undefined) {
    const reason = `the word ${conflict.word} is listed as ${conflict.meanings.join(' and as ')}`;
    return refuse('state', reason, 'leave it in one list');
  }
  const misread = handle?.id === undefined ? undefined : misreadExpression(handle.id);
  if (misread !== undefined) return refuse('handle/id', misread, 'see “Runtime Expressions” in the OpenAPI specification');
  const key = keyPlacesOf(description);
  const barred = keyFault(source.request, description);
  if (barred !== undefined) return refuse(...barred);
  const stop =
    cancel && compileHelper({ source, helper: cancel, name: 'cancel', method: 'POST', allowedOrigins, idFrom: 'response' });
  if (stop !== undefined && 'refused' in stop) return stop;
  const sent = cancel && sentOf(cancel);
  if (sent !== undefined && expressionsIn(sent).length > 0)
    return refuse('cancel', 'values of the submit are not remembered here', 'write constants, or {id}');

  const protocol: Protocol = {
    id: handle?.id ?? '$response.body#/id',
    words,
    result: resultRules(result),
    ...(error?.message !== undefined && { messageAt: error.message }),
    ...(state?.error !== undefined && { errorAt: state.error }),
    ...(stop && { cancel: sent === undefined ? stop : { ...stop, sent } }),
    deletes: cancel?.deletes === true,
    ...(key && { key }),
  };
  return {
    protocol: protocol as unknown as Json,
    traits: {
      status: false,
      lookup: false,
      cancel: stop === undefined ? 'none' : protocol.deletes ? 'deletes' : 'asks',
      deduplicates: key !== undefined && description.submissionKey?.deduplicates !== false,
    },
    helpers: stop?.operation === undefined ? [] : [stop.operation],
  };
}
