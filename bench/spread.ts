// A figure over several rounds.

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const at = (index: number) => sorted[index] ?? Number.NaN;
  return { median: (at(Math.ceil(middle) - 1) + at(Math.floor(middle))) / 2, min: at(0), max: at(sorted.length - 1) };
}
