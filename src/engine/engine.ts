// The engine as its callers see it: contracts, the HTTP edge and the command line. How it works is in the files beside this one.

import type { Descriptor } from '../core/descriptor.ts';
import type { Measured, SupportMove } from '../core/durations.ts';
import type { Gate, GateChange, GateMode, GatePlace, GateVerdict } from '../core/gates.ts';
import type { Door, OperationId, Principal } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { DueWork, Operation } from '../core/operation.ts';
import type { UnreadLooks } from '../core/operator-view.ts';
import type { Ending, Payload, Receipt } from '../core/outcome.ts';
import type { JobTool, TaskSupport, Tool } from '../core/tool.ts';
import type { Delivery, WebhookRules } from '../core/webhook.ts';
import type { Fault } from '../errors.ts';
import type { GateExpectation, ShadowAnswer, ShadowRow } from '../ledger/gates.ts';
import type { OperationFilter, OutboxRow, Page, StoredEvent } from '../ledger/ledger.ts';

/** An operation together with what its readers need: everything a contract projects. */
export interface OperationView {
  readonly operation: Operation;
  /** The accepted result or error body; absent while live and for endings without a value. */
  readonly payload?: Payload;
  /** Absent where the tool has left the catalogue since. */
  readonly tool?: Tool;
  /** What clients are asked to wait between reads, in milliseconds. */
  readonly pollIntervalMs: number;
}

export interface StartCall {
  readonly tool: JobTool;
  readonly arguments: JsonObject;
  readonly principal: Principal;
  readonly door: Door;
  readonly callerKey?: string;
  /** What the client asked to keep the task for; clamped. */
  readonly ttlMs?: number;
  /** How the gates judged this call; absent: they are asked for its door. */
  readonly ruling?: Ruling;
}

/** What the gates must know of a call. */
export type JudgedCall = Pick<StartCall, 'tool' | 'arguments' | 'principal' | 'callerKey'>;

/** `aside`: to be handled as a call without Tasks. `gate` is the one that decides, where one does. */
export interface Ruling {
  readonly mode: GateVerdict['mode'];
  readonly gate?: Gate;
  /** What the creation expects of its gates. */
  readonly expected: readonly GateExpectation[];
}

/** A gate, or a place that none was ever changed for. */
export interface GateStanding extends GatePlace, Partial<Pick<Gate, 'share' | 'reason' | 'actor' | 'since' | 'epoch'>> {
  readonly mode: GateMode;
  /** Operations that live, of those it is about. */
  readonly live: number;
}

/** Which calls may start operations, and why not. */
export interface GateDesk {
  /** Judges a call through each of these doors; the strictest verdict holds. */
  judge(call: JudgedCall, through: readonly [Door, ...Door[]]): Promise<Ruling>;
  /** Every gate that was ever changed, as far as is known here. */
  current(): readonly Gate[];
  /** Every adapter × contract, and what is narrower. */
  list(): Promise<readonly GateStanding[]>;
  /** Throws ARGUMENTS_INVALID where there is nothing of what is named, or the share does not fit. */
  change(change: GateChange): Promise<Gate>;
  /** Changes, newest first, before an epoch. */
  history(options: { readonly before?: number; readonly limit: number }): Promise<readonly Gate[]>;
  /** What callers were answered past their operations, and what those came to. Newest first. */
  shadows(limit: number): Promise<readonly ShadowRow[]>;
  /** Called after every change; returns how to stop. */
  subscribe(listener: () => void): () => void;
}

export type Started =
  /** Durable. `view` is as it was when the grace ended: often still live, sometimes already ended. */
  | {
      readonly kind: 'operation';
      readonly view: OperationView;
      readonly existing: boolean;
      /** With a ruling of `shadow`: the upstream's own answer to the submit, where there was one. */
      readonly answer?: CallOutcome;
    }
  /** Nothing was started. Without a gate: the gates have moved since they were asked, and are to be asked again. */
  | { readonly kind: 'gated'; readonly gate?: Gate }
  | { readonly kind: 'invalid'; readonly faults: readonly Fault[] }
  /** The caller's key names an operation with other arguments. */
  | { readonly kind: 'conflict'; readonly earlier: OperationId };

