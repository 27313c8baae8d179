// Reading verified deliveries: the event in them, when it happened, and which job it names. Shared by adapters; knows no scheme.
//   V1. Total: whatever a body holds, there is an answer, never an exception.
//   V2. An event that names another job than ours says nothing about ours, however well it is signed. Before ours has a name, one
//       that comes by itself is ours, by the URL; of several that name different jobs nobody can say which is.

import type { Awaiting, DeliveryReading } from './adapter.ts';
import { type Json, scalarText, tryParseJson, valueAt } from './json.ts';
import type { Reference } from './operation.ts';
import { numberOf } from './readings.ts';
import type { EpochMs } from './time.ts';
import type { Delivery, WebhookRules } from './webhook.ts';

const FORM = 'application/x-www-form-urlencoded';

/** The event as JSON; the fields of a form as members of an object. `undefined` for what is neither. */
export function eventIn({ mediaType, body }: Pick<Delivery, 'mediaType' | 'body'>): Json | undefined {
  return mediaType === FORM ? Object.fromEntries(new URLSearchParams(body)) : tryParseJson(body);
}

/** Before this a number of seconds would be a year far ahead, so that larger ones are milliseconds. */
const SECONDS_MAX = 100_000_000_000;

/** An instant as senders write it (RFC 3339, seconds or milliseconds since 1970), or `undefined`. */
export function instantOf(value: Json | undefined): EpochMs | undefined {
  const text = scalarText(value)?.trim() ?? '';
  if (/^\d{4}-\d\d-\d\d[Tt ]/.test(text)) {
    const at = Date.parse(text);
    return Number.isNaN(at) ? undefined : at;
  }
  const number = numberOf(value);
  if (number === undefined || number < 0) return undefined;
  return Math.round(number < SECONDS_MAX ? number * 1000 : number);
}

export interface EventReading {
  readonly event: Json | undefined;
  /** The job that it names. */
  readonly job?: string;
  readonly happenedAt?: EpochMs;
}

/** What the described places hold. */
export function readEvent(delivery: Pick<Delivery, 'mediaType' | 'body'>, rules: Pick<WebhookRules, 'event'>): EventReading {
  const event = eventIn(delivery);
  const at = (pointer: string | undefined) => (pointer === undefined ? undefined : valueAt(event, pointer));
  const job = scalarText(at(rules.event.job))?.trim();
  const happenedAt = instantOf(at(rules.event.time));
  return {
    event,
    ...(job !== undefined && job !== '' && { job }),
    ...(happenedAt !== undefined && { happenedAt }),
  };
}

/** Whether a name in an event is that of our job: its id, or the last part of one that is a path or a URL. */
export const namesOurJob = (job: string, { id }: Reference): boolean => id === job || id.endsWith(`/${job}`);

/** Why an event is none of ours; `undefined` where it may be. */
export function strangerIn({ job }: EventReading, { reference }: Awaiting): string | undefined {
  return job === undefined || reference === undefined || namesOurJob(job, reference)
    ? undefined
    : `it names the job ${job}, and ours is ${reference.id}`;
}

/** Whether events name different jobs: those of one delivery, which came to the URL of one of them. */
export const nameDifferentJobs = (
  events: readonly Pick<Delivery, 'mediaType' | 'body'>[],
  rules: Pick<WebhookRules, 'event'>,
): boolean => rules.event.job !== undefined && new Set(events.map((event) => readEvent(event, rules).job)).size > 1;

/** Whether an event waits until our job has a name. */
export const isUndecided = ({ amongOthers }: Delivery, { reference }: Awaiting): boolean =>
  amongOthers === true && reference === undefined;

/**
 * A delivery where polls decide: it hurries the next one, and that is all.
 * @param referenceTo The reference to a job that is only known by name, where the protocol can make one.
 */
export function readHint(
  delivery: Delivery,
  rules: WebhookRules,
  awaiting: Awaiting,
  referenceTo?: (job: string) => Reference | undefined,
): DeliveryReading {
  const reading = readEvent(delivery, rules);
  const { happenedAt } = reading;
  const when = happenedAt === undefined ? {} : { happenedAt };
  const stranger = strangerIn(reading, awaiting);
  if (stranger !== undefined) return { kind: 'stranger', message: stranger };
  if (isUndecided(delivery, awaiting)) return { kind: 'undecided' };
  const reference = awaiting.reference ?? (reading.job === undefined ? undefined : referenceTo?.(reading.job));
  return { kind: 'hint', ...when, ...(reference && { reference }) };
}
