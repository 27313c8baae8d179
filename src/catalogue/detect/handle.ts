// The handle: where the answer to a submit says which job it started.

import type { RuntimeExpression } from '../../core/description.ts';
import { escapeToken } from '../pointer.ts';
import type { Facts } from './facts.ts';
import { plainName } from './names.ts';
import { isScalar, type Shape, type Shapes } from './shapes.ts';
import { unwrapped } from './state.ts';

export const HANDLE_HEADERS = ['operation-location', 'azure-asyncoperation', 'location', 'content-location'];

const ID = /^((.*[_a-z])?(id|uuid|uid|sid|arn|handle)|task)$/i;
const STATUS_URL = /^(status_?(url|uri|link|href)|poll(ing)?_?(url|uri)|operation_?(url|uri)|(job|run|task)_?(url|uri))$/i;

/** Successful answers, the one that says "accepted" first: where both are declared, it is the one about a job. */
export const successes = (facts: Facts) =>
  [...facts.answers].filter(({ status }) => /^2/.test(status)).sort((one, other) => rank(one.status) - rank(other.status));
const rank = (status: string): number => ['202', '201'].indexOf(status) + (status === '202' || status === '201' ? 0 : 10);

/** Where a member stands in the answers to a submit, by a test of its name; envelopes are opened. */
export function memberOf(
  facts: Facts,
  shapes: Shapes,
  test: (name: string) => boolean,
  noun: readonly string[] = facts.noun,
): { readonly at: string; readonly shape: Shape } | undefined {
  for (const { shape: root } of successes(facts)) {
    for (const { at, shape } of root === undefined ? [] : unwrapped(root, shapes, noun)) {
      for (const name of shape.members.keys()) {
        if (!test(name)) continue;
        const member = shapes.member(shape, name);
        if (member !== undefined && isScalar(member)) return { at: `${at}/${escapeToken(name)}`, shape: member };
      }
    }
  }
  return undefined;
}

export const hasId = (facts: Facts, shapes: Shapes) => memberOf(facts, shapes, (name) => ID.test(name));
export const hasStatusUrl = (facts: Facts, shapes: Shapes) => memberOf(facts, shapes, (name) => STATUS_URL.test(name));

/** Response headers that hold a URL of the job, as declared on 201 and 202. */
export function handleHeaders(facts: Facts): readonly string[] {
  const declared = new Set(successes(facts).flatMap(({ status, headers }) => (/^20[12]$/.test(status) ? headers : [])));
  return HANDLE_HEADERS.filter((name) => declared.has(name));
}

/**
 * Where the id for `parameter` of a status request is; `undefined` where the document doesn't say.
 * @param noun what the job is called: `run` of `run_id`
 */
export function idFor(facts: Facts, shapes: Shapes, parameter: string, noun: readonly string[]): RuntimeExpression | undefined {
  const wanted = plainName(parameter);
  const called = plainName(noun.join(''));
  const ends = ['id', 'uuid', 'sid', 'uid', 'key', 'handle', 'name'].map((end) => called + end);
  const tests: ((name: string) => boolean)[] = [
    (name) => plainName(name) === wanted,
    (name) => called !== '' && ends.includes(plainName(name)),
    (name) => called !== '' && plainName(name) === called,
    (name) => plainName(name) === 'id',
    (name) => wanted.length > 2 && plainName(name).endsWith(wanted),
    (name) => ['uuid', 'sid', 'guid'].includes(plainName(name)),
    (name) => plainName(name) === 'name',
  ];
  for (const test of tests) {
    const found = memberOf(facts, shapes, test, noun);
    if (found !== undefined) return `$response.body#${found.at}`;
  }
  return undefined;
}
