// Lines of a byte stream: whole, bounded, and the same however the bytes come.

import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readLines } from '../../src/http/lines.ts';

const TOO_LONG = Symbol('too long');

/** What is read of these chunks; the input ends behind them. */
async function read(chunks: readonly Uint8Array[], bytesMax: number): Promise<readonly (string | typeof TOO_LONG)[]> {
  const input = new PassThrough();
  const seen: (string | typeof TOO_LONG)[] = [];
  const over = new Promise<void>((resolve) => {
    readLines(input, bytesMax, { line: (text) => seen.push(text), tooLong: () => seen.push(TOO_LONG), end: resolve });
  });
  for (const chunk of chunks) if (!input.write(chunk)) await once(input, 'drain');
  input.end();
  await over;
  return seen;
}

const cut = (bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] => {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((one, other) => one - other);
  return [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
};

describe('lines', () => {
  test('are the same however their bytes come', async () => {
    const text = fc.string({ unit: 'grapheme' }).map((line) => line.replace(/[\r\n]/g, ''));
    await fc.assert(
      fc.asyncProperty(fc.array(text), fc.array(fc.nat()), fc.constantFrom('\n', '\r\n'), async (lines, places, end) => {
        const bytes = new TextEncoder().encode(lines.map((line) => line + end).join(''));
        expect(await read(cut(bytes, places), 10_000)).toEqual(lines);
      }),
    );
  });

  test('that are too long cost nobody else, however their bytes come', async () => {
    const line = fc.oneof(
      fc.string({ maxLength: 8 }),
      fc.nat(200).map((more) => 'x'.repeat(9 + more)),
    );
    const ascii = line.map((one) => one.replace(/[^ -~]/g, '-'));
    await fc.assert(
      fc.asyncProperty(fc.array(ascii), fc.array(fc.nat()), async (lines, places) => {
        const bytes = new TextEncoder().encode(lines.map((one) => `${one}\n`).join(''));
        const expected = lines.map((one) => (one.length > 8 ? TOO_LONG : one));
        expect(await read(cut(bytes, places), 8)).toEqual(expected);
      }),
    );
  });

  test('may end without a line feed', async () => {
    expect(await read([Buffer.from('one\ntwo')], 100)).toEqual(['one', 'two']);
    expect(await read([Buffer.from('one\ntoo long')], 4)).toEqual(['one', TOO_LONG]);
  });

  test('are read no more once nobody wants them', () => {
    const input = new PassThrough();
    const stop = readLines(input, 100, {
      line: () => expect.unreachable('a line'),
      tooLong: () => expect.unreachable('a long line'),
      end: () => expect.unreachable('the end'),
    });
    stop();
    input.write('one\n');
    expect(input.listenerCount('data')).toBe(0);
    expect(input.isPaused()).toBe(true);
  });
});
