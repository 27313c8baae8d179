// What of a description this adapter keeps in the descriptor.

import type { BusyAnswers } from '../../src/core/busy.ts';
import type { StateConditions, StateFlags } from '../../src/core/description.ts';
import type { Descriptor } from '../../src/core/descriptor.ts';
import type { CompiledHelper } from '../../src/core/helper-request.ts';
import type { CompiledInput } from '../../src/core/input-helper.ts';
import type { CompiledLookup } from '../../src/core/lookup.ts';
import type { ProgressPlaces } from '../../src/core/progress.ts';
import type { ResultRules } from '../../src/core/result.ts';
import type { Sent } from '../../src/core/sent.ts';
import type { Meaning, StateWords } from '../../src/core/states.ts';
import type { CompiledStep } from '../../src/core/steps.ts';
import type { KeyPlaces } from '../../src/core/submission-key.ts';
import type { WishPlaces } from '../../src/core/wish.ts';

/** The adapter's compiled data: JSON, inside the descriptor. */
export interface Protocol {
  /** Lower case, in order. */
  readonly headers: readonly string[];
  /** The description named the headers: then each of them is taken at any status code. */
  readonly headersDescribed: boolean;
  readonly id?: string;
  readonly url?: string;
  readonly status?: CompiledHelper;
  readonly stateAt?: string;
  /** Lower case: the header that holds the word. */
  readonly stateHeader?: string;
  /** What its words begin with, normalised. */
  readonly prefix?: string;
  readonly words: StateWords;
  /** The second word, where the first is one of these. */
  readonly second?: { readonly when: readonly string[]; readonly at: string; readonly words: StateWords };
  readonly flags?: StateFlags;
  readonly conditions?: StateConditions;
  readonly errorAt?: string;
  /** By status code. */
  readonly codes?: Readonly<Record<string, Meaning | 'unreadable'>>;
  /** The job's address is that of its submit. */
  readonly self?: true;
  /** The submit's answers that are endings. */
  readonly sync?: { readonly codes?: readonly number[]; readonly at?: string };
  /** Answers to the submit that say "not now". */
  readonly busy?: BusyAnswers;
  /** How the status is asked where only the upstream says at which URL. */
  readonly asked?: { readonly method: string; readonly sent: Sent };
  /** The look as a long poll. */
  readonly wait?: { readonly holdMs: number; readonly method?: string; readonly helper?: CompiledHelper; readonly sent?: Sent };
  /** Appended to the status URL. */
  readonly append?: string;
  readonly follow?: {
    readonly at: string;
    readonly helper?: CompiledHelper;
    readonly append?: string;
    readonly when?: readonly string[];
  };
  /** Expressions whose values the requests after the submit need. */
  readonly remember?: readonly string[];
  readonly result: ResultRules & {
    readonly urlAt?: string;
    /** The result's own id, for its helper. */
    readonly idAt?: string;
    /** Lower case. */
    readonly header?: string;
    /** It is at the address that the submit wrote to; `first`: whatever else is named. */
    readonly self?: 'first' | 'else';
    readonly none: boolean;
    readonly helper?: CompiledHelper;
  };
  readonly messageAt?: string;
  readonly progress?: ProgressPlaces;
  /** Its URL is `{cancelUrl}` where only the upstream says it. */
  readonly cancel?: CompiledHelper;
  readonly cancelUrlAt?: string;
  /** Where the status says that it can be cancelled. */
  readonly allowedAt?: string;
  /** What the answer to a cancel is where the job is over. */
  readonly over?: readonly number[];
  readonly deletes: boolean;
  /** Where answers say when to look again. */
  readonly after?: WishPlaces;
  readonly input?: CompiledInput;
  /** What is sent after the submit. */
  readonly steps?: readonly CompiledStep[];
  readonly key?: KeyPlaces;
  /** `atStatus`: the address of the job, whose id is our key. */
  readonly lookup?: CompiledLookup & { readonly atStatus?: true };
  readonly duplicate?: { readonly status: number; readonly reference?: string };
}

/** Whether a look has no body, so that it is never the result itself. */
export const looksByHead = ({ asked, status }: Protocol): boolean => (asked ?? status)?.method === 'HEAD';

export const protocolOf = (descriptor: Descriptor): Protocol => descriptor.protocol as unknown as Protocol;
