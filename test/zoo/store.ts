// The hosts of files that services hand results out from. The store's URLs are signed and run out: it takes a signature or a
// credential, and not both. The vault takes the credential of the service and nothing else.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isSignatureGood } from './quirks/result.ts';
import { TOKEN } from './quirks/status.ts';

export interface Store {
  readonly url: string;
  /** Requests that brought a credential, which it was not to see. */
  readonly leaks: number;
  close(): Promise<void>;
}

const refusal = (code: string, message: string): string => `<Error><Code>${code}</Code><Message>${message}</Message></Error>`;

/**
 * Opens a host of files on a free port of the loopback: `/<species>/<id>?signature=<n>` is a table of one row.
 * @param nameOf the name of the job that a file is of
 */
export async function openStore(
  kind: 'store' | 'vault',
  nameOf: (species: string, id: string) => string | undefined,
): Promise<Store> {
  let leaks = 0;
  const server = createServer((request, response) => {
    const at = new URL(request.url ?? '/', 'http://store.invalid');
    const [, species = '', id = ''] = at.pathname.split('/');
    const name = nameOf(species, id);
    const refuse = (code: number, text: string) => response.writeHead(code, { 'Content-Type': 'application/xml' }).end(text);
    if (kind === 'vault' && request.headers.authorization !== TOKEN)
      return void refuse(401, refusal('AccessDenied', 'Who is it?'));
    if (kind === 'store' && request.headers.authorization !== undefined) {
      leaks += 1;
      return void refuse(400, refusal('InvalidArgument', 'Only one auth mechanism allowed'));
    }
    if (name === undefined) return void refuse(404, refusal('NoSuchKey', 'The specified key does not exist'));
    if (kind === 'store' && !isSignatureGood(name, Number(at.searchParams.get('signature'))))
      return void refuse(403, refusal('AccessDenied', 'Request has expired'));
    response.writeHead(200, { 'Content-Type': 'text/csv' }).end(`Name,City\n${name},Ulm\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get leaks() {
      return leaks;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
