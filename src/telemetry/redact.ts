// What may leave in a log line: fields without secrets, bounded in depth and length.
//   R1. A member whose name says that it holds a secret is written as `•••`, at any depth and in any spelling.
//   R2. A URL, alone or inside a sentence, keeps origin and path and loses user, query and fragment: signed URLs are keys.
//   R3. Bytes are written as their number.

const SHOWN = '•••';
const SECRET_NAME =
  /authori[sz]ation|cookie|api[-_]?key|token|secret|passw(?:or)?d|passphrase|signature|credential|private[-_]?key|^(?:sig|jwt|bearer|session[-_]?id|mcp-session-id)$/i;
const URL_IN_TEXT = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>`\\]+/gi;
const SECRET_IN_TEXT = /\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi;

const DEPTH_MAX = 6;
const ITEMS_MAX = 100;
const TEXT_MAX = 4096;

/**
 * Origin and path of an absolute URL, or the path of a relative one; nothing of what may be secret in it. The token in the
 * path of a webhook is one, too.
 */
export function printableUrl(url: string | URL): string {
  const [place = ''] = String(url).split(/[?#]/, 1);
  const bare = place.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, '$1');
  return bare.replace(/(\/webhooks\/[^/]+\/).+/, `$1${SHOWN}`);
}

/** Text for people, such as an error's message, with its URLs made printable and its credentials gone. */
export function printableText(text: string): string {
  const short = text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}… (${text.length} characters)` : text;
  return short.replace(URL_IN_TEXT, printableUrl).replace(SECRET_IN_TEXT, `$1 ${SHOWN}`);
}

/** The fields of a log line, fit to be written. Never throws, whatever they hold. */
export function redact(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  try {
    return membersOf(fields, 0);
  } catch {
    return { unreadable: true };
  }
}

function membersOf(value: object, depth: number): Record<string, unknown> {
  const entries = Object.entries(value).slice(0, ITEMS_MAX);
  return Object.fromEntries(entries.map(([name, member]) => [name, shown(name, member, depth + 1)]));
}

function shown(name: string, value: unknown, depth: number): unknown {
  if (value === undefined || value === null || typeof value === 'boolean' || typeof value === 'number') return value;
  if (SECRET_NAME.test(name)) return SHOWN;
  if (typeof value === 'string') return printableText(value);
  if (typeof value !== 'object') return String(value);
  if (depth > DEPTH_MAX) return '…';
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
  if (value instanceof Error) return errorOf(value, depth);
  if ('toJSON' in value && typeof value.toJSON === 'function') return shown(name, value.toJSON(), depth + 1);
  if (Array.isArray(value)) return value.slice(0, ITEMS_MAX).map((item) => shown('', item, depth + 1));
  return membersOf(value, depth);
}

function errorOf(error: Error, depth: number): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? error.code : undefined;
  return {
    type: name,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    message: printableText(message),
    ...(stack === undefined ? {} : { stack: printableText(stack) }),
    ...(cause === undefined ? {} : { cause: shown('', cause, depth + 1) }),
  };
}
