// How an asynchronous operation is described: `x-longshore` on the operation, read out of the document or added by an
// overlay. The catalogue parses and validates it; adapters compile it. Everything has a default; nothing here names a provider.

import type { Json, JsonObject } from './json.ts';
import type { CallbackPlace, EventPlaces, VerifyRules } from './webhook.ts';

/** Where a value is found, in OpenAPI's own runtime expressions: `$response.body#/id`, `$response.header.Location`, `$request.body#/name`. */
export type RuntimeExpression = string;

/** Another request of the job: an operation of the document, or a URL template whose `{id}` is the job's id. */
export interface HelperRequest {
  /** operationId, or `METHOD /path`. */
  readonly operation?: string;
  readonly method?: string;
  /** Relative to the upstream's base URL, or absolute. `{id}`, `{statusUrl}`. A `{+id}` keeps its slashes. */
  readonly url?: string;
}

export interface JobDescription {
  readonly adapter?: string;
  readonly taskSupport?: 'forbidden' | 'optional' | 'required';
  /** Sent with the submit request beside what the caller gives: `Prefer: respond-async`, `?async=true`. */
  readonly submit?: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, string>>;
    readonly body?: Readonly<Record<string, Json>>;
  };
  /** Where the submit response says which job it is; the first that yields wins. */
  readonly handle?: {
    /** Response headers that may hold the status URL, in order. */
    readonly headers?: readonly string[];
    /** The job's id. */
    readonly id?: RuntimeExpression;
    /** A URL in the body. */
    readonly url?: RuntimeExpression;
  };
  readonly status?: HelperRequest;
  readonly state?: {
    /** JSON Pointer of the status word in the status body. Absent: the status code alone tells. */
    readonly at?: string;
    readonly working?: readonly string[];
    readonly succeeded?: readonly string[];
    readonly failed?: readonly string[];
    readonly cancelled?: readonly string[];
    readonly input?: readonly string[];
    /** How long a word of none of these lists counts as working. Milliseconds. */
    readonly unknownForMs?: number;
  };
  readonly result?: HelperRequest & {
    /** JSON Pointer of the result in the status body (or in the fetched body); '' is the whole body. */
    readonly at?: string;
    /** JSON Pointer of a URL in the status body. */
    readonly urlAt?: string;
    /** Header of the submit or status response that holds the result's URL. */
    readonly header?: string;
    /** The end has no value: nothing is fetched. */
    readonly none?: boolean;
  };
  readonly error?: {
    /** JSON Pointer of the sentence for people in an error or failed body. */
    readonly message?: string;
  };
  readonly progress?: {
    readonly at?: string;
    /** What is the whole: 1 or 100. */
    readonly of?: number;
    readonly message?: string;
  };
  readonly cancel?: HelperRequest & {
    /** The cancel removes the job. */
    readonly deletes?: boolean;
  };
  /** How a job that waits for a person is asked and answered. Pointers are into the status body, or into each of `list`. */
  readonly input?: HelperRequest & {
    /** JSON Pointer of the questions in the status body, where one look may show several. */
    readonly list?: string;
    /** The question's own id. Questions are the same while it is; without it, while all of them is. */
    readonly id?: string;
    /** The question, for people. */
    readonly message?: string;
    /** A JSON Schema, or the JSON Pointer of one. Absent: as the input operation's own request body. */
    readonly form?: JsonObject | string;
    /** JSON Pointer of where the answer goes in the request's body; absent: it is the body. */
    readonly at?: string;
    /** Sent beside the answer. */
    readonly body?: JsonObject;
    /** How the service is told no; absent: it can't be told. */
    readonly decline?: HelperRequest & { readonly body?: JsonObject };
  };
  readonly submissionKey?: {
    readonly header?: string;
    readonly query?: string;
    /** JSON Pointer into the body. */
    readonly body?: string;
    readonly retentionMs?: number;
    /** False: jobs carry the key, but sending it twice makes two. Then only a lookup tells what became of a lost submit. */
    readonly deduplicates?: boolean;
    /** What the upstream answers to a repeated key, where that is not the first answer again. */
    readonly duplicate?: { readonly status: number; readonly reference?: string };
  };
  /** How a job is found by the submission key that it carries. In `url`, `{key}` stands for the key. */
  readonly lookup?: HelperRequest & {
    /** JSON Pointer of the jobs in the answer, where it is a list. */
    readonly list?: string;
    /** Where a job shows its key. A list needs this: what is not seen to be ours is not followed. */
    readonly match?: { readonly at: string };
    /** JSON Pointer of the id in the found job, where it is not at the same place as in the answer to a submit. */
    readonly id?: string;
    /** A job that is not there was never created, once the request can't be under way any more. */
    readonly authoritative?: boolean;
  };
  readonly webhook?: {
    /** Absent: as the document's `callbacks` say. */
    readonly inject?: CallbackPlace;
    readonly verify: VerifyRules;
    readonly event?: EventPlaces;
    /** Absent: `hint`, where there is a status to poll. */
    readonly role?: 'hint' | 'only';
  };
  /** Milliseconds, parsed from ISO 8601 durations or `500ms`, `30s`, `15m`, `24h`. */
  readonly expectMs?: number;
  /** For so long the same call (principal, tool, arguments) gives the same operation. Milliseconds. */
  readonly deduplicateMs?: number;
  readonly pace?: { readonly intervalMs?: number; readonly minMs?: number; readonly maxMs?: number };
  readonly timing?: {
    readonly submitTimeoutMs?: number;
    readonly readTimeoutMs?: number;
    readonly consistencyGraceMs?: number;
    readonly reconcileWindowMs?: number;
    readonly effectsWindowMs?: number;
    readonly waitBudgetMs?: number;
    readonly startWithinMs?: number;
    /** How long a call without Tasks waits for the end. */
    readonly inlineWaitMs?: number;
  };
}
