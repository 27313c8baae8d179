import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HttpRequest } from '../../src/core/http.ts';
import { type Json, type JsonObject, parseJson } from '../../src/core/json.ts';
import { renderRequest } from '../../src/core/render.ts';
import type { BodyBinding, ParameterBinding, RequestTemplate } from '../../src/core/request.ts';

type Parameter = Partial<ParameterBinding> & Pick<ParameterBinding, 'name' | 'in'>;

/** A parameter with OpenAPI's defaults for its place. */
function parameter(given: Parameter): ParameterBinding {
  const form = given.in === 'query' || given.in === 'cookie';
  return {
    argument: given.name,
    style: form ? 'form' : 'simple',
    explode: form,
    required: given.in === 'path',
    allowReserved: false,
    ...given,
  };
}

function template(path: string, parameters: readonly Parameter[] = [], more: Partial<RequestTemplate> = {}): RequestTemplate {
  return {
    method: 'post',
    server: 'https://up.test/base',
    path,
    parameters: parameters.map(parameter),
    headers: [],
    query: [],
    bodyConstants: [],
    accept: 'application/json',
    ...more,
  };
}

function rendered(of: RequestTemplate, args: JsonObject): HttpRequest {
  const result = renderRequest(of, args);
  if ('faults' in result) throw new Error(JSON.stringify(result.faults));
  return result.request;
}
const urlOf = (of: RequestTemplate, args: JsonObject) => rendered(of, args).url.replace('https://up.test/base', '');
const headerOf = (of: RequestTemplate, args: JsonObject, name: string) =>
  rendered(of, args).headers.find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1];
const faultsOf = (of: RequestTemplate, args: JsonObject) => {
  const result = renderRequest(of, args);
  return 'faults' in result ? result.faults.map((fault) => `${fault.pointer} ${fault.message}`) : [];
};

describe('a path argument', () => {
  const detail = template('/records/{id}/detail', [{ name: 'id', in: 'path' }]);

  test.each([
    ['../../admin/config', '..%2F..%2Fadmin%2Fconfig'],
    ['a/b', 'a%2Fb'],
    ['a?x=1', 'a%3Fx%3D1'],
    ['a#frag', 'a%23frag'],
    ['a b', 'a%20b'],
    ['a%2Fb', 'a%252Fb'],
    ['%2e%2e', '%252e%252e'],
    ['a\\b', 'a%5Cb'],
    ['é', '%C3%A9'],
    ["!'()*", '%21%27%28%29%2A'],
    [0, '0'],
    [false, 'false'],
    [parseJson('9007199254740993'), '9007199254740993'],
    [parseJson('1.10'), '1.10'],
    ['...', '...'],
  ])('%j stays in its segment', (id, segment) => {
    expect(urlOf(detail, { id })).toBe(`/records/${segment}/detail`);
  });

  test.each([
    ['missing', {}],
    ['null', { id: null }],
    ['empty', { id: '' }],
    ['empty', { id: [] }],
    ['empty', { id: [''] }],
    ["can't be a dot segment", { id: '.' }],
    ["can't be a dot segment", { id: '..' }],
    ['surrogate', { id: '\ud800' }],
  ])('that is %s is a fault that names it', (what, args) => {
    expect(faultsOf(detail, args)).toEqual([expect.stringMatching(new RegExp(`^/id the path parameter id .*${what}`))]);
  });

  test('may be dots where more stands in its segment, and two can not join to dots', () => {
    expect(urlOf(template('/f/{id}.json', [{ name: 'id', in: 'path' }]), { id: '..' })).toBe('/f/...json');
    const both = template('/f/{a}{b}', [
      { name: 'a', in: 'path' },
      { name: 'b', in: 'path' },
    ]);
    expect(faultsOf(both, { a: '.', b: '.' })).toHaveLength(2);
    expect(urlOf(both, { a: '.', b: 'x' })).toBe('/f/.x');
  });

  test('of a reserved expansion keeps its slashes, and still can not climb', () => {
    const wait = template('/v1/{+name}:wait', [{ name: 'name', in: 'path' }]);
    expect(urlOf(wait, { name: 'projects/p/operations/a b?c#d%2F' })).toBe('/v1/projects/p/operations/a%20b%3Fc%23d%252F:wait');
    for (const name of ['..', 'a/../b', '/etc', 'a//b', 'a/', './a']) expect(faultsOf(wait, { name })).toHaveLength(1);
  });

  test('is nothing that every object has', () => {
    const of = template('/x/{constructor}', [{ name: 'constructor', in: 'path' }]);
    expect(faultsOf(of, {})).toHaveLength(1);
    expect(faultsOf(template('/x/{id}'), {})).toEqual([expect.stringContaining('described nowhere')]);
  });

  test('of any text never changes how many segments there are, and is read back as it was given', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.string({ unit: fc.constantFrom('.', '/', '%', '2', 'e', '?', '#', '\\', ';') }),
    );
    fc.assert(
      fc.property(text, (id) => {
        const result = renderRequest(detail, { id });
        if ('faults' in result) {
          expect(['', '.', '..']).toContain(id);
          return;
        }
        const { pathname, search, hash } = new URL(result.request.url);
        expect([search, hash]).toEqual(['', '']);
        const segments = pathname.split('/');
        expect(segments).toHaveLength(5);
        expect(decodeURIComponent(segments[3] ?? '')).toBe(id);
      }),
    );
  });
});

