// Argument names: parameters of four places and the members of a body as one flat set of names.
//   A1. A name is the wire's own unless two places want it; then path, query, header, cookie, body is the order of precedence,
//       and the later ones get the place as a suffix: `id`, `id_query`, `id_header`, `id_body`.
//   A2. `^[A-Za-z0-9_.-]{1,64}$`: models' interfaces refuse other names.

import type { JsonObject } from '../core/json.ts';
import type { ParameterBinding, ParameterPlace } from '../core/request.ts';

export type Place = ParameterPlace | 'body';

const ORDER: readonly Place[] = ['path', 'query', 'header', 'cookie', 'body'];
const NAME_MAX = 64;
const FIT = /^[A-Za-z0-9_.-]{1,64}$/;

export interface Wanted {
  readonly place: Place;
  readonly name: string;
}

/** An argument before it has its name. */
export interface Argument extends Wanted {
  readonly required: boolean;
  readonly schema: JsonObject;
  /** A parameter's binding, once the name is known; a body binds its members itself. */
  readonly bind?: (argument: string) => ParameterBinding;
  /** It is the gateway's to give, under a name of its own. */
  readonly given?: string;
}

/** The name as models' interfaces take it. `__proto__` would be, but JavaScript makes something else of it. */
function plain(name: string): string {
  if (FIT.test(name) && name !== '__proto__') return name;
  const fit = name.replace(/[^A-Za-z0-9_.-]+/g, '_').replace(/^_+|_+$/g, '');
  return fit.slice(0, NAME_MAX) || 'argument';
}

/** One argument name for each, in the order given; no two are the same, and none depends on the order. */
export function argumentNames(wanted: readonly Wanted[]): string[] {
  const order = [...wanted.entries()].sort(
    ([, one], [, other]) =>
      ORDER.indexOf(one.place) - ORDER.indexOf(other.place) || (one.name < other.name ? -1 : one.name > other.name ? 1 : 0),
  );
  // A name that is already what it has to be keeps it from one that would only become it.
  const exact = new Set(wanted.map(({ name }) => name).filter((name) => plain(name) === name));
  const taken = new Set<string>();
  const names: string[] = [];
  for (const [index, { place, name }] of order) {
    const base = plain(name);
    const suffixed = `${base.slice(0, NAME_MAX - 8)}_${place}`;
    const isFree = (candidate: string) => !taken.has(candidate) && (candidate === name || !exact.has(candidate));
    let chosen = [base, suffixed].find(isFree);
    for (let count = 2; chosen === undefined; count += 1) chosen = [`${suffixed}_${count}`].find(isFree);
    taken.add(chosen);
    names[index] = chosen;
  }
  return names;
}
