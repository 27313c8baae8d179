// `x-longshore` as a schema: every word that may be written there, with the sentence that editors show for it.
// What is written becomes a JobDescription in x-longshore.ts; schema/x-longshore.json is generated from here.

import { z } from 'zod';
import { parseDuration } from '../core/duration.ts';

const DURATION_MAX_MS = 366 * 24 * 60 * 60 * 1000;

const duration = z
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
const hold = duration
  .refine((text) => (parseDuration(text) ?? 0) >= 1_000 && (parseDuration(text) ?? 0) <= HOLD_MAX_MS, {
    error: 'must be from 1s to 60s',
  })
  .meta({ description: 'How long the service holds its answer at most, from 1s to 60s.' });
const pointer = z
  .string()
  .regex(/^(\/([^~]|~[01])*)?$/, { error: 'is no JSON Pointer like /status' })
  .meta({ description: 'JSON Pointer (RFC 6901); empty: the whole.' });
const expression = z
  .string()
  .regex(/^\$(request|response)\.(body(#.*)?|header\..+|query\..+|path\..+)$/, {
    error: 'is no runtime expression like $response.body#/id or $response.header.Location',
  })
  .meta({ description: 'OpenAPI runtime expression.' });
const words = z.array(z.string().min(1)).min(1);
const texts = z.record(z.string().min(1), z.string());

const helper = {
  operation: z.string().min(1).meta({ description: 'operationId, or `METHOD /path` as in the document.' }).optional(),
  method: z
    .string()
    .regex(/^[A-Za-z]+$/)
    .optional(),
  url: z.string().min(1).meta({ description: 'URL template with {id} or {statusUrl}; {+id} keeps slashes.' }).optional(),
};
const sent = {
  query: texts.meta({ description: 'Added to the URL; values may hold {id} or be runtime expressions.' }).optional(),
  headers: texts.meta({ description: 'Sent along; values may hold {id} or be runtime expressions.' }).optional(),
  body: z
    .record(z.string().min(1), z.json())
    .meta({ description: 'Sent as JSON; texts may hold {id} or be runtime expressions.' })
    .optional(),
};
const mediaType = z.string().regex(/^[\w.+-]+\/([\w.+-]+|\*)$/, { error: 'is no media type like text/csv' });
const codes = z.array(z.int().min(200).max(599)).min(1);
const member = z.string().regex(/^[^/~]+$/, { error: 'is no name of a member' });

const state = z.strictObject({
  at: pointer.optional(),
  prefix: z.string().min(1).max(64).meta({ description: 'What all words begin with: JOB_STATE_.' }).optional(),
  working: words.optional(),
  succeeded: words.optional(),
  failed: words.optional(),
  cancelled: words.optional(),
  input: words.optional(),
  second: z
    .strictObject({
      when: words.meta({ description: 'Words of the first place for which the second is asked.' }),
      at: pointer,
      working: words.optional(),
      succeeded: words.optional(),
      failed: words.optional(),
      cancelled: words.optional(),
    })
    .meta({ description: 'A second word, that tells what an end was.' })
    .optional(),
  flags: z
    .strictObject({
      running: pointer.optional(),
      done: pointer.optional(),
      succeeded: pointer.optional(),
      failed: pointer.optional(),
      cancelled: pointer.optional(),
      input: pointer.optional(),
    })
    .refine((flags) => Object.keys(flags).length > 0, { error: 'names no flag' })
    .meta({ description: 'JSON Pointers: each is so where there is anything but false, null, zero or empty.' })
    .optional(),
  conditions: z
    .strictObject({
      at: pointer,
      type: member.meta({ description: 'Member that holds the type; `type` where absent.' }).optional(),
      status: member.meta({ description: 'Member that says whether it holds; `status` where absent.' }).optional(),
      succeeded: words.optional(),
      failed: words.optional(),
      cancelled: words.optional(),
    })
    .meta({ description: 'A list of conditions; working while none of those named here holds.' })
    .optional(),
  error: pointer.meta({ description: 'Where an error is: what is over and has one has failed.' }).optional(),
  codes: z
    .strictObject({
      working: codes.optional(),
      succeeded: codes.optional(),
      failed: codes.optional(),
      cancelled: codes.optional(),
    })
    .meta({ description: 'Status codes that say something else than usual.' })
    .optional(),
  unknownFor: duration.optional(),
});

const headerName = z.string().regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, { error: 'is no name of a header' });

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

const webhook = z
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

