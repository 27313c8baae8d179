// What schemes share: header lines, message authentication codes, comparison in constant time, and clocks.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { EpochMs } from '../core/time.ts';
import type { VerifyRules } from '../core/webhook.ts';
import type { Incoming } from './scheme.ts';

export const TOLERANCE_MS = 5 * 60 * 1000;

/** The lines of a header, as they came. */
export const lines = ({ headers }: Incoming, name: string): readonly string[] => headers.get(name.toLowerCase()) ?? [];

/** A header that must say one thing; `undefined` where it is missing, or says several. */
export function single(incoming: Incoming, name: string): string | undefined {
  const values = new Set(lines(incoming, name).map((value) => value.trim()));
  return values.size === 1 ? [...values][0] : undefined;
}

/** Every value of a header that may be repeated or be a list. */
export const listed = (incoming: Incoming, name: string, separator: RegExp = /,/): readonly string[] =>
  lines(incoming, name).flatMap((line) =>
    line
      .split(separator)
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );

/** Whether two texts are the same; takes as long where they differ early as where they differ late. */
export function sameText(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** Whether any given text is any of the expected ones. All pairs are compared, so that none shows by its time. */
export function anySame(given: readonly string[], expected: readonly string[]): boolean {
  let same = false;
  for (const one of given) for (const other of expected) same = sameText(one, other) || same;
  return same;
}

export type Algorithm = NonNullable<VerifyRules['algorithm']>;

/** A message authentication code. @see RFC 2104 */
export function hmac(
  algorithm: Algorithm,
  key: string | Uint8Array,
  parts: readonly (string | Uint8Array)[],
  encoding: 'hex' | 'base64',
): string {
  const code = createHmac(algorithm, key);
  for (const part of parts) code.update(part);
  return code.digest(encoding);
}

export const sha256Hex = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const SECONDS_MAX = 100_000_000_000;

/** A time as it is signed: whole seconds or milliseconds since 1970, or RFC 3339; `undefined` for anything else. */
export function signedTime(text: string): EpochMs | undefined {
  if (/^\d{1,16}$/.test(text)) {
    const number = Number(text);
    return number < SECONDS_MAX ? number * 1000 : number;
  }
  const at = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** Why a signed time is not fresh, or `undefined`. */
export function staleness(text: string | undefined, rules: VerifyRules, now: EpochMs): string | undefined {
  const at = text === undefined ? undefined : signedTime(text);
  if (at === undefined) return 'the time stamp is missing or none';
  const toleranceMs = rules.toleranceMs ?? TOLERANCE_MS;
  if (Math.abs(now - at) <= toleranceMs) return undefined;
  return `the time stamp is ${at < now ? 'too old' : 'in the future'}`;
}

/** The key that a secret stands for. */
export function keyOf(secret: string, { secretEncoding }: VerifyRules): Uint8Array {
  return Buffer.from(secret, secretEncoding === undefined || secretEncoding === 'text' ? 'utf8' : secretEncoding);
}

/** What is signed, by a template: text with `{body}`, `{bodySha256}`, `{url}`, `{timestamp}` and `{header.NAME}`. */
export function signedParts(template: string, incoming: Incoming, rules: VerifyRules): readonly (string | Uint8Array)[] {
  return template.split(/(\{[^{}]+\})/).flatMap((part): readonly (string | Uint8Array)[] => {
    if (part === '') return [];
    if (part === '{body}') return [incoming.body];
    if (part === '{bodySha256}') return [sha256Hex(incoming.body)];
    if (part === '{url}') return [incoming.url];
    if (part === '{timestamp}') return [single(incoming, rules.timestamp ?? '') ?? ''];
    const header = /^\{header\.(.+)\}$/.exec(part)?.[1];
    return [header === undefined ? part : (single(incoming, header) ?? '')];
  });
}

const PLACEHOLDERS = /^(?:[^{}]|\{(?:body|bodySha256|url|timestamp|header\.[^{}]+)\})*$/;

/** Why a template can't be used, or `undefined`: a body that is not covered could be anybody's. */
export function templateFault(template: string, { timestamp }: VerifyRules): string | undefined {
  if (!PLACEHOLDERS.test(template)) {
    return '`signed` has a placeholder that is none: use {body}, {bodySha256}, {url}, {timestamp} or {header.NAME}';
  }
  if (!/\{body(?:Sha256)?\}/.test(template)) return '`signed` does not cover the body: put {body} or {bodySha256} into it';
  const named = timestamp !== undefined && (template.includes('{timestamp}') || hasHeader(template, timestamp));
  if (timestamp !== undefined && !named) return 'the time stamp is not signed: put {timestamp} into `signed`';
  return template.includes('{timestamp}') && timestamp === undefined
    ? '`signed` holds {timestamp}, and nothing says which header that is: set `timestamp`'
    : undefined;
}

const hasHeader = (template: string, name: string): boolean =>
  template.toLowerCase().includes(`{header.${name.toLowerCase()}}`);
