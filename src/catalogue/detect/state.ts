// Where an answer says how a job stands: the status member, through envelopes, and what its words mean.
//   T1. What is nearer to the top of the answer wins, and at one depth what says more.

import { escapeToken } from '../pointer.ts';
import { singular, tokensOf } from './names.ts';
import { describedBy, enumOf, isScalar, isText, type Shape, type Shapes } from './shapes.ts';
import { kindsOf, type Vocabulary, vocabularyOf, wordsIn } from './words.ts';

/**
 * `enum`: words of an enum. `described`: words of a description. `bare`: some text. `flag`: a boolean. `conclusion`: two
 * fields, of which the second says how it ended. `conditions`: a list of conditions beside a completion time.
 */
export type StateKind = 'enum' | 'described' | 'bare' | 'flag' | 'conclusion' | 'conditions';

export interface State {
  readonly kind: StateKind;
  /** JSON Pointer in the answer of the member that tells an ending. */
  readonly at: string;
  /** JSON Pointer in the answer of the object that it is a member of. */
  readonly owner: string;
  readonly shape: Shape;
  readonly vocabulary: Vocabulary;
  /** JSON Pointer in the document. */
  readonly pointer: string;
}

/** Levels of objects below the answer's own that are looked into. */
const DEPTH_MAX = 3;
/** An envelope holds little beside what it wraps. */
const ENVELOPE_MEMBERS_MAX = 4;
const ENVELOPES = new Set(
  'data response result action job operation task run attributes info execution metadata payload item details'.split(' '),
);
const WORD_MEMBERS = ['status', 'state', 'phase'];
/** `jobStatus`, `processing_status`, `readyState`, `lifecycle_state`. */
const OTHER_WORD_MEMBER = /(status|state|phase)$/i;
/** Beside a status: the field that says how it ended. */
const CONCLUSION = /^(conclusion|result|outcome|result_?state)$/i;
const RUNNING_FLAG = /^(is_?)?(running|in_?progress|building|pending)$/i;
const DONE_FLAG = /^(is_?)?(completed?|done|finished|job_?complete)$/i;
/** Beside a status: what went wrong, if anything did. */
const ERROR = /^(errors?|error_?result|failures?)$/i;
const COMPLETION_TIME = /^(completion_?time|completed_?at|finished_?at|end_?time)$/i;

const NO_WORDS: Vocabulary = vocabularyOf([]);

/** An object inside an answer: itself, or what an envelope wraps. */
export interface Wrapped {
  readonly at: string;
  readonly shape: Shape;
}

/** The objects of an answer, nearest first, envelopes opened. `noun`: a member of this name is one, too. */
export function unwrapped(root: Shape, shapes: Shapes, noun: readonly string[] = []): readonly Wrapped[] {
  const found: Wrapped[] = [{ at: '', shape: root }];
  const seen = new Set<Shape>([root]);
  let level = found;
  for (let depth = 0; depth < DEPTH_MAX && level.length > 0; depth += 1) {
    const next: Wrapped[] = [];
    for (const { at, shape } of level) {
      const isSmall = shape.members.size <= ENVELOPE_MEMBERS_MAX;
      for (const name of shape.members.keys()) {
        if (!isSmall && !isEnvelope(name, noun)) continue;
        const member = shapes.member(shape, name);
        if (member === undefined || member.members.size === 0 || seen.has(member)) continue;
        seen.add(member);
        next.push({ at: `${at}/${escapeToken(name)}`, shape: member });
      }
    }
    found.push(...next);
    level = next;
  }
  return found;
}

function isEnvelope(name: string, noun: readonly string[]): boolean {
  const tokens = tokensOf(name).map(singular);
  const last = tokens.at(-1) ?? '';
  return ENVELOPES.has(last) || WORD_MEMBERS.includes(last) || (noun.length > 0 && tokens.join(' ') === noun.join(' '));
}

/**
 * The state that an answer shows; `undefined` where it shows none.
 * @param noun what the operation is about: an envelope may be called so
 * @param texts descriptions of operations, in which the words may stand
 */
export function stateIn(
  root: Shape,
  shapes: Shapes,
  noun: readonly string[] = [],
  texts: readonly string[] = [],
): State | undefined {
  let best: State | undefined;
  for (const { at, shape } of unwrapped(root, shapes, noun)) {
    const state = ownState(at, shape, shapes, texts);
    if (state !== undefined && (best === undefined || strength(state) > strength(best))) best = state;
  }
  return best;
}

