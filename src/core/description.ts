// How an asynchronous operation is described: `x-longshore` on the operation, read out of the document or added by an
// overlay. The catalogue parses and validates it; adapters compile it. Everything has a default; nothing here names a provider.

import type { Json, JsonObject } from './json.ts';
import type { CallbackPlace, EventPlaces, HandshakeRules, VerifyRules } from './webhook.ts';

/** Where a value is found, in OpenAPI's own runtime expressions: `$response.body#/id`, `$response.header.Location`, `$request.body#/name`. */
export type RuntimeExpression = string;

/** Another request of the job: an operation of the document, or a URL template whose `{id}` is the job's id. */
export interface HelperRequest {
  /** operationId, or `METHOD /path`. */
  readonly operation?: string;
  readonly method?: string;
  /** Relative to the upstream's base URL, or absolute. `{id}`, `{statusUrl}`. A `{+id}` keeps its slashes. */
  readonly url?: string;
  /** Added to the URL, also to one that the upstream named; what is there already stays. */
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. In all three `{id}` is the job's id, and a text that is a runtime expression is what the submit had there. */
  readonly body?: JsonObject;
}

/** The forms that services take keys in: 36 characters, 32, 25, or any of them behind a prefix. */
export interface KeyFormat {
  readonly as?: 'uuid' | 'hex' | 'base36';
  readonly prefix?: string;
}

/** A request that a job needs after its submit and before it runs: it brings the data, or says that the job may begin. */
export interface StepRequest extends HelperRequest {
  /** Status words that say that the job waits for it. Absent: it is sent whatever the word, until it was taken once. */
  readonly when?: readonly string[];
  /** JSON Pointer of its URL in the status body. */
  readonly urlAt?: string;
  /** The tool's argument that is its body. One that the submit does not have becomes an argument of the tool. */
  readonly argument?: string;
  /** Of that body; absent: as its operation says, else bytes. */
  readonly mediaType?: string;
  /** The argument, and with it the step, may be left out. */
  readonly optional?: boolean;
}

/** Pointers into a status body: where each is anything but false, null, zero or empty, it is so. */
export interface StateFlags {
  readonly running?: string;
  /** Over, and a success unless another flag says otherwise. */
  readonly done?: string;
  readonly succeeded?: string;
  readonly failed?: string;
  readonly cancelled?: string;
  readonly input?: string;
}

/** A list of conditions, each with its type and whether it holds. Where none of those named here holds, the job is working. */
export interface StateConditions {
  /** JSON Pointer of the list. */
  readonly at: string;
  /** Member of a condition that holds its type: `type`. */
  readonly type?: string;
  /** Member that says `True`: `status`. */
  readonly status?: string;
  readonly succeeded?: readonly string[];
  readonly failed?: readonly string[];
  readonly cancelled?: readonly string[];
}