/** A helper request may be written as the name of its operation. */
const named = <T extends z.ZodType>(object: T) => z.union([z.string().min(1), object]);

const step = z.strictObject({
  ...helper,
  ...sent,
  when: words.meta({ description: 'Status words that say that the job waits for this step.' }).optional(),
  urlAt: pointer.meta({ description: 'Where the status has the URL of this step.' }).optional(),
  argument: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,64}$/, { error: 'is no name of an argument' })
    .meta({ description: 'The argument that is the body of this step.' })
    .optional(),
  mediaType: z
    .string()
    .regex(/^[\w.+-]+\/[\w.+-]+$/, { error: 'is no media type' })
    .meta({ description: 'Media type of that body; without it, as the operation says.' })
    .optional(),
  optional: z.boolean().meta({ description: 'The argument, and with it the step, may be left out.' }).optional(),
});

export const described = z
  .strictObject({
    synchronous: z.literal(true).meta({ description: 'No job: called and answered at once.' }).optional(),
    preset: z
      .string()
      .min(1)
      .meta({ description: 'name@version of a description in specs/presets; what is written beside it wins.' })
      .optional(),
    adapter: z.string().min(1).meta({ description: 'http-202 (default), aip-151, or the id of a loaded adapter.' }).optional(),
    taskSupport: z.enum(['forbidden', 'optional', 'required']).optional(),
    submit: z
      .strictObject({
        headers: texts.optional(),
        query: texts.optional(),
        body: z.record(z.string().min(1), z.json()).optional(),
        sync: z
          .strictObject({ codes: codes.optional(), at: pointer.optional() })
          .refine(({ codes: listed, at }) => listed !== undefined || at !== undefined, { error: 'needs codes or at' })
          .meta({ description: 'Answers that are the end themselves: of these codes, or with something there.' })
          .optional(),
        busy: z
          .strictObject({
            codes: z.array(z.int().min(400).max(499)).min(1),
            at: pointer.optional(),
            words: words.optional(),
          })
          .refine(({ at, words: listed }) => (at === undefined) === (listed === undefined), {
            error: 'needs both at and words, or neither',
          })
          .meta({ description: 'Answers that say "not now", and that nothing was created: it is sent later.' })
          .optional(),
        steps: z
          .array(named(step))
          .min(1)
          .max(10)
          .meta({ description: 'What is sent after the submit, in order: the data of the job, or the word to begin.' })
          .optional(),
      })
      .optional(),
    handle: z
      .union([
        z.literal('self'),
        z.strictObject({
          headers: words.optional(),
          id: expression.optional(),
          url: expression.optional(),
          self: z.literal(true).optional(),
        }),
      ])
      .meta({ description: 'Where the job is named; self: at the address of the submit.' })
      .optional(),
    status: named(
      z.strictObject({
        ...helper,
        ...sent,
        id: expression.optional(),
        append: z.string().min(1).meta({ description: 'Appended to the URL that the upstream named: api/json.' }).optional(),
        wait: z
          .strictObject({ ...helper, ...sent, for: hold })
          .meta({ description: 'The same look as a long poll, held by the service until there is news.' })
          .optional(),
        follow: z
          .strictObject({
            at: pointer,
            url: z.string().min(1).meta({ description: 'URL template with {id}, where an id is named.' }).optional(),
            append: z.string().min(1).optional(),
            when: words.meta({ description: 'Status words that say so; any job may then go on as another.' }).optional(),
          })
          .meta({ description: 'The job that this one becomes: polled from then on.' })
          .optional(),
      }),
    ).optional(),
    state: state.optional(),
    result: named(
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
            description:
              'Where it is set that the result is not all, or the words of `state` that mean so: such jobs succeeded.',
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
    ).optional(),
    error: z.strictObject({ message: pointer.optional() }).optional(),
    progress: z
      .strictObject({
        at: pointer.optional(),
        of: z.number().positive().optional(),
        done: pointer.meta({ description: 'How many are done; with total.' }).optional(),
        total: pointer.meta({ description: 'How many there are.' }).optional(),
        header: headerName.meta({ description: 'Header that says how far it is: 50% complete.' }).optional(),
        message: pointer.optional(),
      })
      .optional(),
    cancel: named(
      z.strictObject({
        ...helper,
        ...sent,
        deletes: z.boolean().optional(),
        urlAt: pointer.meta({ description: 'Where the submit’s answer or the status has the URL of the cancel.' }).optional(),
        allowedWhen: pointer.meta({ description: 'Where the status says that it can be cancelled now.' }).optional(),
        over: codes.meta({ description: 'Status codes that say that the job is over already.' }).optional(),
      }),
    ).optional(),
    input: named(
      z.strictObject({
        ...helper,
        list: pointer
          .meta({ description: 'JSON Pointer of the questions in the status, where there may be several.' })
          .optional(),
        id: pointer.meta({ description: 'JSON Pointer of the question’s own id.' }).optional(),
        message: pointer.meta({ description: 'JSON Pointer of the question, for people.' }).optional(),
        form: z
          .union([pointer, z.record(z.string(), z.json())])
          .meta({ description: 'JSON Schema of the answer, or where the status holds one; else the operation’s request body.' })
          .optional(),
        at: pointer.meta({ description: 'JSON Pointer of where the answer goes in the request body.' }).optional(),
        body: z.record(z.string().min(1), z.json()).meta({ description: 'Sent beside the answer.' }).optional(),
        decline: named(z.strictObject({ ...helper, body: z.record(z.string().min(1), z.json()).optional() }))
          .meta({ description: 'How the service is told no.' })
          .optional(),
      }),
    )
      .meta({ description: 'How a job that waits for a person is asked and answered.' })
      .optional(),
    submissionKey: z
      .strictObject({
        header: z.string().min(1).optional(),
        query: z.string().min(1).optional(),
        body: pointer.optional(),
        format: z
          .strictObject({
            as: z.enum(['uuid', 'hex', 'base36']).optional(),
            prefix: z
              .string()
              .regex(/^[A-Za-z0-9_.:-]{1,64}$/, { error: 'must be 1 to 64 letters, digits, _, ., : and -' })
              .optional(),
          })
          .meta({ description: 'What the key looks like: uuid (36 characters), hex (32) or base36 (25), behind a prefix.' })
          .optional(),
        retention: duration.optional(),
        deduplicates: z
          .boolean()
          .meta({ description: 'false: jobs carry the key, but sending it twice makes two. Then describe a lookup.' })
          .optional(),
        duplicate: z.strictObject({ status: z.int().min(100).max(599), reference: z.string().optional() }).optional(),
      })
      .refine(({ header, query, body }) => [header, query, body].filter((place) => place !== undefined).length === 1, {
        error: 'needs exactly one of header, query and body',
      })
      .optional(),
    lookup: named(
      z.strictObject({
        ...helper,
        url: z.string().min(1).meta({ description: 'URL template with {key}, the submission key.' }).optional(),
        list: pointer.meta({ description: 'JSON Pointer of the jobs in the answer, where it is a list.' }).optional(),
        match: z
          .strictObject({ at: pointer })
          .meta({ description: 'Where a job shows its key; a list needs this.' })
          .optional(),
        id: pointer.meta({ description: 'JSON Pointer of the id in a found job.' }).optional(),
        authoritative: z
          .boolean()
          .meta({ description: 'A job that is not there was never created: the request is then sent again.' })
          .optional(),
      }),
    )
      .meta({ description: 'How a job is found by the submission key that it carries.' })
      .optional(),
    webhook: webhook.optional(),
    expect: duration.meta({ description: 'How long the job usually takes.' }).optional(),
    deduplicate: duration
      .meta({
        description: 'For so long the same call (caller, tool, arguments) gives the same operation, also without a key.',
      })
      .optional(),
    pace: z
      .strictObject({
        interval: duration.optional(),
        min: duration.optional(),
        max: duration.optional(),
        first: duration
          .meta({ description: 'Before the first look, where the submit’s answer says nothing of it.' })
          .optional(),
        after: z
          .strictObject({ header: headerName.optional(), at: pointer.optional(), unit: z.enum(['s', 'ms']).optional() })
          .refine(({ header, at }) => header !== undefined || at !== undefined, { error: 'needs header or at' })
          .meta({ description: 'Where answers say when to look again, beside Retry-After; unit: of a bare number.' })
          .optional(),
      })
      .optional(),
    timing: z
      .strictObject({
        submitTimeout: duration.optional(),
        readTimeout: duration.optional(),
        consistencyGrace: duration.optional(),
        reconcileWindow: duration.optional(),
        effectsWindow: duration.optional(),
        waitBudget: duration.optional(),
        startWithin: duration.optional(),
        inlineWait: duration.optional(),
      })
      .optional(),
  })
  .meta({
    description: 'How an asynchronous operation is started, followed, fetched and cancelled. Everything has a default.',
  });

/** What may stand under `x-longshore`. */
export const X_LONGSHORE = z.union([z.boolean(), described]);
