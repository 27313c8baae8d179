// The kinds of value that the configuration file is made of, as zod schemas.
//   F1. A message reads on from the member's name, and what comes after ' → ' is its mend.
//   F2. Every number has a least and a most. No message repeats the value: it may be a secret in the wrong place.
//   F3. Where a number or a switch is wanted, digits and true or false as text will do: that is what `${NAME}` gives.
//   F4. A pattern is what editors check while typing; the reading itself decides.

import { isIP } from 'node:net';
import { z } from 'zod';
import { parseDuration, writeDuration } from '../core/duration.ts';
import { parseSize, writeSize } from './size.ts';

const REFERENCE = '.*\\$\\{.*';
const orReference = (pattern: string): RegExp => new RegExp(`^(?:${pattern}|${REFERENCE})$`);

/** Text that `read` turns into something else, or that is refused with `message`. */
function textRead<T>(message: string, read: (text: string) => T | undefined, pattern = '.+') {
  return z
    .string({ error: message })
    .regex(orReference(pattern), { error: message })
    .transform((text, context): T => {
      const value = read(text);
      if (value !== undefined) return value;
      context.issues.push({ code: 'custom', message, input: text });
      return z.NEVER;
    });
}

const within = (value: number | undefined, min: number, max: number): number | undefined =>
  value !== undefined && value >= min && value <= max ? value : undefined;

/** Milliseconds, from `least` to `most`, both written as durations. */
export function duration(least: string, most: string) {
  const [minMs, maxMs] = [parseDuration(least), parseDuration(most)];
  if (minMs === undefined || maxMs === undefined) throw new RangeError(`no duration: ${least}, ${most}`);
  return textRead(
    `must be a duration from ${writeDuration(minMs)} to ${writeDuration(maxMs)} → write a number with its unit, such as 500ms, 30s, 15m, 24h, 7d, or an ISO 8601 duration such as PT4M`,
    (text) => within(parseDuration(text), minMs, maxMs),
    'P[0-9TWDHMS.,]+|[0-9.]+(?:ms|s|m|h|d)',
  );
}

/** Bytes, from `least` to `most`, both written as sizes. */
export function size(least: string, most: string) {
  const [min, max] = [parseSize(least), parseSize(most)];
  if (min === undefined || max === undefined) throw new RangeError(`no size: ${least}, ${most}`);
  const message = `must be a size from ${writeSize(min)} to ${writeSize(max)} → write bytes, or a number with KiB, MiB or GiB`;
  return z.union(
    [
      z.int({ error: message }).min(min, { error: message }).max(max, { error: message }),
      textRead(message, (text) => within(parseSize(text), min, max), '[0-9]+(?:B|KiB|MiB|GiB)?'),
    ],
    { error: message },
  );
}

/** A number from `min` to `max`; whole unless `fractions`. */
export function amount(min: number, max: number, fractions = false) {
  const message = `must be a ${fractions ? '' : 'whole '}number from ${min} to ${max}`;
  const number = fractions ? z.number({ error: message }) : z.int({ error: message });
  const read = (text: string) =>
    /^\d{1,15}(\.\d{1,9})?$/.test(text) && (fractions || !text.includes('.')) ? Number(text) : undefined;
  return z.union(
    [
      number.min(min, { error: message }).max(max, { error: message }),
      textRead(message, (text) => within(read(text), min, max), fractions ? '[0-9]+(?:\\.[0-9]+)?' : '[0-9]+'),
    ],
    { error: message },
  );
}

export function flag() {
  const message = 'must be true or false';
  const words = new Map([
    ['true', true],
    ['false', false],
  ]);
  return z.union([z.boolean({ error: message }), textRead(message, (text) => words.get(text), 'true|false')], {
    error: message,
  });
}

/** One of some words. */
export function word<const W extends readonly string[]>(...words: W) {
  return z.enum(words, {
    error: `must be ${words.length > 2 ? 'one of ' : ''}${words.join(words.length > 2 ? ', ' : ' or ')}`,
  });
}

/** Text of 1 to `max` characters. */
export function text(max: number) {
  const message = `must be text of 1 to ${max} characters → quote it if it looks like a number`;
  return z.string({ error: message }).min(1, { error: message }).max(max, { error: message });
}

