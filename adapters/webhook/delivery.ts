// A verified delivery as evidence.
//   D1. Without a described place for a status word a delivery is the end: the service calls back once, with the result.
//   D2. With one, a word that is not known is work that goes on, and an event without a word says nothing.
//   D3. What is over and has an error where one is described has failed.
//   D4. What is said to be JSON and is none, or is to be read at described places and can't be, says nothing: it is no end.
//   D5. An event that only names where the result is needs the job's reference: before the submit is answered it waits.

import type { Awaiting, DeliveryReading } from '../../src/core/adapter.ts';
import { isJsonType } from '../../src/core/body.ts';
import { type EventReading, isUndecided, readEvent, strangerIn } from '../../src/core/delivery.ts';
import type { Descriptor } from '../../src/core/descriptor.ts';
import { scalarText, valueAt } from '../../src/core/json.ts';
import type { Reference } from '../../src/core/operation.ts';
import type { Ending, Payload } from '../../src/core/outcome.ts';
import { isSet, jsonPayload, rawWord, sentenceIn, shown } from '../../src/core/readings.ts';
import { isPartialIn, isPartialWord, partialPayload, withPartial } from '../../src/core/result.ts';
import { type Meaning, meaningOf } from '../../src/core/states.ts';
import { followable } from '../../src/core/urls.ts';
import type { Delivery, WebhookRules } from '../../src/core/webhook.ts';
import { protocolOf } from './protocol.ts';
import { UNNAMED } from './submit.ts';

export function readDelivery(delivery: Delivery, descriptor: Descriptor, awaiting: Awaiting): DeliveryReading {
  const { webhook } = descriptor;
  if (webhook === undefined) return { kind: 'unreadable', message: 'no webhook is described' };
  const reading = readEvent(delivery, webhook);
  const known = awaiting.reference?.extra?.[UNNAMED] === undefined ? awaiting : { arguments: awaiting.arguments };
  const stranger = strangerIn(reading, known);
  if (stranger !== undefined) return { kind: 'stranger', message: stranger };
  if (isUndecided(delivery, known)) return { kind: 'undecided' };
  if (reading.event === undefined && isToBeRead(delivery, descriptor, webhook)) {
    return { kind: 'unreadable', message: 'the event is not the JSON that it should be' };
  }
  const when = reading.happenedAt === undefined ? {} : { happenedAt: reading.happenedAt };
  const reference = awaiting.reference ?? (reading.job === undefined ? undefined : { id: reading.job });
  return { ...when, ...judged(delivery, reading, reference, descriptor, webhook) };
}

/** Whether a delivery has to be JSON (or a form) to say anything; a result of another type may be the whole of it. */
function isToBeRead({ mediaType }: Delivery, descriptor: Descriptor, { event }: WebhookRules): boolean {
  const places = [event.status, event.result, event.resultUrl, protocolOf(descriptor).errorAt];
  return isJsonType(mediaType) || places.some((place) => place !== undefined && place !== '');
}

function judged(
  delivery: Delivery,
  { event }: EventReading,
  reference: Reference | undefined,
  descriptor: Descriptor,
  rules: WebhookRules,
): DeliveryReading {
  const about = reference === undefined ? {} : { reference };
  const { status } = rules.event;
  const { words, errorAt, result } = protocolOf(descriptor);
  const success = errorAt !== undefined && isSet(valueAt(event, errorAt)) ? 'failed' : 'succeeded';
  if (status === undefined)
    return partly(ended(success, delivery, event, reference, descriptor, rules), isPartialIn(event, result));
  const value = valueAt(event, status);
  const word = scalarText(value);
  if (word === undefined) return { kind: 'unreadable', message: `the event says no status: ${rawWord(value, status)}` };
  const isPartial = isPartialWord(word, result);
  const meaning: Meaning | undefined = isPartial ? 'succeeded' : meaningOf(word, words);
  switch (meaning) {
    case undefined:
      return { kind: 'working', ...about, unknownWord: rawWord(value, status) };
    case 'working':
      return { kind: 'working', ...about };
    case 'input':
      return { kind: 'working', ...about, progress: { message: WAITS } };
    default:
      return partly(
        ended(meaning === 'succeeded' ? success : meaning, delivery, event, reference, descriptor, rules),
        isPartial || isPartialIn(event, result),
      );
  }
}

const WAITS =
  'The service waits for input before it goes on, which can only be given there: a job that only calls back is not answered from here';

/** An ending that is not all of it, where it is a success. */
function partly(reading: DeliveryReading, isPartial: boolean): DeliveryReading {
  if (!isPartial || reading.kind !== 'ended' || reading.ending !== 'succeeded') return reading;
  const { result, reference } = reading;
  return {
    ...reading,
    ...(result && { result: partialPayload(result) }),
    ...(reference && reading.fetch && { reference: withPartial(reference, true) }),
  };
}

function ended(
  ending: Ending,
  delivery: Delivery,
  event: EventReading['event'],
  reference: Reference | undefined,
  descriptor: Descriptor,
  rules: WebhookRules,
): DeliveryReading {
  const about = reference === undefined ? {} : { reference };
  const end = { kind: 'ended', ending, fetch: false, ...about } as const;
  if (ending !== 'succeeded') {
    const { messageAt, errorAt } = protocolOf(descriptor);
    const inError = errorAt === undefined ? undefined : sentenceIn(valueAt(event, errorAt));
    const described = messageAt === undefined ? undefined : shown(valueAt(event, messageAt));
    const message =
      described ?? inError ?? sentenceIn(event, messageAt) ?? (ending === 'failed' ? 'the upstream gave no reason' : undefined);
    return { ...end, ...(ending === 'failed' && { result: whole(delivery) }), ...(message !== undefined && { message }) };
  }
  const { result, resultUrl } = rules.event;
  const url = resultUrl === undefined ? undefined : scalarText(valueAt(event, resultUrl));
  if (url !== undefined) return elsewhere(url, reference, descriptor);
  const value = result === undefined || result === '' ? undefined : valueAt(event, result);
  if (value !== undefined) return { ...end, result: jsonPayload(value) };
  const place = result ?? resultUrl;
  return place === undefined || place === ''
    ? { ...end, result: whole(delivery) }
    : { ...end, message: `the upstream gave no result at ${place}` };
}

/** The result is read from where the event says, within the allowed origins. */
function elsewhere(url: string, reference: Reference | undefined, descriptor: Descriptor): DeliveryReading {
  if (reference === undefined) return { kind: 'hint' };
  const followed = followable(url.trim(), `${descriptor.submit.server}/`, descriptor);
  const end = { kind: 'ended', ending: 'succeeded', fetch: true } as const;
  if (followed.ok) return { ...end, reference: { ...reference, resultUrl: followed.url } };
  return { ...end, reference, message: `the location of the result was refused: ${followed.why}` };
}

const whole = ({ mediaType, body }: Delivery): Payload => ({
  mediaType: mediaType === '' ? 'application/json' : mediaType,
  encoding: 'text',
  body,
});
