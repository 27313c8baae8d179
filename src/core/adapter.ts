// The seam to one upstream job protocol. An adapter is pure questions and pure judgements: it builds an HTTP request and
// reads an HTTP response. It opens no socket, reads no clock, and never touches the ledger. Numbered rules:
//   A1. A method that is present is a capability; its absence is declared nowhere else.
//   A2. A judgement never invents: what can't be read is `unreadable` or `ambiguous`, with a reason for people.
//   A3. URLs named by an upstream are resolved against the request (RFC 3986 §5), kept byte-exact, and followed only to
//       `descriptor.allowedOrigins`.
//   A4. Ids and numbers keep their digits (core/json.ts).

import type { JobDescription } from './description.ts';
import type { Descriptor, Traits } from './descriptor.ts';
import type { HttpRequest, HttpResponse } from './http.ts';
import type { ContractId } from './ids.ts';
import type { InputAnswer, InputRequest, Question } from './input.ts';
import type { Joint } from './joined.ts';
import type { Json, JsonObject } from './json.ts';
import type { Progress, Reference } from './operation.ts';
import type { Ending, Payload } from './outcome.ts';
import type { Counted } from './pages.ts';
import type { RequestTemplate } from './request.ts';
import type { RetryAfter } from './retry-after.ts';
import type { EpochMs } from './time.ts';
import type { Delivery } from './webhook.ts';

/** An operation of the document, resolved: what an adapter compiles from. */
export interface OpenApiOperation {
  readonly method: string;
  readonly path: string;
  readonly operationId?: string;
  /** JSON Pointer of the operation in its document. */
  readonly pointer: string;
  /** The operation object, `$ref`s of responses, headers, links and callbacks resolved one level. */
  readonly object: JsonObject;
  /** How this operation is called, compiled. */
  readonly request: RequestTemplate;
  /** Another operation of the same document, compiled, by operationId or by `METHOD /path`. */
  related(name: string): OpenApiOperation | undefined;
}

/** Why an operation can't be compiled: what, where, and the way out. */
export interface Refusal {
  readonly refused: true;
  readonly pointer: string;
  readonly reason: string;
  readonly mend: string;
}

export interface Compiled {
  /** The adapter's own data, JSON: kept in the descriptor. */
  readonly protocol: Json;
  /** What the protocol can do. Timing and the tries are the catalogue's. */
  readonly traits: Pick<Traits, 'status' | 'lookup' | 'cancel' | 'deduplicates' | 'waits'>;
  /** Operations of the document that only serve this job: they are not tools of their own. */
  readonly helpers: readonly string[];
}

/** What the engine gives for one call. */
export interface Call {
  /** The rendered submit request, without anything of the adapter's. */
  readonly request: HttpRequest;
  /** The caller's; where the submission key stands in the path, it is one of them. */
  readonly arguments: JsonObject;
  readonly submissionKey: string;
}

export type SubmitJudgement =
  | {
      readonly kind: 'accepted';
      readonly reference: Reference;
      readonly progress?: Progress;
      readonly retryAfter?: RetryAfter;
      /** It may wait for a step of ours: it is looked at, at once. */
      readonly waits?: true;
    }
  | {
      readonly kind: 'finished';
      readonly ending: Ending;
      readonly reference?: Reference;
      readonly result?: Payload;
      readonly message?: string;
    }
  | { readonly kind: 'rejected'; readonly result?: Payload; readonly message: string }
  | { readonly kind: 'throttled'; readonly retryAfter?: RetryAfter; readonly message: string }
  /** `retryAfter`: where it may be sent again, not before. */
  | { readonly kind: 'ambiguous'; readonly retryAfter?: RetryAfter; readonly message: string };

export type Observation =
  | {
      readonly kind: 'working';
      readonly reference?: Reference;
      readonly progress?: Progress;
      /** The raw word, where the descriptor knows no meaning for it. */
      readonly unknownWord?: string;
      readonly retryAfter?: RetryAfter;
      /** What it waits for us to send, in order. */
      readonly steps?: readonly DueStep[];
    }
  | {
      readonly kind: 'input';
      readonly reference?: Reference;
      readonly request?: InputRequest;
      readonly retryAfter?: RetryAfter;
    }
  /** `result`: inline. Absent with `fetch: true`: ask fetchResult. Absent with `fetch: false`: an ending without a value. */
  | {
      readonly kind: 'ended';
      readonly ending: Ending;
      readonly reference?: Reference;
      readonly result?: Payload;
      readonly fetch: boolean;
      readonly message?: string;
    }
  | { readonly kind: 'missing'; readonly message: string }
  /** Could not be read: says nothing about the job. */
  | { readonly kind: 'unreadable'; readonly message: string; readonly retryAfter?: RetryAfter };

export type ResultJudgement =
  | { readonly kind: 'read'; readonly result?: Payload }
  /**
   * A part of it, with the requests that get the others. `all`: they are all that there are, whatever their answers name.
   * Without `page` the answer only named the parts.
   */
  | {
      readonly kind: 'page';
      readonly page?: Payload;
      readonly next: readonly HttpRequest[];
      readonly all?: true;
      /** The next one is asked for by a number. */
      readonly counted?: Counted;
      readonly joint: Joint;
    }
  /** Another request is needed to get it (a redirect to a download). */
  | { readonly kind: 'elsewhere'; readonly request: HttpRequest }
  /** `stale`: the URL that the upstream named may have run out, and the status may name a fresh one. */
  | {
      readonly kind: 'unreadable';
      readonly message: string;
      readonly permanent: boolean;
      readonly retryAfter?: RetryAfter;
      readonly stale?: true;
    };