export function list<T extends z.ZodType>(item: T, max: number) {
  const message = `must be a list of at most ${max} → write [a, b], or one item a line, each after a dash`;
  return z.array(item, { error: message }).max(max, { error: message });
}

/** An object with these members and no others. Names of members that are not known become faults of their own. */
export function section<S extends z.core.$ZodLooseShape>(shape: S) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'invalid_type' ? `must be an object with members among ${Object.keys(shape).join(', ')}` : undefined,
  });
}

const tryUrl = (value: string): URL | undefined => (URL.canParse(value) ? new URL(value) : undefined);
const isHttp = (url: URL): boolean => url.protocol === 'http:' || url.protocol === 'https:';

/** An http(s) URL without credentials, query and fragment; kept as written, but without a slash at its end. */
export const baseUrl = () =>
  textRead(
    'must be an http or https URL without user, query and fragment → write it like https://longshore.internal',
    (value) => {
      const url = tryUrl(value);
      const plain =
        url !== undefined &&
        isHttp(url) &&
        /^https?:\/\//i.test(value) &&
        !/[?#\s]/.test(value) &&
        url.username + url.password === '';
      return plain ? value.replace(/\/+$/, '') : undefined;
    },
    'https?://.+',
  );

/** An http(s) URL without credentials and fragment, as it is written. */
export const keySetUrl = () =>
  textRead(
    'must be an http or https URL without user and fragment → write it like https://keys.example.com/jwks.json',
    (value) => {
      const url = tryUrl(value);
      const plain = url !== undefined && isHttp(url) && !/[#\s]/.test(value) && url.username + url.password === '';
      return plain && /^https?:\/\//i.test(value) ? value : undefined;
    },
    'https?://.+',
  );

/** Scheme, host and port, as browsers write them. */
export const origin = () =>
  textRead(
    'must be an origin: scheme, host and perhaps port → write it like https://app.example.com; there is no wildcard',
    (value) => {
      const url = tryUrl(value);
      return url !== undefined && isHttp(url) && !value.includes('*') && /^https?:\/\/[^/?#@\s]+\/?$/i.test(value)
        ? url.origin
        : undefined;
    },
    'https?://[^/]+/?',
  );

/** A Host header's value, in lower case. */
export const hostName = () =>
  textRead(
    'must be a host name, perhaps with a port → write it like longshore.internal or longshore.internal:8080',
    (value) => {
      const url = tryUrl(`http://${value}`);
      return url !== undefined && !value.includes('*') && /^[^/?#@\s]+$/.test(value) ? value.toLowerCase() : undefined;
    },
  );

export interface Listen {
  readonly host: string;
  readonly port: number;
}

/** `host:port`, `[::1]:port`, or `:port`, which is the loopback. Port 0 is any free port. */
export const listen = () =>
  textRead(
    'must be host:port with a port from 0 to 65535 → write it like 127.0.0.1:8080, "[::1]:8080" (quoted) or :8080',
    (value): Listen | undefined => {
      const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]*)):(\d{1,5})$/.exec(value);
      const port = Number(match?.[3]);
      if (match === null || port > 65535 || (match[1] !== undefined && isIP(match[1]) !== 6)) return undefined;
      return { host: match[1] ?? (match[2] || '127.0.0.1'), port };
    },
    '.*:[0-9]{1,5}',
  );

export type LedgerPlace = { readonly kind: 'sqlite'; readonly path: string };

/** `sqlite:<path>`; the path stays as written. */
export function ledgerUrl() {
  const message = 'must say the kind of ledger and where it is → write sqlite:./data/longshore.db';
  return z
    .string({ error: message })
    .max(4096, { error: message })
    .transform((value, context): LedgerPlace => {
      const [, kind, path] = /^([A-Za-z][A-Za-z0-9+.-]+):(.*)$/s.exec(value) ?? [];
      // `sqlite://data/x.db` could mean ./data or /data: two slashes are not guessed at.
      if (kind === 'sqlite' && path !== undefined && path.trim() !== '' && !/^\/\/[^/]/.test(path)) return { kind, path };
      const known = kind === undefined || kind === 'sqlite';
      context.issues.push({
        code: 'custom',
        message: known ? message : `names a kind of ledger that is not supported (${kind}) → write sqlite:./data/longshore.db`,
        input: value,
      });
      return z.NEVER;
    });
}
