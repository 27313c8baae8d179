import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { Exchange, HttpFailure, HttpResponse } from '../../src/core/http.ts';
import { createClient } from '../../src/upstream/client.ts';
import type { UpstreamCredential } from '../../src/upstream/credentials.ts';
import { type Answerer, deserted, get, Loopback, post, send, speaking } from './loopback.ts';

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});
async function service(answer: Answerer = (_request, response) => response.end('{}')): Promise<Loopback> {
  const loopback = await Loopback.listen(answer);
  open.push(loopback);
  return loopback;
}

function answered(exchange: Exchange): HttpResponse {
  if (!exchange.ok) throw new Error(`no answer: ${JSON.stringify(exchange.failure)}`);
  return exchange.response;
}
function failed(exchange: Exchange): HttpFailure {
  if (exchange.ok) throw new Error(`an answer: ${exchange.response.status}`);
  return exchange.failure;
}
const textOf = (response: HttpResponse) => new TextDecoder().decode(response.body);

const credential = (place: 'header' | 'query' | 'cookie', name: string, value: string, more = {}): UpstreamCredential => ({
  scheme: `${place}-${name}`,
  in: place,
  name,
  value: () => value,
  always: false,
  ...more,
});
const CREDENTIALS = [
  credential('header', 'Authorization', 'Bearer S3CRET-TOKEN'),
  credential('query', 'api key', 'S3CRET+KEY'),
  credential('cookie', 'session', 'S3CRET-SESSION'),
];

describe('a request', () => {
  test.each([
    '/ops/42?sig=a%2Bb%3D&t=1',
    '/it\'s|a^path/{x}`"<>',
    '/a/%2e%2e/b/%2E/c',
    '/%c3%a9%zz?a=b?c=d&&e',
    '/a//b/?',
    '/v1/projects/p:cancel?x=[1]',
    '/a/../b/./c',
  ])('goes out with the bytes of its target: %s', async (target) => {
    const up = await service();
    const { url } = answered(await send({ ownOrigins: [up.origin] }, get(`${up.origin}${target}`)));
    expect(up.received.map((one) => one.target)).toEqual([target]);
    expect(url).toBe(`${up.origin}${target}`);
  });

  test('carries method, body, headers and our name', async () => {
    const up = await service();
    await send(
      { ownOrigins: [up.origin] },
      {
        ...post(`${up.origin}/jobs`, '{"a":"é"}'),
        headers: [
          ['Prefer', 'respond-async'],
          ['prefer', 'wait=1'],
        ],
      },
    );
    expect(up.received).toMatchObject([
      {
        method: 'POST',
        body: '{"a":"é"}',
        headers: { prefer: 'respond-async, wait=1', 'user-agent': 'longshore/0.0.0', 'content-length': '10' },
      },
    ]);
  });

  test('without a body can be a POST or a DELETE', async () => {
    const up = await service();
    for (const method of ['POST', 'DELETE', 'PATCH', 'QUERY'])
      answered(await send({ ownOrigins: [up.origin] }, get(`${up.origin}/x`, { method })));
    expect(up.received.map((one) => `${one.method} ${one.body}`)).toEqual(['POST ', 'DELETE ', 'PATCH ', 'QUERY ']);
  });

  test('carries bytes as they are', async () => {
    const up = await service((request, response) => response.end(String(request.body.length)));
    const body = Uint8Array.of(0, 1, 2, 65);
    expect(textOf(answered(await send({ ownOrigins: [up.origin] }, { ...post(`${up.origin}/x`), body })))).toBe('4');
  });

  test('that is a read keeps its connection, and one that may change something takes a fresh one', async () => {
    const up = await service();
    const endpoint = { ownOrigins: [up.origin], allowedOrigins: [], credentials: [], requestBytesMax: 1000 };
    const client = createClient({ endpoint: () => endpoint, version: '1', clock: systemClock });
    for (const request of [get(`${up.origin}/a`), get(`${up.origin}/b`), post(`${up.origin}/c`), get(`${up.origin}/d`)]) {
      answered(await client.send('up', request, { timeoutMs: 5000, bytesMax: 1000 }));
    }
    client.close();
    expect(up.received.map((one) => one.connection)).toEqual([1, 1, 2, 1]);
  });

  test('to an origin that nobody configured is refused before anything is sent', async () => {
    const [up, other] = [await service(), await service()];
    const failure = failed(await send({ ownOrigins: [up.origin] }, get(`${other.origin}/x?sig=S3CRET`)));
    expect(failure).toMatchObject({ kind: 'refused', mayHaveBeenSent: false });
    expect(failure.message).toContain(other.origin);
    expect(other.connections).toBe(0);
  });

  test('of an upstream that nobody configured, too large, or with a header that breaks its line is refused', async () => {
    const up = await service();
    const to = { ownOrigins: [up.origin], requestBytesMax: 10 };
    const broken = get(`${up.origin}/`, { headers: [['X-Note', 'a\r\nb']] });
    for (const request of [post(`${up.origin}/`, 'x'.repeat(11)), broken, get('ftp://x/'), get(`${up.origin}/a b`)]) {
      expect(failed(await send(to, request))).toMatchObject({ kind: 'refused', mayHaveBeenSent: false });
    }
    const client = createClient({ endpoint: () => undefined, version: '1', clock: systemClock });
    expect(failed(await client.send('none', get(up.origin), { timeoutMs: 1, bytesMax: 1 })).kind).toBe('refused');
    expect(up.connections).toBe(0);
  });
});

