// Tool names: what a model calls an operation by.
//   N1. A name depends on the operation alone, and on which others want the same one; never on their order.
//   N2. A name that two operations want goes to neither, so that adding a third can't hand it from one to the other.
//   N3. `^[A-Za-z0-9_.-]{1,64}$`, with the prefix inside the limit.

import { createHash } from 'node:crypto';

const NAME_MAX = 64;
/** Room that a hash and its underscore take. */
const HASH_LENGTH = 8;

export interface Named {
  readonly operationId?: string;
  readonly method: string;
  readonly path: string;
}

const hashOf = (operation: Named): string =>
  createHash('sha256')
    .update(`${operation.method} ${operation.path} ${operation.operationId ?? ''}`)
    .digest('hex')
    .slice(0, HASH_LENGTH - 1);

/** `createExport` → `create_export`, `listVMs` → `list_vms`, `v1/HTTPServer list` → `v1_http_server_list`. */
export function snakeCase(text: string): string {
  return text
    .replace(/([A-Z])([A-Z]+s)(?![a-z])/g, (_whole, first: string, rest: string) => first + rest.toLowerCase())
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase();
}

/** By method and path: `GET /reports/{id}` → `get_reports_id`. */
const byPath = (operation: Named): string => snakeCase(`${operation.method} ${operation.path}`);

/** The name cut to its room; what was cut away is told apart by a hash. */
function fitted(name: string, room: number, operation: Named): string {
  if (name.length <= room) return name;
  return `${name.slice(0, room - HASH_LENGTH).replace(/_+$/, '')}_${hashOf(operation)}`;
}

/** Names of which no two are the same, in the order of the operations. Each of `rounds` is tried on those that collide. */
export function toolNames(operations: readonly Named[], prefix = ''): string[] {
  const start = prefix.replace(/[^A-Za-z0-9_.-]+/g, '_').slice(0, NAME_MAX / 2);
  const room = NAME_MAX - start.length;
  const rounds: ((operation: Named) => string)[] = [
    (operation) => fitted(snakeCase(operation.operationId ?? '') || byPath(operation), room, operation),
    (operation) => fitted(byPath(operation), room, operation),
    (operation) => `${byPath(operation).slice(0, room - HASH_LENGTH)}_${hashOf(operation)}`,
  ];
  const names: string[] = [];
  const taken = new Set<string>();
  let open = operations.map((_operation, index) => index);
  for (const round of rounds) {
    const wanted = new Map<string, number[]>();
    for (const index of open) {
      const name = start + round(operations[index] as Named);
      wanted.set(name, [...(wanted.get(name) ?? []), index]);
    }
    open = [];
    for (const [name, indexes] of wanted) {
      const [only] = indexes;
      if (indexes.length === 1 && only !== undefined && !taken.has(name)) names[only] = name;
      else open.push(...indexes);
      // Also a name that nobody got: an operation of a later round must not step into it.
      taken.add(name);
    }
  }
  // Only operations that are the same in method, path and id come here, which a document can't hold.
  for (const index of open) names[index] = `${start}operation_${index + 1}`;
  return names;
}

/** Names over all upstreams. One that several use gets the upstream's name before it in each of them. */
export function apart(groups: readonly { readonly upstream: string; readonly names: readonly string[] }[]): {
  readonly names: string[][];
  readonly changed: { readonly upstream: string; readonly from: string; readonly to: string }[];
} {
  const uses = new Map<string, number>();
  for (const { names } of groups) for (const name of names) uses.set(name, (uses.get(name) ?? 0) + 1);
  const changed: { upstream: string; from: string; to: string }[] = [];
  const names = groups.map(({ upstream, names: own }) =>
    own.map((name) => {
      if ((uses.get(name) ?? 0) < 2) return name;
      const origin = { method: upstream, path: name };
      const wanted = fitted(`${snakeCase(upstream)}_${name}`, NAME_MAX, origin);
      const to = uses.has(wanted) ? `${wanted.slice(0, NAME_MAX - HASH_LENGTH)}_${hashOf(origin)}` : wanted;
      changed.push({ upstream, from: name, to });
      return to;
    }),
  );
  return { names, changed };
}
