// `x-longshore`: how people write a job's description, and how it becomes a JobDescription.
//   X1. Short where it can be: `{}` is a job with defaults, `false` is none, `status: getJob` names an operation.
//   X2. A preset stands for what nothing is written about.
//   X3. Every fault at once, each with the pointer of the member it is about. An unknown member is a fault, since it is a typo.

import type { z } from 'zod';
import type { HelperRequest, JobDescription } from '../core/description.ts';
import { parseDuration } from '../core/duration.ts';
import { isJsonObject, type Json } from '../core/json.ts';
import { presets, withPreset } from './presets.ts';
import { described } from './x-longshore/schema.ts';
import { faultsOf, meant, type WordFault } from './x-longshore-faults.ts';

type Written = z.output<typeof described>;

export type Reading =
  | { readonly kind: 'absent' }
  | { readonly kind: 'synchronous' }
  | { readonly kind: 'job'; readonly description: JobDescription }
  | { readonly kind: 'faulty'; readonly faults: readonly WordFault[] };

/** Reads the value of `x-longshore`. Pointers in faults begin at that value. */
export function readExtension(value: Json | undefined): Reading {
  if (value === undefined || value === null) return { kind: 'absent' };
  if (value === true) return { kind: 'job', description: {} };
  if (value === false) return { kind: 'synchronous' };
  const preset = isJsonObject(value) && typeof value['preset'] === 'string' ? value['preset'] : undefined;
  const whole = preset === undefined || !isJsonObject(value) ? value : withPreset(value, preset);
  if (whole === undefined) {
    const fault = {
      pointer: '/preset',
      message: `is no preset: ${preset}`,
      ...meant(preset ?? '', [...presets().keys()].sort()),
    };
    return { kind: 'faulty', faults: [fault] };
  }
  const read = described.safeParse(whole);
  if (!read.success) return { kind: 'faulty', faults: read.error.issues.flatMap((issue) => faultsOf(issue, whole)) };
  return read.data.synchronous === true ? { kind: 'synchronous' } : { kind: 'job', description: descriptionOf(read.data) };
}

/** `undefined` members left out. */
type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> };
const given = <T extends object>(members: T): Partial<Given<T>> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<Given<T>>;

/** Durations under the names that the house gives them: `interval` becomes `intervalMs`. */
type InMs<T> = { readonly [K in keyof T & string as `${K}Ms`]?: number };
const inMs = <T extends Readonly<Record<string, string | undefined>>>(durations: T): InMs<T> =>
  Object.fromEntries(
    Object.entries(durations).flatMap(([name, text]) => (text === undefined ? [] : [[`${name}Ms`, parseDuration(text)]])),
  ) as InMs<T>;

const helperOf = (written: string | HelperWritten): HelperRequest =>
  typeof written === 'string' ? { operation: written } : given(written);
interface HelperWritten {
  readonly operation?: string | undefined;
  readonly method?: string | undefined;
  readonly url?: string | undefined;
}

function inputOf(written: NonNullable<Written['input']>) {
  if (typeof written === 'string') return { operation: written };
  const { decline, ...rest } = written;
  return given({ ...rest, decline: decline === undefined ? undefined : helperOf(decline) });
}

function webhookOf({ inject, verify: { tolerance, ...rules }, handshake, event, role }: NonNullable<Written['webhook']>) {
  return given({
    inject: inject && given(inject),
    verify: given({ ...rules, ...inMs({ tolerance }) }),
    handshake: handshake && given(handshake),
    event: event && given(event),
    role,
  });
}

function waitOf({ for: patience, ...request }: NonNullable<Exclude<NonNullable<Written['status']>, string>['wait']>) {
  return given({ ...request, ...inMs({ for: patience }) });
}

function paceOf({ after, ...durations }: NonNullable<Written['pace']>) {
  return given({ ...inMs(durations), after: after && given(after) });
}

function descriptionOf(written: Written): JobDescription {
  const {
    status,
    state,
    result,
    cancel,
    input,
    submissionKey,
    lookup,
    expect,
    deduplicate,
    pace,
    timing,
    handle,
    submit,
    error,
    progress,
    adapter,
    taskSupport,
    webhook,
  } = written;
  const { id, wait, ...statusRequest } =
    typeof status === 'object'
      ? status
      : { id: undefined, wait: undefined, ...(status === undefined ? {} : { operation: status }) };
  const { unknownFor, ...stateWords } = state ?? {};
  const { retention, duplicate, ...keyPlace } = submissionKey ?? {};
  return given({
    adapter,
    taskSupport,
    submit: submit && given({ ...submit, busy: submit.busy && given(submit.busy), steps: submit.steps?.map(helperOf) }),
    // The id is written beside the status it is needed for, or under `handle`.
    handle:
      handle === undefined && id === undefined ? undefined : given({ id, ...(handle === 'self' ? { self: true } : handle) }),
    status: status === undefined ? undefined : given({ ...statusRequest, wait: wait && waitOf(wait) }),
    state: state && given({ ...stateWords, ...inMs({ unknownFor }) }),
    result: result === undefined ? undefined : helperOf(result),
    error: error && given(error),
    progress: progress && given(progress),
    cancel: cancel === undefined ? undefined : helperOf(cancel),
    input: input === undefined ? undefined : inputOf(input),
    submissionKey: submissionKey && given({ ...keyPlace, ...inMs({ retention }), duplicate: duplicate && given(duplicate) }),
    lookup: lookup === undefined ? undefined : helperOf(lookup),
    webhook: webhook && webhookOf(webhook),
    ...inMs({ expect, deduplicate }),
    pace: pace && paceOf(pace),
    timing: timing && inMs(timing),
  }) as JobDescription;
}
