import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readSource } from '../../src/catalogue/read.ts';

const servers: Server[] = [];
const folder = mkdtempSync(join(tmpdir(), 'longshore-read-'));

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

describe('reading', () => {
  test('a file gives its text', async () => {
    const file = join(folder, 'doc.yaml');
    writeFileSync(file, 'openapi: 3.0.0 # ü');
    expect(await readSource(file, { moves: true })).toEqual({ text: 'openapi: 3.0.0 # ü', location: file });
  });

  test.each([
    ['a file that is not there', join(folder, 'none.yaml'), 'it does not exist'],
    ['a folder', folder, 'it is a directory'],
    ['an address with a password', 'http://a:b@127.0.0.1/', 'the address holds a user name or password'],
  ])('%s fails in words', async (_name, location, message) => {
    await expect(readSource(location, { moves: true })).rejects.toThrow(message);
  });

  test('an address where nobody listens fails in words', async () => {
    const origin = await serve(() => undefined);
    await new Promise((resolve) => servers.at(-1)?.close(resolve));
    await expect(readSource(origin, { moves: true })).rejects.toThrow('the connection was refused');
  });

  test('an address sends no credentials, and says where the document was at last', async () => {
    const seen: string[] = [];
    const origin = await serve((request, response) => {
      seen.push(...Object.keys(request.headers));
      if (request.url === '/new') response.end('here');
      else response.writeHead(302, { location: '/new' }).end();
    });
    expect(await readSource(`${origin}/old`, { moves: true })).toEqual({ text: 'here', location: `${origin}/new` });
    expect(seen.filter((name) => /authorization|cookie|key/.test(name))).toEqual([]);
  });

  test('an address that was allowed as it is does not move', async () => {
    const asked: string[] = [];
    const origin = await serve((request, response) => {
      asked.push(String(request.url));
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    await expect(readSource(`${origin}/x`, { moves: false })).rejects.toThrow('it has moved to /elsewhere');
    expect(asked).toEqual(['/x']);
  });

  test('an address that answers with an error fails in words', async () => {
    const origin = await serve((_request, response) => response.writeHead(404).end());
    await expect(readSource(`${origin}/x`, { moves: true })).rejects.toThrow('the answer was 404 Not Found');
  });

  test('an answer without end is cut off', async () => {
    const origin = await serve((_request, response) => {
      const more = () => {
        while (response.write(Buffer.alloc(1024 * 1024, 'x')));
        response.once('drain', more);
      };
      more();
    });
    await expect(readSource(origin, { moves: true })).rejects.toThrow('it is larger than 64 MB');
  });
});