describe('a style', () => {
  const list: Json = ['blue', 'black', 'brown'];
  const object: Json = { R: 100, G: 200, B: 150 };
  const path = (style: ParameterBinding['style'], explode: boolean) =>
    template('/{color}', [{ name: 'color', in: 'path', style, explode }]);
  const query = (style: ParameterBinding['style'], explode: boolean) =>
    template('/', [{ name: 'color', in: 'query', style, explode }]);

  // The table of OpenAPI 3.1 §4.8.12.4, Style Examples.
  test.each<[RequestTemplate, string, string, string]>([
    [path('matrix', false), '/;color=blue', '/;color=blue,black,brown', '/;color=R,100,G,200,B,150'],
    [path('matrix', true), '/;color=blue', '/;color=blue;color=black;color=brown', '/;R=100;G=200;B=150'],
    [path('label', false), '/.blue', '/.blue,black,brown', '/.R,100,G,200,B,150'],
    [path('label', true), '/.blue', '/.blue.black.brown', '/.R=100.G=200.B=150'],
    [path('simple', false), '/blue', '/blue,black,brown', '/R,100,G,200,B,150'],
    [path('simple', true), '/blue', '/blue,black,brown', '/R=100,G=200,B=150'],
    [query('form', false), '/?color=blue', '/?color=blue,black,brown', '/?color=R,100,G,200,B,150'],
    [query('form', true), '/?color=blue', '/?color=blue&color=black&color=brown', '/?R=100&G=200&B=150'],
    [query('spaceDelimited', false), '/?color=blue', '/?color=blue%20black%20brown', '/?color=R%20100%20G%20200%20B%20150'],
    [query('pipeDelimited', false), '/?color=blue', '/?color=blue%7Cblack%7Cbrown', '/?color=R%7C100%7CG%7C200%7CB%7C150'],
    [
      query('deepObject', true),
      '/?color=blue',
      '/?color=blue&color=black&color=brown',
      '/?color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150',
    ],
  ])('%# renders a value, a list and an object as the table says', (of, one, many, members) => {
    expect([urlOf(of, { color: 'blue' }), urlOf(of, { color: list }), urlOf(of, { color: object })]).toEqual([
      one,
      many,
      members,
    ]);
  });

  test('keeps what is deeper: by brackets where it can, else as JSON', () => {
    expect(urlOf(query('deepObject', true), { color: { a: { b: 'x y' }, c: [1, 2], d: null } })).toBe(
      '/?color%5Ba%5D%5Bb%5D=x%20y&color%5Bc%5D=1&color%5Bc%5D=2',
    );
    expect(urlOf(query('form', true), { color: [{ a: 1 }] })).toBe('/?color=%7B%22a%22%3A1%7D');
  });

  test('encodes what would divide', () => {
    expect(urlOf(query('form', false), { color: ['a,b', 'c&d', 'e=f', 'g h+i'] })).toBe('/?color=a%2Cb,c%26d,e%3Df,g%20h%2Bi');
  });
});