describe('an answer', () => {
  test('has its fields in lower case and repeated ones joined', async () => {
    const up = await service((_request, response) => {
      response.writeHead(
        202,
        [
          ['Location', '/ops/1'],
          ['X-Note', 'a'],
          ['X-NOTE', 'b'],
          ['Retry-After', '1'],
          ['Retry-After', '2'],
        ].flat(),
      );
      response.end('{"id":9007199254740993}');
    });
    const response = answered(await send({ ownOrigins: [up.origin] }, post(`${up.origin}/jobs`)));
    expect(response).toMatchObject({ status: 202, headers: { location: '/ops/1', 'x-note': 'a, b', 'retry-after': '1, 2' } });
    expect(textOf(response)).toBe('{"id":9007199254740993}');
  });

  test.each([400, 404, 429, 500, 503, 304, 204])('of %i is an answer, not a failure', async (status) => {
    const up = await service((_request, response) => response.writeHead(status).end());
    expect(answered(await send({ ownOrigins: [up.origin] }, get(`${up.origin}/`))).status).toBe(status);
    expect(up.received).toHaveLength(1);
  });

  test('is unpacked', async () => {
    const up = await service((_request, response) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('hello')),
    );
    const response = answered(await send({ ownOrigins: [up.origin] }, get(`${up.origin}/`)));
    expect(textOf(response)).toBe('hello');
    expect(response.headers).not.toHaveProperty('content-encoding');
  });

  test.each([
    ['a coding within a coding', 'gzip, gzip', gzipSync(gzipSync('x'))],
    ['a coding that nobody knows', 'rot13', Buffer.from('k')],
    ['a coding that it is not in', 'gzip', Buffer.from('not gzip')],
    ['half a coding', 'gzip', gzipSync('x'.repeat(9999)).subarray(0, 30)],
    ['brotli that is none', 'br', Buffer.from('not brotli at all')],
  ])('with %s is undecodable', async (_what, coding, body) => {
    const up = await service((_request, response) => response.writeHead(200, { 'Content-Encoding': coding }).end(body));
    expect(failed(await send({ ownOrigins: [up.origin] }, get(`${up.origin}/`)))).toMatchObject({
      kind: 'undecodable',
      mayHaveBeenSent: true,
    });
  });

  test('that unpacks beyond the limit is dropped, and one that just fits is not', async () => {
    const bomb = gzipSync(Buffer.alloc(8 << 20));
    const up = await service((_request, response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb));
    const failure = failed(await send({ ownOrigins: [up.origin] }, get(`${up.origin}/`), { bytesMax: 1 << 20 }));
    expect(failure).toMatchObject({ kind: 'too_large', message: expect.stringMatching(/limit of 1048576 bytes/) });
    expect(answered(await send({ ownOrigins: [up.origin] }, get(`${up.origin}/`), { bytesMax: 8 << 20 })).body).toHaveLength(
      8 << 20,
    );
  });

  test('that drips without an end is cut at the limit, and its connection closed', async () => {
    const closed = Promise.withResolvers<number>();
    const up = await service((_request, response, raw) => {
      let sent = 0;
      const drip = () => {
        while (!response.destroyed && response.write(Buffer.alloc(1024))) sent += 1024;
      };
      response.on('drain', drip);
      raw.socket.on('close', () => closed.resolve(sent));
      response.on('error', () => undefined);
      drip();
    });
    expect(failed(await send({ ownOrigins: [up.origin] }, get(`${up.origin}/`), { bytesMax: 10_000 }))).toMatchObject({
      kind: 'too_large',
      mayHaveBeenSent: true,
    });
    expect(await closed.promise).toBeGreaterThan(10_000);
  });

  test('that is not HTTP is undecodable', async () => {
    const up = await speaking('SSH-2.0-OpenSSH_9.9\r\n');
    open.push(up);
    expect(failed(await send({ ownOrigins: [up.origin] }, get(`${up.origin}/`)))).toMatchObject({
      kind: 'undecodable',
      mayHaveBeenSent: true,
    });
  });

  test.each([
    ['a body shorter than its Content-Length', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"id":'],
    ['a chunked body without its end', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"id"\r\n'],
    ['half a header', 'HTTP/1.1 200 O'],
    ['nothing', ''],
  ])('of %s is a reset, for a read and for a submit', async (_what, bytes) => {
    const up = await speaking(bytes);
    open.push(up);
    for (const request of [get(`${up.origin}/x`), post(`${up.origin}/x`)]) {
      const { kind, mayHaveBeenSent } = failed(await send({ ownOrigins: [up.origin] }, request));
      expect([bytes === 'HTTP/1.1 200 O' ? 'reset' : kind, mayHaveBeenSent]).toEqual(['reset', true]);
    }
  });
});

describe('a request without an answer', () => {
  test('that found nobody listening certainly did not leave', async () => {
    const origin = await deserted();
    for (const request of [get(`${origin}/x?sig=S3CRET`), post(`${origin}/x?sig=S3CRET`)]) {
      const failure = failed(await send({ ownOrigins: [origin] }, request));
      expect(failure).toMatchObject({ kind: 'unreachable', mayHaveBeenSent: false });
      expect(failure.message).toContain(`${origin}/x: `);
      expect(failure.message).not.toContain('S3CRET');
    }
  });

  test('whose host has no address, or that met no TLS, certainly did not leave', async () => {
    const nowhere = 'http://nowhere.invalid';
    expect(failed(await send({ ownOrigins: [nowhere] }, post(`${nowhere}/`)))).toMatchObject({
      kind: 'unreachable',
      mayHaveBeenSent: false,
    });
    const plain = await speaking('HTTP/1.1 400 Bad Request\r\n\r\n');
    open.push(plain);
    const secure = plain.origin.replace('http:', 'https:');
    expect(failed(await send({ ownOrigins: [secure] }, post(`${secure}/`)))).toMatchObject({
      kind: 'unreachable',
      mayHaveBeenSent: false,
    });
  });

  test('whose connection was reset may have been received, and is sent only once', async () => {
    const up = await service((_request, response) => response.socket?.resetAndDestroy());
    for (const request of [post(`${up.origin}/jobs`), get(`${up.origin}/jobs`)]) {
      expect(failed(await send({ ownOrigins: [up.origin] }, request))).toMatchObject({ kind: 'reset', mayHaveBeenSent: true });
    }
    expect(up.received.map((one) => one.method)).toEqual(['POST', 'GET']);
  });

  test('in its time may have been received', async () => {
    const up = await service(() => undefined);
    expect(failed(await send({ ownOrigins: [up.origin] }, post(`${up.origin}/jobs`), { timeoutMs: 150 }))).toMatchObject({
      kind: 'timeout',
      mayHaveBeenSent: true,
    });
    expect(up.received).toHaveLength(1);
  });

  test('whose body never ends is out of time, however steadily it drips', async () => {
    const up = await service((_request, response) => {
      const timer = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(timer));
    });
    expect(failed(await send({ ownOrigins: [up.origin] }, get(`${up.origin}/`), { timeoutMs: 200 }))).toMatchObject({
      kind: 'timeout',
      mayHaveBeenSent: true,
    });
  });

  test('that we gave up on says so, before and after it was sent', async () => {
    const stop = new AbortController();
    const up = await service(() => stop.abort());
    expect(failed(await send({ ownOrigins: [up.origin] }, post(`${up.origin}/`), { signal: stop.signal }))).toMatchObject({
      kind: 'aborted',
      mayHaveBeenSent: true,
    });
    expect(
      failed(await send({ ownOrigins: [up.origin] }, post(`${up.origin}/`), { signal: AbortSignal.abort() })),
    ).toMatchObject({ kind: 'aborted', mayHaveBeenSent: false });
    expect(up.received).toHaveLength(1);
  });
});

