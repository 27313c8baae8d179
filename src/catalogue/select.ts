// Which operations of a document are offered, by the patterns of the configuration.
//   S1. A pattern without a slash is an operationId, a tag or a method (`DELETE`, `DELETE *`); `*` stands for any characters.
//   S2. A pattern with one is a path, with a method before it or without: `GET /invoices/**`, `/jobs/*`, `* /v1/**`. There `*` stands
//       for any characters of one segment, and `**` for any; `/invoices/**` means `/invoices` as well.

export interface Selectable {
  readonly operationId?: string;
  readonly method: string;
  readonly path: string;
  readonly tags: readonly string[];
}

const compiled = new Map<string, RegExp>();

/** The expression of a pattern, made once: it is held against every operation. */
function expressionOf(pattern: string, isPath: boolean): RegExp {
  const key = `${isPath} ${pattern}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const source = pattern
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/\/\*\*$|\*+/g, (stars) => (stars.startsWith('/') ? '(?:/.*)?' : isPath && stars.length === 1 ? '[^/]*' : '.*'));
  const made = new RegExp(`^${source}$`, 's');
  compiled.set(key, made);
  return made;
}

/** Whether an operation is meant by a pattern. */
export function isMeant(pattern: string, operation: Selectable): boolean {
  const { operationId, method, path, tags } = operation;
  const names = [operationId, ...tags].filter((name) => name !== undefined);
  const [, wanted, template] = /^(?:(\S+)\s+)?(\/.*)$/.exec(pattern) ?? [];
  // Ids and tags may hold slashes, and begin with them.
  if (names.some((name) => expressionOf(pattern, false).test(name))) return true;
  if (template === undefined) return pattern.replace(/\s+\*+$/, '').toUpperCase() === method;
  const isMethod = wanted === undefined || expressionOf(wanted.toUpperCase(), false).test(method);
  return isMethod && expressionOf(template, true).test(path);
}

/** `undefined` where the operation is offered, else the reason it is not. */
export function excludedBy(
  tools: { readonly include: readonly string[]; readonly exclude: readonly string[] },
  operation: Selectable,
): string | undefined {
  const out = tools.exclude.find((pattern) => isMeant(pattern, operation));
  if (out !== undefined) return `excluded by the pattern "${out}"`;
  if (tools.include.length === 0 || tools.include.some((pattern) => isMeant(pattern, operation))) return undefined;
  return 'included by no pattern';
}
