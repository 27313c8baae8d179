// The document as a whole: its operations by path, by name and by what they answer, and what holds for most of them.
//   V1. Each index is made once; whatever is asked of it takes no walk over all operations.

import type { OpenApiDocument } from '../load.ts';
import type { Node } from '../node.ts';
import type { SourceOperation } from '../operations.ts';
import type { Resolve } from '../references.ts';
import { type Answer, type Facts, factsOf } from './facts.ts';
import { ASKING, CANCELLING, singular, tokensOf } from './names.ts';
import { type Shapes, shapesOf } from './shapes.ts';
import { type State, stateIn } from './state.ts';

/** What more than this share of a document's operations have says nothing about any of them. */
const EVERYWHERE = 0.5;
/** Of fewer POSTs nothing can be said. */
const POSTS_MIN = 6;

export interface Survey {
  readonly all: readonly Facts[];
  readonly shapes: Shapes;
  /** The node that a reference leads to. */
  follow(node: Node): Node | undefined;
  at(method: string, key: string): Facts | undefined;
  /** By path without its version, all methods. */
  loosely(key: string): readonly Facts[];
  /** By the last segments of the path, without versions: `/deploys/{}/cancel`. */
  endingIn(key: string): readonly Facts[];
  of(operation: SourceOperation): Facts | undefined;
  byId(operationId: string): Facts | undefined;
  isUnique(operationId: string): boolean;
  /** What asks for a thing of this name: `query execution` of `GetQueryExecution`. */
  asking(subject: readonly string[]): readonly Facts[];
  /** What cancels a thing of this name. */
  cancelling(subject: readonly string[]): readonly Facts[];
  /** GETs of one item of a collection, by the name of the thing. */
  items(noun: readonly string[]): readonly Facts[];
  /** GETs whose answer shows the state of an object like this one. */
  showing(identity: string): readonly Facts[];
  /** The state that an operation's answer shows. */
  state(facts: Facts): State | undefined;
  /** Most GETs of the document take this parameter: it is about reading. */
  isForReading(place: string, name: string): boolean;
  /** Most of the document's POSTs declare 202. */
  readonly acceptsEverything: boolean;
}

const STATUS_CODES = ['200', '2XX', '2xx', '201', '203', 'default', '202'];

/** The answer that shows a thing: the best success. */
export const shownBy = (facts: Facts): Answer | undefined =>
  STATUS_CODES.map((code) => facts.answers.find(({ status, shape }) => status === code && shape !== undefined)).find(
    (answer) => answer !== undefined,
  );

/** Surveys a document's operations. Pure; nothing of the document is copied. */
export function survey(operations: readonly SourceOperation[], document: OpenApiDocument, resolve: Resolve): Survey {
  const shapes = shapesOf(resolve);
  const all = operations.map((operation) => factsOf(operation, document, resolve, shapes));
  const bySource = new Map(all.map((facts) => [facts.source, facts]));
  const byKey = new Map<string, Facts>();
  const byLoose = new Map<string, Facts[]>();
  const byEnding = new Map<string, Facts[]>();
  const byId = new Map<string, Facts | undefined>();
  const bySubject = { asking: new Map<string, Facts[]>(), cancelling: new Map<string, Facts[]>() };
  const byNoun = new Map<string, Facts[]>();
  const byIdentity = new Map<string, Facts[]>();
  const states = new Map<Facts, State | undefined>();

  const state = (facts: Facts): State | undefined => {
    if (!states.has(facts)) {
      const shape = shownBy(facts)?.shape;
      states.set(facts, shape && stateIn(shape, shapes, facts.noun, [facts.text]));
    }
    return states.get(facts);
  };

  const read = new Map<string, number>();
  let gets = 0;
  let posts = 0;
  let accepting = 0;
  for (const facts of all) {
    const { path, source, name } = facts;
    const at = `${source.method} ${path.key}`;
    if (!byKey.has(at)) byKey.set(at, facts);
    push(byLoose, path.loose, facts);
    if (facts.isCancelling) push(byEnding, lastOf(path.loose), facts);
    const { operationId } = source;
    if (operationId !== undefined) byId.set(operationId, byId.has(operationId) ? undefined : facts);
    const [verb = '', ...rest] = name[0] === 'request' && CANCELLING.has(name[1] ?? '') ? name.slice(1) : name;
    if (ASKING.has(verb)) push(bySubject.asking, rest.map(singular).join(' '), facts);
    if (CANCELLING.has(verb)) push(bySubject.cancelling, rest.map(singular).join(' '), facts);
    if (source.method === 'POST') {
      posts += 1;
      if (facts.answer('202') !== undefined) accepting += 1;
    }
    if (source.method !== 'GET') continue;
    gets += 1;
    for (const parameter of facts.parameters) {
      const taken = `${parameter.place} ${parameter.name}`;
      read.set(taken, (read.get(taken) ?? 0) + 1);
    }
    if (path.segments.at(-1) === '{}') {
      const names = new Set([facts.noun.join(' '), withoutId(path.parameters.at(-1) ?? '').join(' ')]);
      for (const noun of names) if (noun !== '') push(byNoun, noun, facts);
    }
    const shown = path.parameters.length > 0 ? state(facts) : undefined;
    const identity = shown && shapes.identity(shown.shape);
    if (identity !== undefined) push(byIdentity, identity, facts);
  }

  const listed = (index: ReadonlyMap<string, Facts[]>, key: string): readonly Facts[] => index.get(key) ?? [];
  return {
    all,
    shapes,
    follow: shapes.follow,
    at: (method, key) => byKey.get(`${method} ${key}`),
    loosely: (key) => listed(byLoose, key),
    endingIn: (key) => listed(byEnding, key),
    of: (operation) => bySource.get(operation),
    byId: (operationId) => byId.get(operationId),
    isUnique: (operationId) => byId.get(operationId) !== undefined,
    asking: (subject) => listed(bySubject.asking, subject.map(singular).join(' ')),
    cancelling: (subject) => listed(bySubject.cancelling, subject.map(singular).join(' ')),
    items: (noun) => listed(byNoun, noun.join(' ')),
    showing: (identity) => listed(byIdentity, identity),
    state,
    isForReading: (place, name) => (read.get(`${place} ${name}`) ?? 0) > gets * EVERYWHERE,
    acceptsEverything: posts >= POSTS_MIN && accepting / posts > EVERYWHERE,
  };
}

function push(index: Map<string, Facts[]>, key: string, facts: Facts): void {
  const list = index.get(key);
  if (list === undefined) index.set(key, [facts]);
  else list.push(facts);
}

/** `/a/b/{}/cancel` → `/b/{}/cancel` */
const lastOf = (key: string): string => `/${key.split('/').slice(-3).join('/')}`;

/** `run_id` → `run` */
export const withoutId = (name: string): readonly string[] => {
  const tokens = tokensOf(name).map(singular);
  return /^(id|uuid|uid|sid|url|uri|href|handle|key|name|number)$/.test(tokens.at(-1) ?? '') ? tokens.slice(0, -1) : tokens;
};
