// The resource name of an operation, and the URL to read it at.
//   N1. A name's slashes stay slashes: `GET /v1/{+name}` with `operations/7` is `/v1/operations/7`.
//   N2. Documents converted from Google's own lose the plus, and some write the name's first segments out
//       (`/v1/operations/{operation}`): what template and name both say is said once.
//   N3. A bare id goes where the template says, behind its prefix (`/v1/operations/{+name}` with `7`).

import { encodePath, staysBelow } from '../../src/core/urls.ts';

const isPlaceholder = (segment: string): boolean => /^\{\+?[^{}]+\}$/.test(segment);

/**
 * The URL of an operation.
 * @param template Absolute; its path ends with the placeholder of the name. `{+name}`, `{name}`, `{operation}`: any name will do.
 * @returns `undefined` for a name that fits nowhere: empty, or with empty or dot segments.
 */
export function operationUrl(template: string, name: string): string | undefined {
  if (!name.isWellFormed() || !staysBelow(name)) return undefined;
  const [path = '', query] = template.split('?', 2);
  const segments = path.split('/');
  const names = name.split('/');
  // The longest tail of the template that the name spells out itself.
  for (let from = Math.max(3, segments.length - names.length); from < segments.length; from++) {
    const tail = segments.slice(from);
    const fits = tail.length === names.length && tail.every((segment, at) => isPlaceholder(segment) || segment === names[at]);
    if (fits) return join(segments.slice(0, from), name, query);
  }
  return join(segments.slice(0, -1), name, query);
}

/** `undefined` where a placeholder is left over: a bare id under a template with a parent that nobody named. */
function join(before: readonly string[], name: string, query: string | undefined): string | undefined {
  if (before.some(isPlaceholder)) return undefined;
  return `${before.join('/')}/${encodePath(name)}${query === undefined ? '' : `?${query}`}`;
}
