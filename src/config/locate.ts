// Where a document, an overlay or a $ref prefix is: a URL as written, or a path made absolute.

import { resolve } from 'node:path';

export interface Location {
  /** An absolute path, or an http(s) URL. */
  readonly at: string;
  readonly remote: boolean;
}

/** The location, or in words (`message → mend`) why it is none. */
export function locate(written: string, base: string): Location | string {
  // One letter before the colon is a Windows drive.
  if (/^[A-Za-z][A-Za-z0-9+.-]+:/.test(written)) {
    const url = URL.canParse(written) ? new URL(written) : undefined;
    if (url === undefined) return 'is not a URL that can be read → write a path, or a URL like https://host/openapi.yaml';
    if (!/^https?:$/.test(url.protocol)) return 'is a URL of an unknown kind → write a path, or an http or https URL';
    if (url.username + url.password !== '')
      return 'has a user or password in it → remove it, or fetch the document into a file';
    return { at: written, remote: true };
  }
  return { at: resolve(base, written), remote: false };
}
