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

type Test = (text: string) => boolean;
type Meaning = (operation: Selectable) => boolean;

/** What a pattern with stars fits. `within`: one star stays within a segment. */
function fitting(pattern: string, within: boolean): Test {
  if (!pattern.includes('*')) return (text) => text === pattern;
  const source = pattern
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/\/\*\*$|\*+/g, (stars) => (stars.startsWith('/') ? '(?:/.*)?' : within && stars.length === 1 ? '[^/]*' : '.*'));
  const expression = new RegExp(`^${source}$`, 's');
  return (text) => expression.test(text);
}

function meaningOf(pattern: string): Meaning {
  const [, wanted, template] = /^(?:(\S+)\s+)?(\/.*)$/.exec(pattern) ?? [];
  const method = pattern.replace(/\s+\*+$/, '').toUpperCase();
  const isMethod = template === undefined ? fitting(method, false) : fitting((wanted ?? '*').toUpperCase(), false);
  const isPath = template === undefined ? () => true : fitting(template, true);
  // Ids and tags may hold slashes, and begin with them.
  const isName = fitting(pattern, false);
  return ({ operationId, tags, ...operation }) =>
    (operationId !== undefined && isName(operationId)) ||
    tags.some(isName) ||
    (isPath(operation.path) && isMethod(operation.method));
}

const meanings = new Map<string, Meaning>();

/** Whether an operation is meant by a pattern. */
export function isMeant(pattern: string, operation: Selectable): boolean {
  const meaning = meanings.get(pattern) ?? meaningOf(pattern);
  meanings.set(pattern, meaning);
  return meaning(operation);
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
