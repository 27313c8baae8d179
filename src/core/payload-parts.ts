// The parts of a payload: what is kept is the answer as it came, so that its digest proves its bytes; it is taken apart when it
// is shown or read.

import { bytesOfBase64 } from './files.ts';
import type { Payload } from './outcome.ts';
import { PARTS_MAX, type Part, partsOf } from './parts.ts';
import { payloadOf } from './readings.ts';

export interface PayloadPart {
  readonly name?: string;
  readonly bytes: number;
  /** Absent where the part is empty. */
  readonly payload?: Payload;
}

export interface PayloadParts {
  readonly parts: readonly PayloadPart[];
  readonly count: number;
}

/** The first parts of a payload, and how many it has; `undefined` where it is one thing, or not whole. */
export function partsIn({ body, boundary, encoding }: Payload, max = PARTS_MAX): PayloadParts | undefined {
  if (boundary === undefined || encoding !== 'base64') return undefined;
  const bytes = bytesOfBase64(body);
  const read = bytes && partsOf(bytes, boundary, max);
  return read === undefined || 'wrong' in read ? undefined : { parts: read.parts.map(payloadPart), count: read.count };
}

/** The media type of a whole payload, with what is needed to take it apart. */
export const typeOf = ({ mediaType, boundary }: Payload): string =>
  boundary === undefined ? mediaType : `${mediaType}; boundary="${boundary.replace(/["\\]/g, '\\$&')}"`;

function payloadPart({ name, contentType, bytes }: Part): PayloadPart {
  const payload = payloadOf({ status: 200, url: '', headers: { 'content-type': contentType }, body: bytes });
  return { bytes: bytes.length, ...(name !== undefined && { name }), ...(payload && { payload: undivided(payload) }) };
}

/** A part that has parts itself is one thing. */
const undivided = ({ boundary: _within, ...payload }: Payload): Payload => payload;
