// The page about the operation's machine, made from its table: rows with reasons, diagrams, due work and deadlines.

import type { Traits } from '../src/core/descriptor.ts';
import { dueWork, open } from '../src/core/machine.ts';
import type { Creation, Operation } from '../src/core/operation.ts';
import * as table from '../src/core/transitions.ts';

/** Where the page is. */
export const MACHINE_PAGE = 'docs/generated/operation-machine.md';

type AnyRow = table.Row<string>;

/** What a guard asks. */
const GUARDS: Readonly<Record<table.GuardName, string>> = {
  live: 'the operation has not ended',
  working: 'life is WORKING',
  wasSent: 'at least one submit was begun',
  current: 'the event answers the present attempt, or is not about an attempt',
  sole: '`current`, and no earlier attempt may have been received either',
  mayResubmit: 'the upstream deduplicates by our key and still remembers it, no cancel was recorded, and attempts are left',
  proof: 'the lookup is authoritative and began after the horizon',
  thoughtAbsent: 'ended, and thought to have left no job behind',
  namesAnotherJob: 'the event carries a reference whose id is not that of ours, or ours is another call’s by now',
  namesNoOther: 'the event carries no reference, or one whose id is ours',
  isShared: 'the upstream gave the job to another operation as well',
  wasGone:
    'to the same call: the job was seen to be gone; to a call with other arguments also: not seen at the last look, ended with its result unread, or a delete of ours was sent',
  hasReference: 'a reference is held',
  noStatus: 'the upstream has no status endpoint: answers and deliveries are themselves the evidence',
  fresh: 'the read began after the last change of life, input, attempt or cancellation',
  mayFollow: 'the wait budget is not over, and no ending was seen',
  listens: 'life goes where this look says: early and sent, or running and `fresh`, or reconciling, `fresh` and `mayFollow`',
  newRound: 'the question is of a later round than ours',
  sameRound: 'the event is of our round',
  awaitsAnswer: '`sameRound`, and the answer is ANSWERED or SENT',
  answersRound: '`sameRound`, and the round is OPEN',
  leavesOpen: 'it answers some of the round’s questions, and others are open',
  sawEnding: 'an ending was seen',
  contradicts: 'an ending was seen, and another one than this',
  agrees: 'not `contradicts`',
  endedCancelled: 'the ending is cancelled',
  resultLost: 'an ending was seen, its result is out of reach for good, and this evidence does not bring it',
  fetchLeft: 'the fetch may be tried again: it is not out of reach, and tries are left',
  ready: 'the result is held, or the ending is cancelled and has none',
  notCancelled: 'no cancel was recorded',
  cancelRecorded: 'a cancel was recorded, whatever became of it',
  sticky: 'the cancel came through a contract that promises it at once',
  cancelLeft: 'the cancel may be sent again',
  deletedByCancel: '`fresh`, the cancel deletes the job, and ours may have arrived',
};

/** What is done, and when it is due. */
const WORK: Readonly<Record<table.WorkKind, readonly [does: string, due: string]>> = {
  submit: ['records `submit_started`, then sends', 'at once; later after a throttle or a doubtful attempt'],
  suspect: ['records `lease_ended`: whoever sent is gone', "at the end of the submit's lease"],
  lookup: ['asks whether our key made a job', 'at once, then paced; right after the horizon at the latest'],
  poll: ['reads the status', 'as paced; at once after a webhook, a cancel answer, or a new doubt'],
  fetch: ['reads the result', 'at once; later after a bad one'],
  accept: ['records `accept`: the receipt', 'at once'],
  answer: ["records `answer_sent`, then sends the caller's answer", 'at once'],
  cancel: ['records `cancel_sent`, then sends', 'at once; later if unanswered'],
  cancel_suspect: ['records `cancel_unanswered`: whoever sent is gone', "at the end of the cancel's lease"],
  budget: [
    'records `budget_over`',
    'at the end of the wait budget; while queued of the time to start, if sooner; of the stay of an unknown status word, if sooner',
  ],
  window: ['records `window_over`', 'at the end of the reconcile window; at once where nothing automatic can settle the doubt'],
  effects: ['records `effects_over`: an operator takes over', 'at the end of the effects window'],
};

/** Moves that follow from where life went, by machine. */
const BY_RULE: Readonly<Record<table.MachineName, readonly string[]>> = {
  life: [],
  cancellation: [],
  effects: ['NONE --> REQUIRED : an ending', 'NONE --> SETTLED : an ending'],
  input: ['OPEN --> CLOSED : life goes elsewhere', 'ANSWERED --> CLOSED : an ending', 'SENT --> CLOSED : an ending'],
};

const GROUPS: readonly (readonly [name: string, members: readonly string[], meaning: string])[] = [
  ['early', table.EARLY, 'no reference is held yet'],
  ['followed', table.FOLLOWED, 'a job is followed'],
  ['doubt', table.DOUBT, 'a job may exist, and we have no reference'],
  ['run', table.RUN, 'the job goes on'],
  ['unsure', table.UNSURE, 'waiting for evidence, a deadline or an operator'],
  ['live', table.LIVE, 'everything that has not ended'],
  ['any observation', table.OBSERVATIONS, 'whatever an upstream said or showed'],
];

