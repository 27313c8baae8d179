// Durations as people write them, in configuration and in `x-longshore`: one reading of them for the whole house.
//   Months and years are refused: they have no fixed length.

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const SHORT = /^(\d{1,12}(?:\.\d{1,6})?)(ms|s|m|h|d)$/;
const ISO = /^P(?=.)(?:(\d{1,6})W|(?:(\d{1,6})D)?(?:T(?=.)(?:(\d{1,6})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:[.,]\d{1,6})?)S)?)?)$/;

/**
 * Whole milliseconds of `500ms`, `30s`, `15m`, `24h`, `7d`, `1.5s`, or of an ISO 8601 duration of weeks, or of days, hours,
 * minutes and seconds (`PT4M`, `P7D`, `P1DT12H`). `undefined` for anything else.
 * @see ISO 8601-1 §5.5.2
 */
export function parseDuration(text: string): number | undefined {
  const short = SHORT.exec(text);
  if (short !== null) return Math.round(Number(short[1]) * UNIT_MS[short[2] as keyof typeof UNIT_MS]);
  const iso = ISO.exec(text);
  if (iso === null) return undefined;
  const [weeks, days, hours, minutes, seconds] = iso.slice(1).map((part) => Number((part ?? '0').replace(',', '.')));
  const total = [(weeks ?? 0) * 7 * UNIT_MS.d, (days ?? 0) * UNIT_MS.d, (hours ?? 0) * UNIT_MS.h, (minutes ?? 0) * UNIT_MS.m];
  return Math.round(total.reduce((sum, part) => sum + part, (seconds ?? 0) * UNIT_MS.s));
}

/** The shortest form that {@link parseDuration} reads back as the same number: `1500ms`, `30s`, `15m`, `7d`. */
export function writeDuration(durationMs: number): string {
  if (durationMs === 0) return '0s';
  const unit = (['d', 'h', 'm', 's'] as const).find((name) => durationMs % UNIT_MS[name] === 0) ?? 'ms';
  return `${durationMs / UNIT_MS[unit]}${unit}`;
}