describe('a query argument', () => {
  const items = template('/items', [
    { name: 'ids', in: 'query' },
    { name: 'tags', in: 'query', explode: false },
    { name: 'pipes', in: 'query', style: 'pipeDelimited', explode: false },
    { name: 'filter', in: 'query', style: 'deepObject' },
    { name: 'q', in: 'query' },
    { name: 'n', in: 'query' },
    { name: 'flag', in: 'query' },
    { name: 'opt', in: 'query' },
  ]);

  test('is sent in its style, falsy or not', () => {
    const args = {
      ids: ['a', 'b,c'],
      tags: ['x', 'y,z'],
      pipes: ['1', '2'],
      filter: { eq: 'v&w' },
      q: 'a b+c',
      n: 0,
      flag: false,
    };
    expect(urlOf(items, args).slice('/items?'.length).split('&')).toEqual([
      'ids=a',
      'ids=b%2Cc',
      'tags=x,y%2Cz',
      'pipes=1%7C2',
      'filter%5Beq%5D=v%26w',
      'q=a%20b%2Bc',
      'n=0',
      'flag=false',
    ]);
    expect(urlOf(items, { q: '' })).toBe('/items?q=');
  });

  test.each<JsonObject>([{}, { opt: null }, { ids: [] }, { tags: [], filter: {} }, { ids: [null] }])(
    'that is nothing sends nothing: %j',
    (args) => {
      expect(urlOf(items, args)).toBe('/items');
    },
  );

  test('keeps its digits', () => {
    expect(urlOf(items, parseJson('{"n": 12345678901234567890, "ids": [1.10, 1e400]}') as JsonObject)).toBe(
      '/items?ids=1.10&ids=1e400&n=12345678901234567890',
    );
  });

  test('that allows reserved characters keeps those that can not be mistaken', () => {
    const of = template('/', [{ name: 'u', in: 'query', allowReserved: true }]);
    expect(urlOf(of, { u: 'https://x/a?b=c&d=e#f+g[h]%2F' })).toBe('/?u=https://x/a?b=c%26d=e%23f%2Bg%5Bh%5D%252F');
  });

  test('with a media type is one text of it', () => {
    const of = template('/', [{ name: 'where', in: 'query', mediaType: 'application/json' }]);
    expect(urlOf(of, { where: parseJson('{"id":9007199254740993,"ok":false}') })).toBe(
      '/?where=%7B%22id%22%3A9007199254740993%2C%22ok%22%3Afalse%7D',
    );
  });

  test('never changes what the template fixes', () => {
    const of = template(
      '/x',
      [
        { name: 'version', in: 'query', required: true },
        { name: 'more', in: 'query' },
      ],
      {
        query: [
          ['version', '2026-01'],
          ['$top', '1 0'],
        ],
      },
    );
    expect(urlOf(of, { version: 'evil', more: { version: 'evil', a: 1 } })).toBe('/x?a=1&version=2026-01&$top=1%200');
    expect(urlOf(of, {})).toBe('/x?version=2026-01&$top=1%200');
  });

  test('that is required is a fault where it is missing', () => {
    const of = template('/', [{ name: 'q', argument: 'the~query', in: 'query', required: true }]);
    expect(faultsOf(of, {})).toEqual(['/the~0query the query parameter q is missing']);
  });

  test('is read back as it was given', () => {
    const of = template('/', [
      { name: 'q', in: 'query' },
      { name: 'ids[]', in: 'query' },
      { name: 'f', in: 'query', style: 'deepObject' },
    ]);
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(text, fc.array(text), fc.dictionary(text, text), (q, ids, f) => {
        const { searchParams, pathname } = new URL(rendered(of, { q, 'ids[]': ids, f }).url);
        expect(pathname).toBe('/base/');
        expect(searchParams.getAll('q')).toEqual([q]);
        expect(searchParams.getAll('ids[]')).toEqual(ids);
        for (const [key, value] of Object.entries(f)) expect(searchParams.getAll(`f[${key}]`)).toEqual([value]);
        expect([...searchParams]).toHaveLength(1 + ids.length + Object.keys(f).length);
      }),
    );
  });
});

