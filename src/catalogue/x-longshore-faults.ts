// What is wrong with an `x-longshore`, in words that say what to do: the schema's findings, each with its pointer.

import { z } from 'zod';
import { nearest } from '../core/nearest.ts';
import { pointerOf } from './pointer.ts';
import { described } from './x-longshore/schema.ts';

export interface WordFault {
  /** Begins at the value of `x-longshore`. */
  readonly pointer: string;
  readonly message: string;
  readonly mend?: string;
}

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
}

let published: Shape | undefined;
/** What the published schema says, made when something is wrong for the first time. */
const shape = (): Shape => {
  published ??= z.toJSONSchema(described, { io: 'input' }) as Shape;
  return published;
};

const branches = (at: Shape): readonly Shape[] => [at, ...(at.anyOf ?? []).flatMap(branches)];

/** The members that may be written at a path. */
function knownAt(path: readonly PropertyKey[]): readonly string[] {
  let here = branches(shape());
  for (const token of path) {
    const next = here.map((one) => (typeof token === 'number' ? one.items : one.properties?.[String(token)]));
    here = next.flatMap((one) => (one === undefined ? [] : branches(one)));
  }
  return [...new Set(here.flatMap((one) => Object.keys(one.properties ?? {})))];
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
};

/** Of a union the branch that got furthest is the one that was meant. */
export function faultsOf(issue: z.core.$ZodIssue, value: unknown, above: readonly PropertyKey[] = []): readonly WordFault[] {
  const path = [...above, ...issue.path];
  const pointer = pointerOf(path.map(String));
  const found = path.reduce<unknown>((at, token) => (at as Record<PropertyKey, unknown> | undefined)?.[token], value);
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        pointer: `${pointer}${pointerOf([key])}`,
        message: 'is not known here',
        ...meant(key, knownAt(path)),
      }));
    case 'invalid_union': {
      if (issue.errors.length === 0) break;
      const branch = issue.errors.findLast((inner) => inner.some((one) => one.code !== 'invalid_type' || one.path.length > 0));
      return (branch ?? issue.errors.at(-1) ?? []).flatMap((inner) => faultsOf(inner, value, path));
    }
    case 'invalid_type':
      if (!issue.message.startsWith('Invalid input')) break;
      return [{ pointer, message: found === undefined ? 'is missing' : `must be ${KINDS[issue.expected] ?? issue.expected}` }];
    case 'invalid_value': {
      const values = issue.values.map(String);
      const mend = typeof found === 'string' ? nearest(found, values) : undefined;
      const message = found === undefined ? 'is missing' : `must be ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}`;
      return [{ pointer, message, ...(mend !== undefined && { mend: `did you mean ${mend}?` }) }];
    }
    case 'too_big':
      if (!issue.message.startsWith('Too big')) break;
      return [{ pointer, message: `must be at most ${issue.maximum}${unitOf(issue.origin)}` }];
    case 'too_small':
      if (!issue.message.startsWith('Too small')) break;
      return [{ pointer, message: `must be at least ${issue.minimum}${unitOf(issue.origin)}` }];
  }
  return [{ pointer, message: issue.message }];
}

const unitOf = (origin: string): string => (origin === 'string' ? ' characters' : origin === 'array' ? ' entries' : '');

/** The word that was meant, or else all there are. */
export function meant(word: string, known: readonly string[]): { readonly mend?: string } {
  const likely = nearest(word, known);
  if (likely !== undefined) return { mend: `did you mean ${likely}?` };
  return known.length === 0 ? {} : { mend: `known here: ${known.join(', ')}` };
}
