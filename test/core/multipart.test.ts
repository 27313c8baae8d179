// Multipart forms as they go on the wire, read back by the platform's own parser.

import { describe, expect, test } from 'vitest';
import { renderBody } from '../../src/core/body.ts';
import { fileOf } from '../../src/core/files.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { BodyBinding } from '../../src/core/request.ts';

const binding = (more: Partial<BodyBinding> = {}): BodyBinding => ({
  mediaType: 'multipart/form-data',
  required: true,
  from: { kind: 'member', argument: 'body' },
  ...more,
});

function written(body: JsonObject, more: Partial<BodyBinding> = {}) {
  const made = renderBody(binding(more), { body }, []);
  if (made === undefined || 'wrong' in made) throw new Error(made?.wrong ?? 'no body');
  return { contentType: made.contentType, bytes: made.body as Uint8Array<ArrayBuffer> };
}

/** Every part, read by somebody else. */
async function read(body: JsonObject, more: Partial<BodyBinding> = {}) {
  const { contentType, bytes } = written(body, more);
  const form = await new Response(bytes, { headers: { 'content-type': contentType } }).formData();
  const parts = [...form].map(async ([name, value]) =>
    typeof value === 'string'
      ? [name, value]
      : [name, { name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()).toString('hex') }],
  );
  return Promise.all(parts);
}

const files = (...names: string[]) => ({ parts: Object.fromEntries(names.map((name) => [name, { file: true }])) });

describe('a multipart form', () => {
  test('has a part for each value, and for each item of a list; null is none', async () => {
    expect(await read({ a: 'x\r\ny', n: 0, flag: false, none: null, list: ['1', '2'], 'a "b"': 'é' })).toEqual([
      ['a', 'x\r\ny'],
      ['n', '0'],
      ['flag', 'false'],
      ['list', '1'],
      ['list', '2'],
      ['a "b"', 'é'],
    ]);
  });

  test('writes what has members as a part in JSON, and a type that is described', () => {
    const parts = { note: { file: false, mediaType: 'text/markdown' } };
    const { bytes } = written({ options: { a: [1] }, note: '# x' }, { parts });
    const text = new TextDecoder().decode(bytes);
    expect(text).toContain('name="options"\r\nContent-Type: application/json\r\n\r\n{"a":[1]}\r\n');
    expect(text).toContain('name="note"\r\nContent-Type: text/markdown\r\n\r\n# x\r\n');
  });

  test('writes files as the bytes they are, with a type and a name', async () => {
    const png = Buffer.from('89504e470d0a1a0a00ff', 'hex');
    const body = {
      raw: 'AAH/',
      image: png.toString('base64'),
      named: `data:audio/mpeg;name=talk%201.mp3;base64,AAH/`,
      text: 'data:text/csv;name=rows.csv,a%2Cb%0A1%2C2',
      many: ['AA==', 'AQ=='],
    };
    expect(await read(body, files(...Object.keys(body)))).toEqual([
      ['raw', { name: 'raw', type: 'application/octet-stream', bytes: '0001ff' }],
      ['image', { name: 'image.png', type: 'image/png', bytes: png.toString('hex') }],
      ['named', { name: 'talk 1.mp3', type: 'audio/mpeg', bytes: '0001ff' }],
      ['text', { name: 'rows.csv', type: 'text/csv', bytes: Buffer.from('a,b\n1,2').toString('hex') }],
      ['many', { name: 'many', type: 'application/octet-stream', bytes: '00' }],
      ['many', { name: 'many', type: 'application/octet-stream', bytes: '01' }],
    ]);
    const fixed = { parts: { raw: { file: true, mediaType: 'application/pdf' } } };
    expect(await read({ raw: 'AA==' }, fixed)).toEqual([['raw', { name: 'raw.pdf', type: 'application/pdf', bytes: '00' }]]);
  });

  test('writes a member by its style', async () => {
    const encoding = { filter: { style: 'deepObject', explode: true }, ids: { style: 'form', explode: false } } as const;
    expect(await read({ filter: { 'a b': '1&2', c: ['x', 'y'] }, ids: ['1', '2'] }, { encoding })).toEqual([
      ['filter[a b]', '1&2'],
      ['filter[c]', 'x'],
      ['filter[c]', 'y'],
      ['ids', '1,2'],
    ]);
  });

  test('is the same bytes for the same arguments, under a boundary that no part holds', () => {
    const first = written({ a: '1' });
    expect(written({ a: '1' })).toEqual(first);
    const boundary = /boundary=(.+)$/.exec(first.contentType)?.[1] ?? '';
    expect(boundary).toMatch(/^longshore-[0-9a-f]{16}$/);
    const other = written({ a: '1', b: `--${boundary}--` });
    expect(other.contentType).not.toBe(first.contentType);
  });

  test('can not break out of a header', () => {
    const { bytes } = written(
      { 'a"\r\nX-Evil: 1': 'data:text/plain;name=%22%0D%0AX-Evil:%202;base64,AA==' },
      files('a"\r\nX-Evil: 1'),
    );
    expect(new TextDecoder().decode(bytes)).not.toMatch(/\r\nX-Evil/);
  });

  test.each([
    [{ file: 'not base64!' }, 'the file file is neither base64 nor a data: URL'],
    [['x'], 'a multipart body must be an object'],
    [{ a: '\ud800' }, 'the body holds half of a surrogate pair'],
  ])('of %j is refused', (body, wrong) => {
    expect(renderBody(binding(files('file')), { body }, [])).toEqual({ wrong });
  });
});

describe('a file in an argument', () => {
  test.each([
    ['AAH_', '0001ff', 'application/octet-stream'],
    [' AA H/\n', '0001ff', 'application/octet-stream'],
    ['data:,hi', '6869', 'application/octet-stream'],
    ['data:;base64,AAH/', '0001ff', 'application/octet-stream'],
    ['data:base64,AAH/', '0001ff', 'application/octet-stream'],
    ['data:text/plain;charset=utf-8,100%', '31303025', 'text/plain'],
    ['JVBERi0xLjc=', '255044462d312e37', 'application/pdf'],
    ['', '', 'application/octet-stream'],
  ])('%j is read', (text, hex, mediaType) => {
    const file = fileOf(text);
    expect(Buffer.from(file?.bytes ?? []).toString('hex')).toBe(hex);
    expect(file?.mediaType).toBe(mediaType);
  });

  test.each(['é', 'A', 'data:text/plain;base64,é'])('%j is none', (text) => expect(fileOf(text)).toBeUndefined());
});