export interface JobDescription {
  readonly adapter?: string;
  readonly taskSupport?: 'forbidden' | 'optional' | 'required';
  /** Sent with the submit request beside what the caller gives: `Prefer: respond-async`, `?async=true`. */
  readonly submit?: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, string>>;
    readonly body?: Readonly<Record<string, Json>>;
    /** Which 2xx answers are the end themselves, whatever handle they name: those of these codes, or with something there. */
    readonly sync?: { readonly codes?: readonly number[]; readonly at?: string };
    /** Which 4xx answers say "not now" and that nothing was created: those of these codes, with one of these words there. */
    readonly busy?: { readonly codes: readonly number[]; readonly at?: string; readonly words?: readonly string[] };
    /** What is sent after it, in order: the submit only creates the job. */
    readonly steps?: readonly StepRequest[];
  };
  /** Where the submit response says which job it is; the first that yields wins. */
  readonly handle?: {
    /** Response headers that may hold the status URL, in order. */
    readonly headers?: readonly string[];
    /** The job's id. */
    readonly id?: RuntimeExpression;
    /** A URL in the body. */
    readonly url?: RuntimeExpression;
    /** The address of the submit itself: the same GET again, or a GET of what was put there. */
    readonly self?: boolean;
  };
  readonly status?: HelperRequest & {
    /** Appended to the URL that the upstream named: `api/json`. */
    readonly append?: string;
    /** The same as a long poll: held by the service until there is news, for so long at most. What is not said is as in the status. */
    readonly wait?: HelperRequest & { readonly forMs: number };
    /** The job that the first one becomes: what its status names at `at` is polled from then on. */
    readonly follow?: {
      /** JSON Pointer of its URL, or of its id where `url` is described. */
      readonly at: string;
      /** URL template with `{id}`. */
      readonly url?: string;
      readonly append?: string;
      /** Status words that say so. Then any job may go on as another, again and again; without them only the first does, once. */
      readonly when?: readonly string[];
    };
  };
  readonly state?: {
    /** JSON Pointer of the status word in the status body. Absent: the status code alone tells. */
    readonly at?: string;
    /** Response header that holds the word instead. */
    readonly header?: string;
    /** What all its words begin with: `JOB_STATE_`. They are then compared with it and without it. */
    readonly prefix?: string;
    readonly working?: readonly string[];
    readonly succeeded?: readonly string[];
    readonly failed?: readonly string[];
    readonly cancelled?: readonly string[];
    readonly input?: readonly string[];
    /** A second word that tells what an end was, asked where the first one is in `when`. */
    readonly second?: {
      readonly when: readonly string[];
      readonly at: string;
      readonly working?: readonly string[];
      readonly succeeded?: readonly string[];
      readonly failed?: readonly string[];
      readonly cancelled?: readonly string[];
    };
    readonly flags?: StateFlags;
    readonly conditions?: StateConditions;
    /** JSON Pointer of an error: where there is one, what has ended has failed. */
    readonly error?: string;
    /** What status codes say, where they say something else than usual. A known word beside a 2xx wins. */
    readonly codes?: {
      readonly working?: readonly number[];
      readonly succeeded?: readonly number[];
      readonly failed?: readonly number[];
      readonly cancelled?: readonly number[];
      /** They say nothing of the job, but that its status could not be read. */
      readonly unreadable?: readonly number[];
    };
    /** How long a word of none of these lists counts as working. Milliseconds. */
    readonly unknownForMs?: number;
  };
  readonly result?: HelperRequest & {
    /** JSON Pointer of the result in the status body (or in the fetched body); '' is the whole body. */
    readonly at?: string;
    /** JSON Pointer of the result's own id in the status body: the `{id}` of `url`. */
    readonly id?: string;
    /** JSON Pointer of a URL in the status body. */
    readonly urlAt?: string;
    /** Header of the submit or status response that holds the result's URL. */
    readonly header?: string;
    /** For what a PUT or a PATCH wrote: the result is what a GET of its own address gives. */
    readonly self?: boolean;
    /** The end has no value: nothing is fetched. */
    readonly none?: boolean;
    /** A success without a value (or with null) is none: the service has lost it, or not yet written it. */
    readonly required?: boolean;
    /** Media types that a fetched result may have; ranges too. Absent: whatever was asked for, and no page of HTML. */
    readonly type?: string | readonly string[];
    /** What the value is as text: `json`, or the bytes of `type` as `base64`. */
    readonly unwrap?: 'json' | 'base64';
    /**
     * That the result is not all of what was asked for: a JSON Pointer of what is set then, in the status body or in what was
     * fetched, or the words of `state` that mean it. They are successes.
     */
    readonly partial?: string | readonly string[];
    /** The result comes in pages, and each says how to get the next. Absent: by a `Link` header, where there is one. */
    readonly pages?: {
      /** Header with the URL of the next page, or with its token. A `Link` is read as one. */
      readonly header?: string;
      /** JSON Pointer of that URL or token in a page; with `list` in each of its entries. */
      readonly at?: string;
      /** JSON Pointer of the list of all parts, in the first. */
      readonly list?: string;
      /** Query parameter, or JSON Pointer into the request's body, that a token or number goes into. */
      readonly query?: string;
      readonly body?: string;
      /** JSON Pointer of the items in a page; absent: its only list. */
      readonly items?: string;
      /** Pages are asked for by their number, or by that of their first item, until one is empty. */
      readonly by?: 'page' | 'item';
      /** What the first one is counted as: 1 for pages, 0 for items. */
      readonly start?: number;
      /** JSON Pointer of how many there are: pages or items, as is counted. Then none beyond is asked for. */
      readonly total?: string;
    };
  };
  readonly error?: {
    /** JSON Pointer of the sentence for people in an error or failed body. */
    readonly message?: string;
  };
  readonly progress?: {
    readonly at?: string;
    /** What is the whole: 1 or 100. */
    readonly of?: number;
    /** JSON Pointers of how much is done, and of how much there is. */
    readonly done?: string;
    readonly total?: string;
    /** Header of the status answer that says how far it is: `50% complete`. */
    readonly header?: string;
    readonly message?: string;
  };
  readonly cancel?: HelperRequest & {
    /** The cancel removes the job. */
    readonly deletes?: boolean;
    /** JSON Pointer of its URL in the submit's answer or in the status body. */
    readonly urlAt?: string;
    /** JSON Pointer in the status body: while there is a false, a null, a zero or nothing there, it is not asked. */
    readonly allowedWhen?: string;
    /** Status codes that say that the job is over already: the next look tells how. */
    readonly over?: readonly number[];
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
    /** Name of the path parameter that is the id which the caller of the service chooses: then it is the job's id, too. */
    readonly path?: string;
    /** What it looks like; absent: a UUID. The same operation always has the same. */
    readonly format?: KeyFormat;
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
    readonly handshake?: HandshakeRules;
    readonly event?: EventPlaces;
    /** Absent: `hint`, where there is a status to poll. */
    readonly role?: 'hint' | 'only';
  };
  /** Milliseconds, parsed from ISO 8601 durations or `500ms`, `30s`, `15m`, `24h`. */
  readonly expectMs?: number;
  /** For so long the same call (principal, tool, arguments) gives the same operation. Milliseconds. */
  readonly deduplicateMs?: number;
  readonly pace?: {
    readonly intervalMs?: number;
    readonly minMs?: number;
    readonly maxMs?: number;
    /** Before the first look, where the answer to the submit says nothing of it. */
    readonly firstMs?: number;
    /** Where answers say when to look again, if not in Retry-After. `unit` is that of a bare number: seconds where absent. */
    readonly after?: { readonly header?: string; readonly at?: string; readonly unit?: 's' | 'ms' };
  };
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
