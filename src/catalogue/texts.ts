// Texts of a document, short enough for a model to read.

/** A text of at most `max` characters: cut after a sentence where one ends late enough, else anywhere. */
export function clipped(value: string, max: number): string {
  if (value.length <= max) return value;
  const start = value.slice(0, max - 1);
  const sentence = /^[\s\S]*[.!?](?=\s)/.exec(start)?.[0];
  if (sentence !== undefined && sentence.length > max / 2) return `${sentence.trimEnd()} …`;
  return `${start.toWellFormed().trimEnd()}…`;
}