/** What a synchronous tool gave back. `failed`: the upstream said no, or could not be reached; `message` is for the model. */
export type CallOutcome =
  | { readonly kind: 'answered'; readonly payload?: Payload; readonly status: number }
  | { readonly kind: 'failed'; readonly payload?: Payload; readonly message: string; readonly status?: number }
  | { readonly kind: 'invalid'; readonly faults: readonly Fault[] };

export type Cancelled =
  /** Recorded (or recorded before). `view` is after it. */
  | { readonly kind: 'recorded'; readonly view: OperationView }
  /** It had ended: nothing was recorded. */
  | { readonly kind: 'ended'; readonly view: OperationView };

/** What became of each answer, by its key. `not_open`: nobody waits for it (any more). */
export type AnswerVerdicts = ReadonlyMap<string, AnswerVerdict>;
export type AnswerVerdict =
  | { readonly kind: 'taken' }
  | { readonly kind: 'not_open' }
  /** The question stays open; `why` is for people. */
  | { readonly kind: 'not_taken'; readonly why: string };

export interface Answered {
  readonly view: OperationView;
  readonly verdicts: AnswerVerdicts;
}

/** A verified event, and what it is recognised by among all events of its upstream. */
export interface CallbackEvent {
  readonly eventKey: string;
  readonly delivery: Delivery;
}

/** What arrives at callback URLs. */
export interface Callbacks {
  /** By which rules a callback URL is answered; `undefined` for one that was never given out, or whose operation is gone. */
  rulesFor(upstream: string, token: string): Promise<WebhookRules | undefined>;
  /**
   * Takes verified events: durable when this resolves. `duplicate`: all were known. `full`: too many wait already, and the
   * sender should come again.
   */
  receive(upstream: string, token: string, events: readonly CallbackEvent[]): Promise<'stored' | 'duplicate' | 'full'>;
}

/** Who does something by hand, and why: recorded with it. */
export interface Word {
  readonly actor: string;
  readonly reason: string;
}

/** What an operator knows of a job whose fate the gateway could not find out. */
export type Verdict =
  /** The upstream has it: by its id or its status URL. It is followed from there. */
  | { readonly kind: 'found'; readonly job: string }
  /** No job was ever created. Ends the operation; never resubmits it. */
  | { readonly kind: 'never' }
  /** It ended so. */
  | { readonly kind: 'result'; readonly ending: Ending; readonly result?: Payload }
  /** Nobody will ever know. */
  | { readonly kind: 'give_up' }
  /** The operation has ended; this became of the job. */
  | { readonly kind: 'effects'; readonly finding: string };

export interface Settlement extends Word {
  readonly verdict: Verdict;
}

/** `refused`: the verdict does not apply as the operation stands; `why` is for people, and nothing was recorded. */
export type Settled =
  | { readonly kind: 'settled'; readonly view: OperationView }
  | { readonly kind: 'refused'; readonly why: string; readonly view: OperationView };

/** Everything about one operation, for operators. */
export interface Inspection {
  readonly view: OperationView;
  /** What it runs by. */
  readonly descriptor: Descriptor;
  readonly history: readonly StoredEvent[];
  readonly work: readonly DueWork[];
  /** What the caller was answered while the operation was only tracked. */
  readonly shadow?: ShadowAnswer;
  /** The last looks at a job that is still followed, where none of them could be read. */
  readonly unread?: UnreadLooks;
}

/** Why a receipt may be believed. */
export interface Trace {
  readonly operation: Operation;
  readonly descriptor: Descriptor;
  readonly receipt: Receipt;
  /** The event that ended the operation. */
  readonly ending?: StoredEvent;
  /** The observations that were accepted. Empty where nothing was observed: a cancel of what never began, a deadline. */
  readonly evidence: readonly StoredEvent[];
  /** What was read again and compared just now, as sentences. */
  readonly checks: readonly { readonly what: string; readonly holds: boolean }[];
}

/** What a tool says about Tasks, and why. */
export interface SupportStanding {
  readonly tool: string;
  readonly upstream: string;
  readonly adapter: string;
  readonly taskSupport: TaskSupport;
  readonly why: string;
  /** Measured durations move it: nobody described or pinned it. */
  readonly moves: boolean;
  /** Absent while too few jobs of it have succeeded. */
  readonly measured?: Measured;
}