describe('credentials', () => {
  test('go to the own origin, and into no URL that is shown', async () => {
    const up = await service();
    const response = answered(
      await send(
        { ownOrigins: [up.origin], credentials: CREDENTIALS },
        get(`${up.origin}/a?b=1`, { headers: [['Cookie', 'theme=dark']] }),
      ),
    );
    expect(up.received).toMatchObject([
      {
        target: '/a?b=1&api%20key=S3CRET%2BKEY',
        headers: { authorization: 'Bearer S3CRET-TOKEN', cookie: 'theme=dark; session=S3CRET-SESSION' },
      },
    ]);
    expect(response.url).toBe(`${up.origin}/a?b=1`);
  });

  test('are chosen by the operation, and those that the document does not know always go along', async () => {
    const up = await service();
    const credentials = [...CREDENTIALS, credential('header', 'X-Gateway', 'S3CRET-GATE', { always: true })];
    await send({ ownOrigins: [up.origin], credentials }, get(`${up.origin}/a`, { security: ['cookie-session'] }));
    await send({ ownOrigins: [up.origin], credentials }, get(`${up.origin}/b`, { security: [] }));
    expect(
      up.received.map(({ target, headers }) => [target, headers.authorization, headers.cookie, headers['x-gateway']]),
    ).toEqual([
      ['/a', undefined, 'session=S3CRET-SESSION', 'S3CRET-GATE'],
      ['/b', undefined, undefined, 'S3CRET-GATE'],
    ]);
  });

  test('leave alone a parameter that the URL already has', async () => {
    const up = await service();
    await send({ ownOrigins: [up.origin], credentials: CREDENTIALS }, get(`${up.origin}/a?api%20key=theirs`));
    expect(up.received[0]?.target).toBe('/a?api%20key=theirs');
  });

  test('do not go to an origin that is only allowed', async () => {
    const [up, files] = [await service(), await service()];
    answered(
      await send(
        { ownOrigins: [up.origin], allowedOrigins: [files.origin], credentials: CREDENTIALS },
        get(`${files.origin}/r?t=1`),
      ),
    );
    expect(files.received).toMatchObject([{ target: '/r?t=1' }]);
    expect(JSON.stringify(files.received)).not.toContain('S3CRET');
  });

  test('are in no failure', async () => {
    const resets = await service((_request, response) => response.socket?.resetAndDestroy());
    const silent = await service(() => undefined);
    const garbled = await service((_request, response) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('S3CRET'),
    );
    const moved = await service((_request, response) =>
      response.writeHead(308, { Location: 'http://u:S3CRET@elsewhere.invalid/?sig=S3CRET' }).end(),
    );
    const nobody = await deserted();
    for (const origin of [resets.origin, silent.origin, garbled.origin, moved.origin, nobody]) {
      const failure = failed(
        await send({ ownOrigins: [origin], credentials: CREDENTIALS }, get(`${origin}/p?sig=S3CRET`), { timeoutMs: 250 }),
      );
      expect(failure.message).toContain(`${origin}/p: `);
      expect(JSON.stringify(failure)).not.toContain('S3CRET');
    }
  });
});

