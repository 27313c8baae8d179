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
        query: z
          .string()
          .min(1)
          .meta({ description: 'Query parameter that the token, or the number of the part, goes into.' })
          .optional(),
        body: pointer.meta({ description: 'Where in the request body it goes.' }).optional(),
        items: pointer.meta({ description: 'Where a page has its items; default: its only list.' }).optional(),
      })
      .refine(({ header, at, list }) => (header === undefined) !== ((at ?? list) === undefined), {
        error: 'needs one of header and at, or a list',
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
