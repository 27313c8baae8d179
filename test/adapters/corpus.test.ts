// Every recorded exchange of the corpora, judged again.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { adapters } from '../../adapters/index.ts';
import type { Adapter, Call, DueStep, RoundAnswers } from '../../src/core/adapter.ts';
import type { Descriptor } from '../../src/core/descriptor.ts';
import type { HttpRequest } from '../../src/core/http.ts';
import type { InputAnswer, InputRequest } from '../../src/core/input.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { Reference } from '../../src/core/operation.ts';
import { type Answer, callOf, compiled, deliveryOf, descriptorOf, type Event, type Job, responseOf } from './job.ts';

/** One exchange: what is asked (checked where `request` says), what comes back, and what it must be judged to be. */
interface Exchange {
  readonly ask: 'submit' | 'poll' | 'result' | 'cancel' | 'lookup' | 'input' | 'step' | 'wait' | 'event';
  /** Which of the steps that the last poll found due; the first where absent. */
  readonly step?: number;
  /** An event that comes by itself: then nothing is asked. */
  readonly event?: Event;
  /** To what the last poll asked. */
  readonly answers?: readonly InputAnswer[];
  /** `null`: there is nothing to ask. `later`: not now. */
  readonly request?:
    | null
    | 'later'
    | {
        readonly method?: string;
        readonly url?: string;
        readonly body?: string;
        readonly headers?: Readonly<Record<string, string>>;
        readonly security?: readonly string[];
      };
  readonly response?: Answer;
  /** In part. `{"$match": "…"}` is a regular expression. */
  readonly expect?: JsonObject;
  /** Members that must not be there. */
  readonly absent?: readonly string[];
}

interface Case {
  readonly description: string;
  readonly job: Job;
  readonly arguments?: JsonObject;
  readonly reference?: Reference;
  /** How the description compiles: in part. */
  readonly compiled?: JsonObject;
  readonly exchanges?: readonly Exchange[];
}

const CORPUS = join(import.meta.dirname, 'corpus');

function casesOf(adapter: Adapter, folder: string): readonly (readonly [file: string, entry: Case])[] {
  const place = join(CORPUS, adapter.id, folder);
  return readdirSync(place)
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) =>
      (JSON.parse(readFileSync(join(place, file), 'utf8')) as Case[]).map(
        (entry) => [file.replace('.json', ''), entry] as const,
      ),
    );
}

/** Expectations of a corpus as vitest's: parts of objects, and patterns. */
function expected(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(expected);
  if (typeof value !== 'object' || value === null) return value;
  if ('$match' in value) return expect.stringMatching(new RegExp(String(value.$match)));
  return expect.objectContaining(Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expected(item)])));
}

interface State {
  readonly adapter: Adapter;
  readonly descriptor: Descriptor;
  readonly call: Call;
  reference: Reference | undefined;
  given: RoundAnswers | undefined;
  due: readonly DueStep[];
  step: number;
}

const job = (state: State): Reference => {
  if (state.reference === undefined) throw new Error('no reference is held: the corpus asks too early');
  return state.reference;
};

type Asked = Exclude<Exchange['ask'], 'event'>;

const REQUESTS: Record<Asked, (state: State) => HttpRequest | 'later' | undefined> = {
  submit: ({ adapter, call, descriptor }) => adapter.submit(call, descriptor),
  poll: (state) => state.adapter.poll?.(job(state), state.descriptor),
  wait: (state) => state.adapter.poll?.(job(state), state.descriptor, { wait: true }),
  result: (state) => state.adapter.fetchResult?.(job(state), state.descriptor),
  cancel: (state) => state.adapter.cancel?.(job(state), state.descriptor),
  lookup: ({ adapter, call, descriptor }) => adapter.lookup?.(call, descriptor),
  step: (state) => {
    const due = state.due[state.step];
    return due && state.adapter.step?.(due, job(state), state.call.arguments, state.descriptor)?.request;
  },
  input: (state) => state.given && state.adapter.provideInput?.(job(state), state.given, state.descriptor),
};

