// A planted fault: a small change of one source file that breaks a promise.

export interface Mutant {
  /** What the house would do wrong, as a clause. */
  readonly name: string;
  readonly file: string;
  /** Found exactly once in the file, or the mutant is stale. */
  readonly find: string;
  readonly replace: string;
  /** Where it shows: plays only histories of these dialects. */
  readonly dialects?: readonly string[];
  /** Memory unless the fault is in the SQLite store. */
  readonly store?: 'sqlite';
}
