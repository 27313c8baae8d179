// The kinds of values that x-longshore is written with.

import { z } from 'zod';
import { parseDuration } from '../../core/duration.ts';

const DURATION_MAX_MS = 366 * 24 * 60 * 60 * 1000;

export const duration = z
  .string()
  .meta({ description: 'ISO 8601 (PT4M) or 500ms, 30s, 15m, 24h, 7d.' })
  .refine(
    (text) => {
      const durationMs = parseDuration(text);
      return durationMs !== undefined && durationMs <= DURATION_MAX_MS;
    },
    { error: 'is no duration like PT4M, 30s or 24h' },
  );
const HOLD_MAX_MS = 60_000;
export const hold = duration
  .refine((text) => (parseDuration(text) ?? 0) >= 1_000 && (parseDuration(text) ?? 0) <= HOLD_MAX_MS, {
    error: 'must be from 1s to 60s',
  })
  .meta({ description: 'How long the service holds its answer at most, from 1s to 60s.' });
export const pointer = z
  .string()
  .regex(/^(\/([^~]|~[01])*)?$/, { error: 'is no JSON Pointer like /status' })
  .meta({ description: 'JSON Pointer (RFC 6901); empty: the whole.' });
export const expression = z
  .string()
  .regex(/^\$(request|response)\.(body(#.*)?|header\..+|query\..+|path\..+)$/, {
    error: 'is no runtime expression like $response.body#/id or $response.header.Location',
  })
  .meta({ description: 'OpenAPI runtime expression.' });
export const words = z.array(z.string().min(1)).min(1);
export const texts = z.record(z.string().min(1), z.string());

export const helper = {
  operation: z.string().min(1).meta({ description: 'operationId, or `METHOD /path` as in the document.' }).optional(),
  method: z
    .string()
    .regex(/^[A-Za-z]+$/)
    .optional(),
  url: z.string().min(1).meta({ description: 'URL template with {id} or {statusUrl}; {+id} keeps slashes.' }).optional(),
};
export const sent = {
  query: texts.meta({ description: 'Added to the URL; values may hold {id} or be runtime expressions.' }).optional(),
  headers: texts.meta({ description: 'Sent along; values may hold {id} or be runtime expressions.' }).optional(),
  body: z
    .record(z.string().min(1), z.json())
    .meta({ description: 'Sent as JSON; texts may hold {id} or be runtime expressions.' })
    .optional(),
};
export const mediaType = z.string().regex(/^[\w.+-]+\/([\w.+-]+|\*)$/, { error: 'is no media type like text/csv' });
export const codes = z.array(z.int().min(200).max(599)).min(1);
/** Codes that say no, or that it can't be said. */
export const refusals = z.array(z.int().min(400).max(599)).min(1);
export const member = z.string().regex(/^[^/~]+$/, { error: 'is no name of a member' });

export const headerName = z.string().regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, { error: 'is no name of a header' });

/** A helper request may be written as the name of its operation. */
export const named = <T extends z.ZodType>(object: T) => z.union([z.string().min(1), object]);
