// One job of a species, and the texts of the tables as they are said of it.

import type { Route } from './species.ts';

export interface Job {
  readonly id: string;
  readonly number: number;
  readonly name: string;
  /** Whose it is: what the header said that a caller chooses. */
  readonly owner: string | undefined;
  /** What its submit carried to be known again. */
  readonly key: string | undefined;
  /** Looks so far, by route. */
  readonly looks: Map<Route, number>;
  /** Steps that have come, each as often as it did. */
  readonly steps: Route[];
  ended: boolean;
  cancelled: boolean;
  /** Its end was told. */
  told: boolean;
  /** How many signed URLs were named. */
  signatures: number;
  /** Nobody should look before this instant; how often somebody did. */
  notBefore: number;
  hasty: number;
}

/** Where the species is, and its files. */
export interface Base {
  readonly here: string;
  readonly annex: string;
  readonly store: string;
  readonly vault: string;
}

/** A text of the tables with what its placeholders stand for. */
export function filled(text: string, job: Job | undefined, { here, annex, store, vault }: Base): string {
  const plain = text
    .replaceAll('"{n}"', String(job?.number))
    .replaceAll('{id}', job?.id ?? '')
    .replaceAll('{n}', String(job?.number))
    .replaceAll('{name}', job?.name ?? '')
    .replaceAll('{base}', here)
    .replaceAll('{annex}', annex)
    .replaceAll('{store}', store)
    .replaceAll('{vault}', vault)
    .replaceAll('{root}', new URL(here).pathname);
  if (job === undefined || !plain.includes('{signature}')) return plain;
  job.signatures += 1;
  return plain.replaceAll('{signature}', String(job.signatures));
}