/** The whole page, Markdown. */
export function generateMachinePage(): string {
  return [
    '# The operation machine',
    '<!-- Generated by `npm run generate` from src/core/transitions.ts. Edit that. -->',
    [
      'Four small machines run side by side. An event takes, in each, the first row whose state, event and guards all hold; all rows are',
      'chosen on the operation as it was. `=` stays, and may still change facts. An observation without a row is *late* (kept, and changes',
      'nothing) or *refused* (impossible); an own event without a row is a bug. Names of groups:',
    ].join('\n'),
    grid(
      ['group', 'members', 'meaning'],
      GROUPS.map(([name, members, meaning]) => [name, codes(members), meaning]),
    ),
    ...Object.entries(table.MACHINES).flatMap(([name, { states, rows }]) =>
      machineSection(name as table.MachineName, states, rows),
    ),
    '## Rules without rows',
    table.RULES.map((rule) => `- ${rule}`).join('\n'),
    '## Guards',
    grid(
      ['guard', 'is true when'],
      Object.entries(GUARDS).map(([name, text]) => [code(name), text]),
    ),
    '## Due work and deadlines',
    'A function of the operation and of what its protocol can do, and of nothing else: it is derived again after any crash.',
    grid(['life', 'always due', 'due where it applies'], table.LIFE.map(dueRow)),
    grid(
      ['work', 'does', 'is due'],
      table.WORK.map((kind) => [code(kind), ...WORK[kind]]),
    ),
  ]
    .join('\n\n')
    .concat('\n');
}

function machineSection(name: table.MachineName, states: readonly string[], rows: readonly AnyRow[]): readonly string[] {
  return [
    `## ${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    diagram(name, states, rows),
    grid(
      ['from', 'event', 'if', 'to', 'facts', 'why'],
      rows.map(([from, on, guards, to, facts, why]) => [
        grouped(from),
        grouped(on),
        codes(guards),
        code(to),
        codes(facts),
        why,
      ]),
    ),
  ];
}

/** Every move between two different states, labelled with the events that make it. Groups of states are drawn member by member. */
function diagram(name: table.MachineName, states: readonly string[], rows: readonly AnyRow[]): string {
  const edges = new Map<string, Set<string>>();
  for (const [from, on, , to] of rows) {
    const events = typeof on === 'string' ? [on] : on === table.OBSERVATIONS ? ['another job is named'] : on;
    for (const state of from.filter((state) => to !== '=' && state !== to)) {
      const edge = `${state} --> ${to}`;
      edges.set(edge, new Set([...(edges.get(edge) ?? []), ...events]));
    }
  }
  const lines = [...edges].map(([edge, events]) => `  ${edge} : ${[...events].join(', ')}`);
  return [
    '```mermaid',
    'stateDiagram-v2',
    `  [*] --> ${states[0]}`,
    ...lines,
    ...BY_RULE[name].map((edge) => `  ${edge}`),
    '```',
  ].join('\n');
}

/** Derived by asking: which kinds are due for every, and which for some, operation and protocol in this life. */
function dueRow(life: table.Life): readonly string[] {
  const sets = [...variants(life)].map(([operation, traits]) => dueWork(operation, traits).map(({ kind }) => kind));
  const always = table.WORK.filter((kind) => sets.every((kinds) => kinds.includes(kind)));
  const sometimes = table.WORK.filter((kind) => !always.includes(kind) && sets.some((kinds) => kinds.includes(kind)));
  return [code(life), codes(always), codes(sometimes)];
}

/** Operations in this life that differ in whatever due work may depend on. */
function* variants(life: table.Life): Generator<readonly [Operation, Traits]> {
  const isFollowed = (table.FOLLOWED as readonly string[]).includes(life);
  const isEnded = (table.FINAL as readonly string[]).includes(life);
  const hasEnding = life === 'TERMINAL_OBSERVED' || life === 'NEEDS_RECONCILIATION';
  for (const isCapable of [true, false]) {
    const traits = { ...TRAITS, status: isCapable, lookup: isCapable, deduplicates: isCapable };
    const opened = open({ type: 'created', at: 0, creation: CREATION }, traits);
    for (const isReferenced of isFollowed ? [true] : isEnded ? [true, false] : [false]) {
      for (const cancellation of isReferenced ? table.CANCELLATION : (['NONE'] as const)) {
        for (const input of life === 'WORKING' ? table.INPUT : (['NONE'] as const)) {
          for (const effects of isEnded ? table.EFFECTS : (['NONE'] as const)) {
            for (const seen of hasEnding ? (['succeeded', 'cancelled'] as const) : [undefined]) {
              const operation = { ...opened, life, cancellation, input, effects, attempt: 1, fetchAt: 0 };
              yield [{ ...operation, ...(isReferenced && { reference: { id: 'job' } }), ...(seen && { seen }) }, traits];
            }
          }
        }
      }
    }
  }
}

const TRAITS: Traits = {
  status: true,
  lookup: true,
  cancel: 'asks',
  deduplicates: true,
  submitAttemptsMax: 2,
  fetchTriesMax: 1,
  cancelTriesMax: 1,
  timing: {
    submitTimeoutMs: 0,
    submitLeaseMs: 0,
    readTimeoutMs: 0,
    consistencyGraceMs: 0,
    reconcileWindowMs: 0,
    effectsWindowMs: 0,
    waitBudgetMs: 0,
    startWithinMs: 0,
  },
};

const CREATION: Creation = {
  id: 'op_0',
  tool: '',
  upstream: '',
  descriptorDigest: '',
  adapter: '',
  contract: 'none',
  principal: '',
  arguments: {},
  requestDigest: '',
  submissionKey: '',
  epoch: 0,
  createdAt: 0,
  ttlMs: 0,
};

const code = (name: string): string => (name === '' ? '' : `\`${name}\``);
const codes = (names: readonly string[]): string => (names.length === 0 ? '' : names.map(code).join(', '));

/** The name of the group where there is one, else its members. */
function grouped(names: string | readonly string[]): string {
  if (typeof names === 'string') return code(names);
  return GROUPS.find(([, members]) => members === names)?.[0] ?? codes(names);
}

function grid(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
