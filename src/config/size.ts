// Sizes in bytes as people write them.

const UNIT_BYTES = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;
const SIZE = /^(\d{1,15})(B|KiB|MiB|GiB)?$/;

/** Bytes of `10MiB`, `512KiB`, `1GiB`, `200B` or `200`; `undefined` for anything else. Decimal units are refused: they are mostly meant as binary. */
export function parseSize(text: string): number | undefined {
  const match = SIZE.exec(text);
  if (match === null) return undefined;
  return Number(match[1]) * UNIT_BYTES[(match[2] ?? 'B') as keyof typeof UNIT_BYTES];
}

/** The shortest form that {@link parseSize} reads back as the same number. */
export function writeSize(bytes: number): string {
  const unit = (['GiB', 'MiB', 'KiB'] as const).find((name) => bytes !== 0 && bytes % UNIT_BYTES[name] === 0) ?? 'B';
  return `${bytes / UNIT_BYTES[unit]}${unit}`;
}
