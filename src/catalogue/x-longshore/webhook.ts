// How a service calls back.

import { z } from 'zod';
import { duration, headerName, pointer } from './kinds.ts';

const verify = z.strictObject({
  scheme: z.string().min(1).meta({ description: 'Id of a signature scheme: standard-webhooks, hmac, … (docs/webhooks.md).' }),
  header: headerName.meta({ description: 'The header that holds the signature or the token.' }).optional(),
  algorithm: z.enum(['sha1', 'sha256', 'sha384', 'sha512']).optional(),
  encoding: z.enum(['hex', 'base64']).optional(),
  prefix: z.string().min(1).meta({ description: 'Stands before the signature: `sha256=`.' }).optional(),
  signed: z
    .string()
    .min(1)
    .meta({ description: 'What is signed: text with {body}, {bodySha256}, {url}, {timestamp}, {header.NAME}.' })
    .optional(),
  timestamp: headerName.meta({ description: 'The header that holds when it was signed.' }).optional(),
  secretEncoding: z.enum(['text', 'base64', 'hex']).meta({ description: 'How a secret becomes a key.' }).optional(),
  tolerance: duration.optional(),
  issuer: z.string().min(1).optional(),
  audience: z.string().min(1).optional(),
  claims: z
    .record(z.string().min(1), z.union([z.string(), z.number(), z.boolean()]))
    .meta({ description: 'What else must stand in a signed token or notification: whose it is.' })
    .optional(),
  digestClaim: z
    .string()
    .min(1)
    .meta({ description: 'Claim of a signed token that holds the SHA-256 of the body.' })
    .optional(),
  list: pointer.meta({ description: 'JSON Pointer of the events, in deliveries that hold several.' }).optional(),
  secretAt: pointer.meta({ description: 'JSON Pointer into an event: the secret that the sender repeats.' }).optional(),
});

export const webhook = z
  .strictObject({
    inject: z
      .strictObject({
        header: headerName.optional(),
        query: z.string().min(1).optional(),
        body: pointer.optional(),
        credentials: z
          .literal(true)
          .meta({ description: 'Put the first secret (user:password) into the URL, for the scheme basic.' })
          .optional(),
        secret: pointer
          .meta({ description: 'Where in the body the first secret goes, for the scheme repeated-secret.' })
          .optional(),
      })
      .refine(({ header, query, body }) => [header, query, body].filter((place) => place !== undefined).length === 1, {
        error: 'needs exactly one of header, query and body',
      })
      .meta({ description: "Where the callback URL goes; without it, as the document's callbacks say." })
      .optional(),
    verify,
    handshake: z
      .strictObject({
        kind: z.string().min(1).meta({ description: 'Id of a handshake: echo, hmac, probe (docs/webhooks.md).' }),
        parameter: z
          .string()
          .regex(/^[A-Za-z0-9_.-]{1,64}$/, { error: 'is no name of a query parameter' })
          .meta({ description: 'Query parameter that holds what is to be echoed.' })
          .optional(),
      })
      .meta({ description: 'What the sender asks of the callback URL before it uses it.' })
      .optional(),
    event: z
      .strictObject({
        id: z
          .union([z.string().min(1), z.array(z.string().min(1)).min(1).max(8)])
          .meta({ description: 'JSON Pointer into the event, or the name of a header; several name it together.' })
          .optional(),
        within: pointer.meta({ description: 'Where the event is, as text that holds JSON.' }).optional(),
        withinEncoding: z.enum(['text', 'base64']).meta({ description: 'How that text is written.' }).optional(),
        job: pointer.optional(),
        status: pointer.optional(),
        result: pointer.optional(),
        resultUrl: pointer.optional(),
        time: pointer.optional(),
      })
      .optional(),
    role: z
      .enum(['hint', 'only'])
      .meta({ description: 'only: there is nothing to poll, so that deliveries are the evidence.' })
      .optional(),
  })
  .meta({ description: 'The service calls back.' });