export type CancelJudgement =
  | { readonly kind: 'confirmed' | 'asked' | 'unsupported' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'unanswered'; readonly message: string; readonly retryAfter?: RetryAfter };

/** What the service says to an answer. `taken`: it has it. `refused`: this answer will not do, and another is wanted. */
export type InputJudgement = { readonly kind: 'taken' } | { readonly kind: 'refused' | 'unanswered'; readonly message: string };

/** A round's questions and their answers, in the same order. */
export interface RoundAnswers {
  readonly questions: readonly Question[];
  readonly answers: readonly InputAnswer[];
}

/** A step that a job waits for, and its URL where the status named it. */
export interface DueStep {
  readonly index: number;
  readonly url?: string;
}

/** What the service says to a step. */
export type StepJudgement =
  | { readonly kind: 'taken' }
  /** `mayBeOver`: it may say so of a step that was taken already. */
  | { readonly kind: 'refused'; readonly message: string; readonly result?: Payload; readonly mayBeOver?: true }
  /** `mayBeTaken`: nobody can say, but the next look. */
  | { readonly kind: 'unanswered'; readonly message: string; readonly mayBeTaken: boolean; readonly retryAfter?: RetryAfter };

export type LookupJudgement =
  | { readonly kind: 'found'; readonly reference: Reference }
  | { readonly kind: 'never_created' }
  /** `unreadable`: the answer is not of the described form, rather than no proof. */
  | {
      readonly kind: 'cannot_tell';
      readonly message: string;
      readonly unreadable?: true;
      readonly retryAfter?: RetryAfter;
    };

/** What an adapter knows of the operation that a delivery is for. */
export interface Awaiting {
  /** Absent while the answer to the submit is not there. */
  readonly reference?: Reference;
  readonly arguments: JsonObject;
}

/** What a verified delivery says. */
export type DeliveryReading = {
  /** The event's own time, where it says. */
  readonly happenedAt?: EpochMs;
} & (
  | Extract<Observation, { kind: 'working' | 'ended' | 'unreadable' }>
  /** Look for yourself. `reference`: the job that it names. */
  | { readonly kind: 'hint'; readonly reference?: Reference }
  /** It came among events of other jobs, and nobody knows yet which of them is ours. */
  | { readonly kind: 'undecided' }
  /** It is about another job. */
  | { readonly kind: 'stranger'; readonly message: string }
);

export interface Adapter {
  /** `http-202` */
  readonly id: string;
  readonly version: number;
  /** Tasks contracts that this adapter has been qualified against. */
  readonly contracts: readonly ContractId[];
  compile(source: OpenApiOperation, description: JobDescription, allowedOrigins: readonly string[]): Compiled | Refusal;

  submit(call: Call, descriptor: Descriptor): HttpRequest;
  judgeSubmit(response: HttpResponse, descriptor: Descriptor, call: Call): SubmitJudgement;
  /** `wait`: as a long poll, where one is described; that request has a `holdMs`. */
  poll?(reference: Reference, descriptor: Descriptor, how?: { readonly wait: true }): HttpRequest;
  judgePoll?(response: HttpResponse, descriptor: Descriptor, reference: Reference): Observation;
  /**
   * `undefined`: there is nothing to ask, and asking again can't help. Where an upstream named a URL that may not be followed,
   * `reference.extra.resultRefused` is the sentence that says so, for people.
   */
  fetchResult?(reference: Reference, descriptor: Descriptor): HttpRequest | undefined;
  judgeResult?(response: HttpResponse, descriptor: Descriptor, reference: Reference): ResultJudgement;
  /** `undefined`: this job can't be cancelled (no URL was given). `later`: it says that it can't be now. */
  cancel?(reference: Reference, descriptor: Descriptor): HttpRequest | 'later' | undefined;
  judgeCancel?(response: HttpResponse, descriptor: Descriptor): CancelJudgement;
  lookup?(call: Call, descriptor: Descriptor): HttpRequest | undefined;
  judgeLookup?(response: HttpResponse, descriptor: Descriptor, call: Call): LookupJudgement;
  /** The request of a step; `repeats`: it may be sent twice. `undefined`: this step is left out. */
  step?(
    due: DueStep,
    reference: Reference,
    args: JsonObject,
    descriptor: Descriptor,
  ): { readonly request: HttpRequest; readonly repeats: boolean } | undefined;
  judgeStep?(response: HttpResponse, descriptor: Descriptor): StepJudgement;
  /** `undefined`: this job can't be given input (no URL can be made). */
  provideInput?(reference: Reference, given: RoundAnswers, descriptor: Descriptor): HttpRequest | undefined;
  judgeInput?(response: HttpResponse, descriptor: Descriptor): InputJudgement;
  /**
   * The reference of the job that a person names by its id or URL, as the upstream would have given it; else why it can't be
   * followed, as a clause ("the origin … is not allowed"). Without it a named job is only an id.
   */
  referenceOf?(named: string, call: Call, descriptor: Descriptor): Reference | string;
  /** Only where the descriptor has a webhook. An adapter without it can be hurried by deliveries, and learns nothing from them. */
  readDelivery?(delivery: Delivery, descriptor: Descriptor, awaiting: Awaiting): DeliveryReading;
}

/** `http-202@1` */
export const adapterName = (adapter: Pick<Adapter, 'id' | 'version'>): string => `${adapter.id}@${adapter.version}`;
