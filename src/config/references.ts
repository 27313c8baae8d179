// `${NAME}` and `${NAME:-default}` in text: values that the environment gives. `$${` stands for `${` itself.
//   A variable that is set but empty counts as not set, so that `NAME=` in a container file means the default.

import { type Environment, variable } from './environment.ts';

const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]{0,127})(?::-([^}]*))?\}|\$\{/g;

export interface Filled {
  readonly text: string;
  /** Variables that are neither set nor have a default. */
  readonly missing: readonly string[];
  /** There is a `${` that begins no reference. */
  readonly malformed: boolean;
}

/** Puts the environment's values in. What was put in is not looked at again: a value may contain `${`. */
export function fillReferences(text: string, env: Environment): Filled {
  const missing: string[] = [];
  let malformed = false;
  const filled = text.replace(REFERENCE, (whole: string, name: string | undefined, otherwise: string | undefined) => {
    if (whole === '$${') return '${';
    if (name === undefined) {
      malformed = true;
      return whole;
    }
    const value = variable(env, name) ?? otherwise;
    if (value === undefined) missing.push(name);
    return value ?? '';
  });
  return { text: filled, missing, malformed };
}