/** How much a state says, for choosing among several of one answer. */
const strength = ({ kind, vocabulary }: State): number => {
  const kinds = kindsOf(vocabulary);
  if (kind === 'enum') return 10 + kinds;
  if (kind === 'conditions' || kind === 'conclusion') return 9;
  if (kind === 'described') return 5 + kinds;
  return kind === 'flag' ? 4 : 1;
};

/** How much the state of an object says about its being a job. */
export function weightOf({ kind, vocabulary }: State): number {
  const kinds = kindsOf(vocabulary);
  switch (kind) {
    case 'enum':
      return kinds === 3 ? 70 : kinds === 2 ? 50 : 0;
    case 'described':
      return kinds === 3 ? 55 : 45;
    case 'conclusion':
    case 'conditions':
      return 55;
    case 'flag':
      return 50;
    case 'bare':
      return 35;
  }
}

function ownState(owner: string, shape: Shape, shapes: Shapes, texts: readonly string[]): State | undefined {
  const make = (kind: StateKind, name: string, member: Shape, vocabulary: Vocabulary): State => ({
    kind,
    at: `${owner}/${escapeToken(name)}`,
    owner,
    shape,
    vocabulary,
    pointer: member.node.pointer,
  });
  const found: State[] = [];
  const names = [...shape.members.keys()];
  const hasError = names.some((name) => ERROR.test(name));
  const read = (list: readonly string[]): Vocabulary => {
    const vocabulary = vocabularyOf(list);
    // Where no word is for failing and there is an error beside it, a word that ends it tells nothing of how.
    return !vocabulary.bad && hasError ? vocabularyOf(list, true) : vocabulary;
  };
  // A `result` of any type is what came out; one that is text says how it ended.
  const conclusion = names.find((name) => CONCLUSION.test(name) && isText(shapes.member(shape, name)));
  for (const name of names) {
    const isPlain = WORD_MEMBERS.includes(name.toLowerCase());
    if (!isPlain && !OTHER_WORD_MEMBER.test(name)) continue;
    const member = shapes.member(shape, name);
    if (member === undefined || !isScalar(member) || member.types.some((type) => type === 'integer' || type === 'number'))
      continue;
    if (conclusion !== undefined && isPlain) {
      const second = shapes.member(shape, conclusion) as Shape;
      found.push(
        make(
          'conclusion',
          conclusion,
          second,
          vocabularyOf(enumOf(second).length > 0 ? enumOf(second) : wordsIn(describedBy(second))),
        ),
      );
      continue;
    }
    const words = enumOf(member);
    if (words.length > 1) {
      const vocabulary = read(words);
      if (isPlain || kindsOf(vocabulary) === 3) found.push(make('enum', name, member, vocabulary));
      continue;
    }
    const described = [describedBy(member), describedBy(shape), ...texts.filter((text) => mentions(text, name))]
      .map((text) => read(wordsIn(text)))
      .find((vocabulary) => vocabulary.words.length > 1 && kindsOf(vocabulary) > 1);
    if (described !== undefined) found.push(make('described', name, member, described));
    else if (isPlain) found.push(make('bare', name, member, NO_WORDS));
  }
  if (found.length === 0) found.push(...flags(shape, shapes, make), ...conditions(owner, shape, shapes, make));
  return found.sort((one, other) => strength(other) - strength(one))[0];
}

/** A text about this very member: `state`, or the words status and state at all. */
const mentions = (text: string, name: string): boolean => text.includes(`\`${name}\``) || /\bstat(us|e)\b/i.test(text);

type Make = (kind: StateKind, name: string, member: Shape, vocabulary: Vocabulary) => State;

function flags(shape: Shape, shapes: Shapes, make: Make): State[] {
  return [...shape.members.keys()].flatMap((name) => {
    const running = RUNNING_FLAG.test(name);
    if (!running && !DONE_FLAG.test(name)) return [];
    const member = shapes.member(shape, name);
    if (member === undefined || !member.types.includes('boolean')) return [];
    const meanings = { working: [String(running)], succeeded: [String(!running)] };
    return [
      make('flag', name, member, { words: ['true', 'false'], meanings, unknown: [], working: true, done: true, bad: false }),
    ];
  });
}

/** A status object with a list of conditions and the time of its completion. */
function conditions(owner: string, shape: Shape, shapes: Shapes, make: Make): State[] {
  if (!owner.endsWith('/status')) return [];
  const member = shapes.member(shape, 'conditions');
  const isTimed = [...shape.members.keys()].some((name) => COMPLETION_TIME.test(name));
  return member?.types.includes('array') === true && isTimed ? [make('conditions', 'conditions', member, NO_WORDS)] : [];
}
