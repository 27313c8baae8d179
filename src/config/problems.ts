// What is wrong with the file's content, by path: the schema's findings in the words of faults, without the place yet.

import { z } from 'zod';
import { nearest } from '../core/nearest.ts';
import { configSchema, SECRET_MEND } from './schema.ts';
import type { Path } from './tree.ts';

export interface Problem {
  readonly path: Path;
  /** Where to point: at the member's name, or at its value. */
  readonly part?: 'name' | 'value';
  readonly message: string;
  readonly mend?: string;
}

/** `message → mend`, as the schema writes them, as a problem. */
export function problem(path: Path, sentence: string, part: 'name' | 'value' = 'value'): Problem {
  const [message, mend] = sentence.split(' → ', 2);
  return { path, part, message: message ?? sentence, ...(mend === undefined ? {} : { mend }) };
}

interface Described {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly additionalProperties?: Described | false;
  readonly items?: Described;
}

const described = z.toJSONSchema(configSchema, { io: 'input' }) as Described;

/** What the published schema says about the member at `path`. */
function describedAt(path: Path): Described | undefined {
  return path.reduce<Described | undefined>((at, token) => {
    if (typeof token === 'number') return at?.items;
    return at?.properties?.[token] ?? (at?.additionalProperties || undefined);
  }, described);
}

export function partAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, token) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, token)
        ? (at as Record<string | number, unknown>)[token]
        : undefined,
    value,
  );
}

/** The schema's findings about `value`. */
export function problemsOf(issues: readonly z.core.$ZodIssue[], value: unknown): Problem[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map((token) => (typeof token === 'number' ? token : String(token)));
    const found = partAt(value, path);
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownMember(path, key));
    if (issue.code === 'invalid_key') return [problem(path, issue.issues[0]?.message ?? issue.message, 'name')];
    if (found === undefined) {
      const help = describedAt(path)?.description;
      return [{ path, message: 'is missing', ...(help === undefined ? {} : { mend: `add it: ${help}` }) }];
    }
    if (issue.code === 'invalid_value' && typeof found === 'string') {
      const meant = nearest(found, issue.values.map(String));
      return [{ path, message: issue.message, ...(meant === undefined ? {} : { mend: `did you mean ${meant}?` }) }];
    }
    return [problem(path, issue.message)];
  });
}

function unknownMember(path: Path, name: string): Problem {
  const whole = [...path, name];
  if (path[0] === 'upstreams' && path[2] === 'credentials' && name === 'value') {
    return { path: whole, part: 'name', message: 'is a secret in the configuration file, which is refused', mend: SECRET_MEND };
  }
  const known = Object.keys(describedAt(path)?.properties ?? {});
  const meant = nearest(name, known);
  const mend = meant === undefined ? `known here: ${known.join(', ')}` : `did you mean ${meant}?`;
  return { path: whole, part: 'name', message: 'is not known here', mend };
}