/** What tools say about Tasks, as far as measured durations have moved it. */
export interface SupportDesk {
  /** The tool as it is to be shown and admitted now. */
  of(tool: JobTool): JobTool;
  /** Every job, as it stands now. */
  list(): readonly SupportStanding[];
  /** What has moved, newest first, before a position. */
  moves(options: { readonly before?: number; readonly limit: number }): Promise<readonly SupportMove[]>;
  /** Called after every move; returns how to stop. */
  subscribe(listener: () => void): () => void;
}

/** What synchronous calls gave that is too large to be shown. */
export interface Shelf {
  /** Keeps it for about a day, and gives the name under which its caller, and nobody else, reads it. */
  keep(payload: Payload, principal: Principal): Promise<string>;
  /** `undefined` for unknown, expired and foreign names alike. */
  read(name: string, principal: Principal): Promise<Payload | undefined>;
}

export interface Engine {
  /** Starts one operation: written before sent. Waits a short grace for a refusal or a quick end. */
  start(call: StartCall): Promise<Started>;
  /** Passes a synchronous call through. Never throws for what an upstream does. */
  call(
    tool: Tool & { readonly kind: 'call' },
    args: JsonObject,
    principal: Principal,
    signal: AbortSignal,
  ): Promise<CallOutcome>;
  readonly shelf: Shelf;

  /** `undefined` for unknown, expired and foreign ids alike. Never causes a poll. */
  read(id: OperationId, principal: Principal): Promise<OperationView | undefined>;
  list(principal: Principal, options: { readonly cursor?: string; readonly limit: number }): Promise<Page<OperationView>>;
  /** Waits until the operation has ended (or shows anything new, with `until: 'change'`), the time is over, or `signal` aborts. */
  wait(
    id: OperationId,
    principal: Principal,
    options: {
      readonly until: 'end' | 'change';
      readonly afterSeq?: number;
      readonly timeoutMs: number;
      readonly signal?: AbortSignal;
    },
  ): Promise<OperationView | undefined>;
  /** Cancel by the policy of the door it came through. Decided inside the same compare-and-set that records it. */
  cancel(id: OperationId, principal: Principal, options: { readonly sticky: boolean }): Promise<Cancelled | undefined>;

  /**
   * Gives input: by the key of an open question, `{action, content}` as elicitation spells it. The first answer to a key
   * counts. Durable when this resolves; the service gets it afterwards.
   */
  answer(id: OperationId, principal: Principal, given: JsonObject): Promise<Answered | undefined>;

  /** Absent where no upstream calls back. */
  readonly callbacks?: Callbacks;
  /** Absent: every gate is open. */
  readonly gates?: GateDesk;
  /** Absent: what tools say about Tasks does not move. */
  readonly support?: SupportDesk;

  /** For operators: any principal. */
  inspect(id: OperationId): Promise<Inspection | undefined>;
  search(filter: OperationFilter, options: { readonly cursor?: string; readonly limit: number }): Promise<Page<Operation>>;
  /** Records what an operator knows. `undefined`: no such operation is kept. */
  settle(id: OperationId, settlement: Settlement): Promise<Settled | undefined>;
  /** Asks the upstream to stop, whoever's operation it is; the job may still complete. */
  cancelByOperator(id: OperationId, word: Word): Promise<Cancelled | undefined>;
  /** `undefined`: no such receipt is kept. */
  trace(receiptId: string): Promise<Trace | undefined>;
  /** Receipts in the order they were written, after a position: at least once, to whoever listens. */
  outbox(after: number, limit: number): Promise<readonly OutboxRow[]>;

  /** Called after every commit of this process; returns how to stop. */
  subscribe(listener: (operation: Operation) => void): () => void;
  /** Whether the engine can take work: what /readyz asks. */
  ready(): Promise<{ readonly ok: boolean; readonly why?: string }>;
  /** Begins to work on what is due. Regenerates due work first. */
  run(): Promise<void>;
  /** Takes no new work, lets exchanges on the wire finish (bounded), then resolves. */
  drain(timeoutMs: number): Promise<void>;
}
