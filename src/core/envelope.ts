// An answer inside an answer: a status monitor that is done may give the answer that the call itself would have had, as
// `application/http` or by its status code in a header.
// @see RFC 9112 §10.2, application/http; OData 4.01 Protocol §11.6, Asynchronous Requests

import type { HttpResponse } from './http.ts';
import { mediaTypeOf } from './readings.ts';

/** The answer inside; `undefined` where there is none, `malformed` where it is not whole. */
export function answerInside(response: HttpResponse): HttpResponse | 'malformed' | undefined {
  if (response.status !== 200) return undefined;
  if (mediaTypeOf(response) === 'application/http') return parsed(response);
  const code = /^\s*([1-5]\d\d)\s*$/.exec(response.headers['asyncresult'] ?? '')?.[1];
  if (code === undefined) return undefined;
  const { asyncresult: _said, ...headers } = response.headers;
  return { ...response, headers, status: Number(code) };
}

function parsed({ url, body }: HttpResponse): HttpResponse | 'malformed' {
  const end = endOfHead(body);
  if (end === undefined) return 'malformed';
  const [statusLine = '', ...lines] = new TextDecoder('latin1').decode(body.subarray(0, end.at)).split(/\r?\n/);
  const status = /^HTTP\/\d(?:\.\d)?[ \t]+([1-5]\d\d)(?:[ \t].*)?$/.exec(statusLine.trimStart())?.[1];
  if (status === undefined) return 'malformed';
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon < 1) return 'malformed';
    const name = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value;
  }
  const rest = body.subarray(end.at + end.length);
  const { 'content-length': declared, 'transfer-encoding': coding, ...fields } = headers;
  const length = declared === undefined ? rest.length : Number(declared);
  if (coding !== undefined || !Number.isInteger(length) || rest.length < length) return 'malformed';
  return { status: Number(status), url, headers: fields, body: rest.subarray(0, length) };
}

const LF = 10;
const CR = 13;

/** Where the blank line begins that ends the header fields, and how long it is with the line break before it. */
function endOfHead(bytes: Uint8Array): { readonly at: number; readonly length: number } | undefined {
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    const blank = bytes[at + 1] === LF ? 1 : bytes[at + 1] === CR && bytes[at + 2] === LF ? 2 : 0;
    const start = bytes[at - 1] === CR ? at - 1 : at;
    if (blank > 0) return { at: start, length: at + 1 + blank - start };
  }
  return undefined;
}
