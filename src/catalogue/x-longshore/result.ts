// What a job gives: result and error.

import { z } from 'zod';
import { headerName, helper, mediaType, named, pointer, sent, words } from './kinds.ts';

export const result = named(
  z.strictObject({
    ...helper,
    ...sent,
    at: pointer.optional(),
    id: pointer.meta({ description: 'Where the status has the result’s own id, the {id} of url.' }).optional(),
    urlAt: pointer.optional(),
    header: z.string().min(1).optional(),
    self: z
      .boolean()
      .meta({ description: 'For what a PUT or PATCH wrote: a GET of its own address gives the result.' })
      .optional(),
    none: z.boolean().optional(),
    required: z
      .literal(true)
      .meta({ description: 'A success that comes without its value, or with null, is not believed to have one.' })
      .optional(),
    type: z
      .union([mediaType, z.array(mediaType).min(1)])
      .meta({ description: 'Media type that the result has, or those that it may have: an answer of another is not it.' })
      .optional(),
    partial: z
      .union([pointer, words])
      .meta({
        description: 'Where it is set that the result is not all, or the words of `state` that mean so: such jobs succeeded.',
      })
      .optional(),
    pages: z
      .strictObject({
        header: headerName
          .meta({ description: 'Header with the next page: Link, a URL, or with query or body a token.' })
          .optional(),
        at: pointer
          .meta({ description: 'Where a page has the URL or token of the next; with list: in each of its entries.' })
          .optional(),
        list: pointer
          .meta({ description: 'Where the first page lists all parts, itself among them unless at is given.' })
          .optional(),
        query: z.string().min(1).meta({ description: 'Query parameter that the token, or the number, goes into.' }).optional(),
        body: pointer.meta({ description: 'Where in the request body it goes.' }).optional(),
        items: pointer.meta({ description: 'Where a page has its items; default: its only list.' }).optional(),
        by: z
          .enum(['page', 'item'])
          .meta({ description: 'Count pages (?page=2), or items (?offset=100), until a page is empty.' })
          .optional(),
        start: z
          .int()
          .min(0)
          .meta({ description: 'What the first page, or item, is counted as; default: 1, or 0.' })
          .optional(),
        total: pointer
          .meta({ description: 'Where a page says how many pages, or items, there are: none beyond is asked for.' })
          .optional(),
      })
      .refine(({ header, at, list, by }) => [header, at ?? list, by].filter((way) => way !== undefined).length === 1, {
        error: 'needs one of header and at, or a list, or by',
      })
      .refine(({ by, start, total }) => by !== undefined || (start ?? total) === undefined, {
        error: 'counts nothing: start and total need by',
      })
      .refine(({ by, query, body }) => by === undefined || (query ?? body) !== undefined, {
        error: 'counts, but no query or body says where the number goes',
      })
      .refine(({ query, body }) => query === undefined || body === undefined, { error: 'takes one of query and body' })
      .refine(({ list, at, query, body }) => list === undefined || at !== undefined || (query ?? body) !== undefined, {
        error: 'has a list of parts, but no query, body or at that asks for one',
      })
      .meta({ description: 'The result comes in pages, which are put together.' })
      .optional(),
    unwrap: z
      .enum(['json', 'base64'])
      .meta({ description: 'The value is text that holds JSON, or bytes (of `type`) as base64.' })
      .optional(),
  }),
);

export const error = z.strictObject({ message: pointer.optional() });
