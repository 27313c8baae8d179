import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSize, writeSize } from '../../src/config/size.ts';
import { parseDuration, writeDuration } from '../../src/core/duration.ts';
import { nearest } from '../../src/core/nearest.ts';

describe('a duration', () => {
  test.each([
    ['0s', 0],
    ['500ms', 500],
    ['1.5s', 1500],
    ['30s', 30_000],
    ['15m', 900_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
    ['PT4M', 240_000],
    ['PT0.25S', 250],
    ['PT0,25S', 250],
    ['P7D', 604_800_000],
    ['P2W', 1_209_600_000],
    ['P1DT2H3M4S', 93_784_000],
  ])('%s is %i ms', (text, ms) => expect(parseDuration(text)).toBe(ms));

  test.each([
    '',
    '5',
    's',
    '5 s',
    '-5s',
    '+5s',
    '5S',
    '5mins',
    '1m30s',
    'P',
    'PT',
    'P1DT',
    'P1Y',
    'P1M',
    'pt4m',
    'P1W2D',
    'PT1.5M',
    '1e3s',
    '٣s',
    'Infinitys',
  ])('"%s" is none', (text) => expect(parseDuration(text)).toBeUndefined());

  test('is read as it was written', () => {
    fc.assert(
      fc.property(fc.nat({ max: 1e11 }), (ms) => {
        expect(parseDuration(writeDuration(ms))).toBe(ms);
      }),
    );
    expect([0, 1, 1000, 90_000, 3_600_000, 86_400_000].map(writeDuration)).toEqual(['0s', '1ms', '1s', '90s', '1h', '1d']);
  });
});

describe('a size', () => {
  test.each([
    ['0', 0],
    ['200', 200],
    ['200B', 200],
    ['512KiB', 524_288],
    ['10MiB', 10_485_760],
    ['1GiB', 1_073_741_824],
  ])('%s is %i bytes', (text, bytes) => expect(parseSize(text)).toBe(bytes));

  test.each(['', '1MB', '1 MiB', '1.5MiB', '-1', '1mib', '1TiB', '0x10'])('"%s" is none', (text) =>
    expect(parseSize(text)).toBeUndefined(),
  );

  test('is read as it was written', () => {
    fc.assert(
      fc.property(fc.nat(), (bytes) => {
        expect(parseSize(writeSize(bytes))).toBe(bytes);
      }),
    );
  });
});

describe('the nearest word', () => {
  const KNOWN = ['sessionIdle', 'sessionsMax', 'listen', 'drain'];
  test.each([
    ['sesionIdle', 'sessionIdle'],
    ['LISTEN', 'listen'],
    ['sessionMax', 'sessionsMax'],
    ['drian', 'drain'],
    ['rdina', undefined],
    ['dran', 'drain'],
    ['colour', undefined],
    ['x'.repeat(100), undefined],
  ])('to %s is %s', (word, meant) => expect(nearest(word, KNOWN)).toBe(meant));
});