describe('a header argument', () => {
  const of = template(
    '/',
    [
      { name: 'X-Tag', in: 'header' },
      { name: 'X-Meta', in: 'header', mediaType: 'application/json' },
      { name: 'Prefer', in: 'header' },
      { name: 'Host', in: 'header' },
      { name: 'Authorization', in: 'header' },
    ],
    { headers: [['Prefer', 'respond-async']] },
  );

  test('is sent as it is: falsy, listed, or as JSON', () => {
    expect(headerOf(of, { 'X-Tag': 0 }, 'x-tag')).toBe('0');
    expect(headerOf(of, { 'X-Tag': '' }, 'x-tag')).toBe('');
    expect(headerOf(of, { 'X-Tag': [] }, 'x-tag')).toBeUndefined();
    expect(headerOf(of, { 'X-Tag': ['a b', 'c%d'] }, 'x-tag')).toBe('a b,c%d');
    expect(headerOf(of, { 'X-Meta': { a: 'é' } }, 'x-meta')).toBe('{"a":"\\u00e9"}');
  });

  test.each(['a\r\nX-Evil: 1', 'a\nb', 'a\0b', 'é'])('that a header can not carry is a fault: %j', (value) => {
    expect(faultsOf(of, { 'X-Tag': value })).toEqual([expect.stringMatching(/^\/X-Tag the header X-Tag can't carry/)]);
    expect(faultsOf(of, { 'X-Tag': [value] })).toHaveLength(1);
  });

  test('changes neither what the template fixes nor what belongs to the connection', () => {
    const { headers } = rendered(of, { Prefer: 'wait=9', Host: 'evil.test', Authorization: 'Bearer mine' });
    expect(headers).toEqual([
      ['Accept', 'application/json'],
      ['Prefer', 'respond-async'],
    ]);
  });
});

test('cookie arguments share one Cookie header', () => {
  const of = template('/', [
    { name: 'a', in: 'cookie' },
    { name: 'b', in: 'cookie' },
    { name: 'c', in: 'cookie' },
  ]);
  expect(headerOf(of, { a: 'x; y=z', b: [1, 2] }, 'cookie')).toBe('a=x%3B%20y%3Dz; b=1; b=2');
});

describe('a body', () => {
  const whole = (mediaType: string, more: Partial<BodyBinding> = {}): Partial<RequestTemplate> => ({
    body: { mediaType, required: true, from: { kind: 'member', argument: 'body' }, ...more },
  });
  const spread = (mediaType: string, required = false): Partial<RequestTemplate> => ({
    body: {
      mediaType,
      required,
      from: {
        kind: 'spread',
        members: [
          { argument: 'name', name: 'name' },
          { argument: 'page_size', name: 'page-size' },
        ],
      },
    },
  });

  test('of JSON keeps digits, null and order', () => {
    const args = { body: parseJson('{"b":12345678901234567890,"a":null,"c":[1.10,false,"é"]}') };
    const request = rendered(template('/', [], whole('application/vnd.acme+json')), args);
    expect(request.body).toBe('{"b":12345678901234567890,"a":null,"c":[1.10,false,"é"]}');
    expect(request.headers).toContainEqual(['Content-Type', 'application/vnd.acme+json']);
  });

  test('is put together from arguments', () => {
    expect(rendered(template('/', [], spread('application/json')), { name: null, page_size: 0 }).body).toBe(
      '{"name":null,"page-size":0}',
    );
    expect(rendered(template('/', [], spread('application/json', true)), {}).body).toBe('{}');
    const none = rendered(template('/', [], spread('application/json')), {});
    expect([none.body, none.headers]).toEqual([undefined, [['Accept', 'application/json']]]);
  });

  test('that is missing is a fault only where it is required', () => {
    expect(faultsOf(template('/', [], whole('application/json')), {})).toEqual(['/body the request body is missing']);
    expect(rendered(template('/', [], whole('application/json', { required: false })), { body: null }).body).toBeUndefined();
  });

  test('of a form repeats lists, keeps falsy values and leaves null out', () => {
    const args = { body: { a: [1, 'x&y'], b: false, c: '', d: null, e: { f: 1 }, g: 'é +' } };
    expect(rendered(template('/', [], whole('application/x-www-form-urlencoded')), args).body).toBe(
      'a=1&a=x%26y&b=false&c=&e=%7B%22f%22%3A1%7D&g=%C3%A9+%2B',
    );
    expect(faultsOf(template('/', [], whole('application/x-www-form-urlencoded')), { body: 'a=b' })).toHaveLength(1);
  });

  test('of text or bytes is what the argument says', () => {
    expect(rendered(template('/', [], whole('text/plain')), { body: 'hé\n' })).toMatchObject({
      body: 'hé\n',
      headers: [
        ['Accept', 'application/json'],
        ['Content-Type', 'text/plain; charset=utf-8'],
      ],
    });
    expect(rendered(template('/', [], whole('application/octet-stream')), { body: 'AAH/' }).body).toEqual(
      Uint8Array.of(0, 1, 255),
    );
    for (const [type, body] of [
      ['application/octet-stream', 'é'],
      ['image/png', { a: 1 }],
      ['text/plain', []],
      ['text/plain', '\ud800'],
      ['multipart/mixed', { a: 1 }],
      ['multipart/form-data', 1],
    ] as const) {
      expect(faultsOf(template('/', [], whole(type)), { body })).toHaveLength(1);
    }
  });

  test('takes constants by pointer, over what the arguments say', () => {
    const bodyConstants = [
      { pointer: '/async', value: true },
      { pointer: '/options/a~1b/0', value: 'x' },
      { pointer: '/__proto__', value: { polluted: 1 } },
    ];
    const of = template('/', [], { ...whole('application/json'), bodyConstants });
    expect(rendered(of, { body: { async: false, options: { 'a/b': ['y', 'z'] } } }).body).toBe(
      '{"async":true,"options":{"a/b":["x","z"]},"__proto__":{"polluted":1}}',
    );
    expect(faultsOf(of, { body: [1] })).toEqual(['/body the body has no place for the constant at /async']);
    expect(rendered(template('/', [], { bodyConstants: [{ pointer: '/a/b', value: 1 }] }), {}).body).toBe('{"a":{"b":1}}');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

describe('a request', () => {
  test('is the same, byte for byte, for the same arguments', () => {
    const of = template(
      '/r/{id}',
      [
        { name: 'id', in: 'path' },
        { name: 'q', in: 'query' },
        { name: 'X-H', in: 'header' },
      ],
      {
        body: { mediaType: 'application/json', required: false, from: { kind: 'member', argument: 'body' } },
        security: ['key'],
      },
    );
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.jsonValue(), (id, value) => {
        const text = JSON.stringify({ id, q: value, body: value });
        expect(renderRequest(of, parseJson(text) as JsonObject)).toEqual(renderRequest(of, parseJson(text) as JsonObject));
      }),
    );
  });

  test('carries method, constants, Accept and the schemes it needs', () => {
    const of = template('/a#Action', [], { headers: [['accept', 'text/csv']], query: [['async', 'true']], security: ['key'] });
    expect(rendered(of, {})).toEqual({
      method: 'POST',
      url: 'https://up.test/base/a?async=true',
      headers: [['accept', 'text/csv']],
      security: ['key'],
    });
    expect(urlOf(template('/a?action=x', [], { query: [['b', 'c']] }), {})).toBe('/a?action=x&b=c');
  });

  test('says everything that is wrong at once', () => {
    const of = template(
      '/{a}/{b}',
      [
        { name: 'a', in: 'path' },
        { name: 'b', in: 'path' },
        { name: 'c', in: 'query', required: true },
      ],
      { body: { mediaType: 'application/json', required: true, from: { kind: 'member', argument: 'd' } } },
    );
    expect(faultsOf(of, { a: '' }).map((fault) => fault.split(' ')[0])).toEqual(['/a', '/b', '/c', '/d']);
  });
});