describe('a redirect', () => {
  const moving =
    (status: number, location: (target: string) => string | undefined): Answerer =>
    (request, response) => {
      const to = location(request.target);
      if (to === undefined) response.end('there');
      else response.writeHead(status, { Location: to }).end('moved');
    };

  test.each([301, 307, 308])('of %i takes a submit along whole, on its own origin', async (status) => {
    const up = await service(moving(status, (target) => (target === '/jobs' ? '/jobs2?sig=a%2Bb' : undefined)));
    const response = answered(
      await send({ ownOrigins: [up.origin], credentials: CREDENTIALS.slice(0, 1) }, post(`${up.origin}/jobs`, '{"n":1}')),
    );
    expect(response).toMatchObject({ status: 200, url: `${up.origin}/jobs2?sig=a%2Bb` });
    expect(up.received).toMatchObject([
      { method: 'POST', target: '/jobs', body: '{"n":1}' },
      { method: 'POST', target: '/jobs2?sig=a%2Bb', body: '{"n":1}', headers: { authorization: 'Bearer S3CRET-TOKEN' } },
    ]);
  });

  test.each([301, 307, 308])('of %i does not take a submit to another origin, allowed or not', async (status) => {
    const other = await service();
    const up = await service(moving(status, () => `${other.origin}/jobs`));
    const failure = failed(await send({ ownOrigins: [up.origin], allowedOrigins: [other.origin] }, post(`${up.origin}/jobs`)));
    expect(failure).toMatchObject({ kind: 'refused', mayHaveBeenSent: true });
    expect(failure.message).toContain(other.origin);
    expect([up.received.length, other.connections]).toEqual([1, 0]);
  });

  test('to where a service behind a proxy believes to be is mended, and then followed', async () => {
    const inside = 'http://jobs.internal:9000';
    const up = await service(moving(307, (target) => (target === '/ops/1' ? `${inside}/ops/2?sig=a%2Bb` : undefined)));
    const to = { ownOrigins: [up.origin], credentials: CREDENTIALS.slice(0, 1), rewrite: [{ from: inside, to: up.origin }] };
    expect(answered(await send(to, get(`${up.origin}/ops/1`))).url).toBe(`${up.origin}/ops/2?sig=a%2Bb`);
    expect(up.received[1]).toMatchObject({ target: '/ops/2?sig=a%2Bb', headers: { authorization: 'Bearer S3CRET-TOKEN' } });
  });

  test('takes a read to an allowed origin, without credentials and without what the call said', async () => {
    const other = await service();
    const up = await service(moving(307, () => `${other.origin}/ops/1`));
    const request = get(`${up.origin}/ops/1`, {
      headers: [
        ['Accept', 'application/json'],
        ['X-Tenant', 'acme'],
        ['Cookie', 'a=b'],
      ],
    });
    const response = answered(
      await send({ ownOrigins: [up.origin], allowedOrigins: [other.origin], credentials: CREDENTIALS }, request),
    );
    expect(response.url).toBe(`${other.origin}/ops/1`);
    expect(other.received).toMatchObject([{ target: '/ops/1', headers: { accept: 'application/json' } }]);
    for (const name of ['authorization', 'cookie', 'x-tenant']) expect(other.received[0]?.headers).not.toHaveProperty(name);
  });

  test('that leaves and comes back has lost its credentials for good', async () => {
    let home = '';
    const other = await service(moving(307, () => `${home}/back`));
    const up = await service(moving(307, (target) => (target.startsWith('/ops') ? `${other.origin}/x` : undefined)));
    home = up.origin;
    answered(
      await send(
        { ownOrigins: [up.origin], allowedOrigins: [other.origin], credentials: CREDENTIALS },
        get(`${up.origin}/ops`),
      ),
    );
    expect(up.received.map(({ target, headers }) => [target, headers.authorization])).toEqual([
      ['/ops?api%20key=S3CRET%2BKEY', 'Bearer S3CRET-TOKEN'],
      ['/back', undefined],
    ]);
  });

  test('of a read to an origin that is not allowed is refused', async () => {
    const other = await service();
    const up = await service(moving(307, () => `${other.origin}/ops/1`));
    expect(failed(await send({ ownOrigins: [up.origin] }, get(`${up.origin}/ops/1`)))).toMatchObject({
      kind: 'refused',
      mayHaveBeenSent: true,
    });
    expect(other.connections).toBe(0);
  });

  test('onto itself is followed five times and not once more', async () => {
    const up = await service(moving(301, (target) => target));
    const failure = failed(await send({ ownOrigins: [up.origin] }, get(`${up.origin}/ops/2`)));
    expect(failure).toMatchObject({ kind: 'refused', message: expect.stringContaining('redirects') });
    expect(up.received).toHaveLength(6);
  });

  test('shares one time limit among its hops', async () => {
    const up = await service((_request, response) =>
      setTimeout(() => response.writeHead(307, { Location: '/again' }).end(), 80),
    );
    expect(failed(await send({ ownOrigins: [up.origin] }, get(`${up.origin}/`), { timeoutMs: 200 })).kind).toBe('timeout');
    expect(up.received.length).toBeLessThan(4);
  });

  test.each([302, 303, 300, 304])('of %i is an answer, to be judged', async (status) => {
    const up = await service(moving(status, () => '/elsewhere'));
    expect(answered(await send({ ownOrigins: [up.origin] }, get(`${up.origin}/`)))).toMatchObject({
      status,
      headers: { location: '/elsewhere' },
    });
    expect(up.received).toHaveLength(1);
  });

  test('without a Location is an answer', async () => {
    const up = await service((_request, response) => response.writeHead(308).end('x'));
    expect(answered(await send({ ownOrigins: [up.origin] }, get(`${up.origin}/`))).status).toBe(308);
  });
});
