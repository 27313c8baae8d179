// An answer inside an answer: a status monitor that is done may give the answer that the call itself would have had, as
// `application/http` or by its status code in a header.
// @see RFC 9112 §10.2, application/http; OData 4.01 Protocol §11.6, Asynchronous Requests

import { endOfHead, fieldsIn } from './head.ts';
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
  const head = new TextDecoder('latin1').decode(body.subarray(0, end.at));
  const [statusLine = ''] = head.split(/\r?\n/, 1);
  const status = /^HTTP\/\d(?:\.\d)?[ \t]+([1-5]\d\d)(?:[ \t].*)?$/.exec(statusLine.trimStart())?.[1];
  const headers = fieldsIn(head.slice(statusLine.length));
  if (status === undefined || headers === undefined) return 'malformed';
  const rest = body.subarray(end.at + end.length);
  const { 'content-length': declared, 'transfer-encoding': coding, ...fields } = headers;
  const length = declared === undefined ? rest.length : Number(declared);
  if (coding !== undefined || !Number.isInteger(length) || rest.length < length) return 'malformed';
  return { status: Number(status), url, headers: fields, body: rest.subarray(0, length) };
}
