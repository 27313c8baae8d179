// A job's description as people write it under `x-longshore`: what src/catalogue/x-longshore.ts reads, written.
//   W1. What is written reads back as the same description.

import type { HelperRequest, JobDescription } from '../core/description.ts';
import { writeDuration } from '../core/duration.ts';
import type { Json, JsonObject } from '../core/json.ts';

/** The value of `x-longshore`. Members that say nothing are left out. */
export function writtenJob(description: JobDescription): JsonObject {
  const { handle, status, state, result, cancel, submissionKey, lookup, webhook, expectMs, pace, timing, ...rest } =
    description;
  const { id, ...places } = handle ?? {};
  const { unknownForMs, ...words } = state ?? {};
  const { retentionMs, ...key } = submissionKey ?? {};
  const asked = status?.wait === undefined ? status : { ...status, wait: durations(status.wait) };
  // The id is written beside the status that it is needed for.
  const beside = status !== undefined && id !== undefined;
  return given({
    ...rest,
    handle: filled({ ...(beside ? {} : { id }), ...places }),
    status: asked && (beside ? given({ ...asked, id }) : helper(asked)),
    state: filled({ ...words, unknownFor: written(unknownForMs) }),
    result: result && helper(result),
    cancel: cancel && helper(cancel),
    submissionKey: filled({ ...key, retention: written(retentionMs) }),
    lookup: lookup && helper(lookup),
    webhook: webhook && { ...webhook, verify: durations(webhook.verify) },
    expect: written(expectMs),
    pace: pace && durations(pace),
    timing: timing && durations(timing),
  });
}

const written = (durationMs: number | undefined): string | undefined =>
  durationMs === undefined ? undefined : writeDuration(durationMs);

/** An operation alone is written as its name. */
function helper(request: HelperRequest): Json {
  const { operation, ...rest } = request;
  return operation !== undefined && Object.keys(rest).length === 0 ? operation : given({ operation, ...rest });
}

/** Members that end in `Ms` as durations, without that end; others as they are. */
const durations = (members: object): JsonObject =>
  given(
    Object.fromEntries(
      Object.entries(members).map(([name, value]) =>
        name.endsWith('Ms') ? [name.slice(0, -2), written(value)] : [name, value],
      ),
    ),
  );

const given = (members: object): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject;

function filled(members: object): JsonObject | undefined {
  const all = given(members);
  return Object.keys(all).length === 0 ? undefined : all;
}
