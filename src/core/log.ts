// What the house says about itself while it runs, as an argument: whoever logs is handed a Log and knows no logger.
//   L1. Fields hold what varies (operation, upstream, tool, attempt); the message is a constant sentence, so that it can be searched.
//   L2. No secret, no header value and no query of a URL is given as a field. The logger redacts as well, but as a second net.

/** Each method writes one line: what varies as fields, what happened as a sentence. None of them throws. */
export interface Log {
  debug(fields: Readonly<Record<string, unknown>>, message: string): void;
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
  /** A log that adds these fields to every line: usually `operation`, `upstream` or `tool`. */
  child(fields: Readonly<Record<string, unknown>>): Log;
}

/** Says nothing. For tests, and for tools that print their own answers. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLog,
};
