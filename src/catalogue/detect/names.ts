// Names of operations, paths and members, read as words. All of it is convention: every use of it is one sign among others.

/** `startQueryExecution`, `start-query_execution` → `start`, `query`, `execution`. */
export const tokensOf = (text: string): readonly string[] =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((token) => token !== '');

/** `runs` → `run`, `analyses` → `analysis`, `batches` → `batch`, `queries` → `query`. */
export function singular(word: string): string {
  if (word.endsWith('analyses')) return word.replace(/es$/, 'is');
  if (/ies$/.test(word) && word.length > 4) return word.replace(/ies$/, 'y');
  if (/(ch|sh|x|ss|us)es$/.test(word)) return word.slice(0, -2);
  return /[^s]s$/.test(word) && !/(us|is)$/.test(word) ? word.slice(0, -1) : word;
}

/** Without case and separators: `run_id`, `runId` and `RunID` are one name. */
export const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** What begins work. */
export const STARTING = set('start submit execute trigger launch begin enqueue queue run initiate kick perform schedule');
/** What begins work or makes a thing: only together with other signs. */
export const MAKING = set('create generate request new post make add insert build dispatch upload process export import');
export const CANCELLING = set('cancel abort stop terminate dismiss kill');
export const ASKING = set('get list describe fetch read retrieve show find lookup poll watch head view download');

export interface PathParts {
  /** Segments, with `{}` for each placeholder; a custom verb (`{id}:cancel`) is a segment of its own, `:cancel`. */
  readonly segments: readonly string[];
  /** Names of the placeholders, in order. */
  readonly parameters: readonly string[];
  /** What a path is found by: two that differ only in the names of placeholders are one. */
  readonly key: string;
  /** The same without segments that only say a version. */
  readonly loose: string;
}

/** Query and fragment are not part of where an operation is. */
export function partsOf(path: string): PathParts {
  const parameters: string[] = [];
  const [plain = ''] = path.split(/[?#]/, 1);
  const segments = plain
    .replace(/\{\+?([^{}]+)\}/g, (_whole, name: string) => {
      parameters.push(name);
      return '{}';
    })
    .split('/')
    .flatMap((segment) => {
      const [, before, verb] = /^(.+)(:[A-Za-z]\w*)$/.exec(segment) ?? [];
      return before === undefined || verb === undefined ? [segment] : [before, verb];
    })
    .map((segment) => segment.replace(/\.json$/, ''))
    .filter((segment) => segment !== '');
  return { segments, parameters, key: keyOf(segments), loose: keyOf(segments.filter((one) => !/^(v\d[\w.]*|api)$/.test(one))) };
}

export const keyOf = (segments: readonly string[]): string => segments.map((segment) => `/${segment}`).join('');

/** The last segment that is a word, as tokens in the singular; empty where a path has none. */
export const nounOf = ({ segments }: PathParts): readonly string[] =>
  tokensOf(segments.findLast((segment) => segment !== '{}' && !segment.startsWith(':')) ?? '').map(singular);
