// Header fields in front of a body, as HTTP and MIME write them. @see RFC 9112 §5, RFC 5322 §2.2

const LF = 10;
const CR = 13;

/** Where the blank line begins that ends the header fields, and how long it is with the line break before it. */
export function endOfHead(bytes: Uint8Array): { readonly at: number; readonly length: number } | undefined {
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    const blank = bytes[at + 1] === LF ? 1 : bytes[at + 1] === CR && bytes[at + 2] === LF ? 2 : 0;
    const start = bytes[at - 1] === CR ? at - 1 : at;
    if (blank > 0) return { at: start, length: at + 1 + blank - start };
  }
  return undefined;
}

/** Fields by their names in lower case, those of one name together; `undefined` where a line is none. */
export function fieldsIn(head: string): Readonly<Record<string, string>> | undefined {
  const fields: Record<string, string> = {};
  // A line that begins with a blank goes on where the one before it ended.
  for (const line of head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    if (line === '') continue;
    const colon = line.indexOf(':');
    if (colon < 1) return undefined;
    const name = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    fields[name] = Object.hasOwn(fields, name) ? `${fields[name]}, ${value}` : value;
  }
  return fields;
}