function judge(ask: Asked, state: State, answer: Answer, url: string): { readonly reference?: Reference } {
  const { adapter, descriptor, call } = state;
  const response = responseOf(answer, url);
  const judgement = {
    submit: () => adapter.judgeSubmit(response, descriptor, call),
    poll: () => adapter.judgePoll?.(response, descriptor, job(state)),
    wait: () => adapter.judgePoll?.(response, descriptor, job(state)),
    result: () => adapter.judgeResult?.(response, descriptor, job(state)),
    cancel: () => adapter.judgeCancel?.(response, descriptor),
    lookup: () => adapter.judgeLookup?.(response, descriptor, call),
    input: () => adapter.judgeInput?.(response, descriptor),
    step: () => adapter.judgeStep?.(response, descriptor),
  }[ask]();
  if (judgement === undefined) throw new Error(`${adapter.id} does not judge a ${ask}`);
  return judgement as { readonly reference?: Reference };
}

function hear({ adapter, descriptor, call, reference }: State, event: Event): { readonly reference?: Reference } {
  const awaiting = { arguments: call.arguments, ...(reference && { reference }) };
  const read = adapter.readDelivery?.(deliveryOf(event), descriptor, awaiting);
  if (read === undefined) throw new Error(`${adapter.id} does not read deliveries`);
  return read as { readonly reference?: Reference };
}

/** As the fold does: newer members win, and none is removed. */
function merged(held: Reference | undefined, learned: Reference | undefined): Reference | undefined {
  return learned === undefined ? held : { ...held, ...learned, extra: { ...held?.extra, ...learned.extra } };
}

function replay(adapter: Adapter, entry: Case): void {
  const descriptor = descriptorOf(adapter, entry.job);
  const state: State = {
    adapter,
    descriptor,
    call: callOf(descriptor, entry.arguments),
    reference: entry.reference,
    given: undefined,
    due: [],
    step: 0,
  };
  for (const { ask, event, answers, step = 0, request, response, expect: wanted = {}, absent = [] } of entry.exchanges ?? []) {
    if (ask === 'event') {
      const read = hear(state, event ?? {});
      expect(read).toEqual(expected(wanted));
      for (const member of absent) expect(read).not.toHaveProperty([member]);
      state.reference = merged(state.reference, read.reference);
      continue;
    }
    if (answers !== undefined) state.given = { questions: state.given?.questions ?? [], answers };
    state.step = step;
    const asked = REQUESTS[ask](state);
    if (request === null) expect(asked).toBeUndefined();
    if (typeof request === 'string' || asked === 'later') {
      expect(asked).toBe(request);
      continue;
    }
    if (request === null) continue;
    else if (request !== undefined) {
      const { headers = {}, ...rest } = request;
      expect(asked).toEqual(expected(rest));
      const sent = Object.fromEntries((asked?.headers ?? []).map(([name, value]) => [name.toLowerCase(), value]));
      expect(sent).toMatchObject(
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
      );
    }
    if (response === undefined) continue;
    const judgement = judge(ask, state, response, asked?.url ?? 'https://jobs.example.com/');
    expect(judgement).toEqual(expected(wanted));
    for (const member of absent) expect(judgement).not.toHaveProperty([member]);
    state.reference = merged(state.reference, judgement.reference);
    const { request: input, steps } = judgement as { readonly request?: InputRequest; readonly steps?: readonly DueStep[] };
    if (ask === 'poll') state.due = steps ?? [];
    if (input !== undefined && ask === 'poll') state.given = { questions: input.questions, answers: [] };
  }
}

describe.each(adapters.map((adapter) => [adapter.id, adapter] as const))('%s', (_id, adapter) => {
  test.each(casesOf(adapter, '').map(([file, entry]) => [`${file}: ${entry.description}`, entry] as const))(
    '%s',
    (_name, entry) => {
      if (entry.compiled !== undefined) expect(compiled(adapter, entry.job)).toEqual(expected(entry.compiled));
      replay(adapter, entry);
      expect.hasAssertions();
    },
  );
});

describe.each(adapters.map((adapter) => [adapter.id, adapter] as const))('%s refuses', (_id, adapter) => {
  test.each(casesOf(adapter, 'reject').map(([file, entry]) => [`${file}: ${entry.description}`, entry] as const))(
    '%s',
    (_name, entry) => {
      if (entry.compiled !== undefined)
        expect(compiled(adapter, entry.job)).toEqual(expected({ refused: true, ...entry.compiled }));
      else replay(adapter, entry);
      expect.hasAssertions();
    },
  );
});
