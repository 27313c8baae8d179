// Species that call back, in the ways in which services sign, group and write what they say.

import { CALLBACK_HEADER, ECHOED, SIGNATURE, SIGNED_AT, TOPIC } from './senders.ts';
import type { Answer, Species } from './species.ts';

const ok = (json: unknown): Answer => ({ code: 200, json });

const verify = { scheme: 'token', header: CALLBACK_HEADER };

const HINT: Species = {
  name: 'callback-as-hint',
  pattern: 'P5',
  submit: 'POST /renders',
  accepted: { code: 201, json: { id: '{id}', status: 'queued' } },
  routes: [
    {
      on: 'GET /renders/{id}',
      running: ok({ id: '{id}', status: 'rendering' }),
      succeeded: ok({ id: '{id}', status: 'done', url: '{name}.mp4' }),
      failed: ok({ id: '{id}', status: 'failed', error: 'a font is missing' }),
    },
  ],
  calls: {
    body: 'webhook',
    succeeded: { id: '{id}', status: 'done' },
    failed: { id: '{id}', status: 'failed' },
    news: { id: '{id}', status: 'rendering' },
  },
  extension: {
    preset: 'status-resource@1',
    status: { url: '/renders/{id}' },
    result: { at: '/url' },
    webhook: { inject: { body: '/webhook' }, verify, event: { job: '/id' } },
  },
  result: '"bridge.mp4"',
  failure: 'a font is missing',
};

const PLAIN: readonly Species[] = [
  {
    name: 'callback-only',
    pattern: 'P13',
    submit: 'POST /listen',
    accepted: ok({ request_id: '{id}' }),
    routes: [],
    calls: {
      query: 'callback',
      succeeded: { metadata: { request_id: '{id}' }, results: { transcript: '{name}' } },
      failed: { metadata: { request_id: '{id}' }, err_msg: 'the audio is corrupt' },
      news: { metadata: { request_id: '{id}' }, progress: 50 },
    },
    extension: {
      handle: { id: '$response.body#/request_id' },
      webhook: {
        role: 'only',
        inject: { query: 'callback' },
        verify,
        event: { job: '/metadata/request_id', result: '/results' },
      },
      state: { error: '/err_msg' },
    },
    result: '{"transcript":"bridge"}',
    failure: 'the audio is corrupt',
  },
  // Without the delivery nobody would look for a minute.
  { ...HINT, extension: { ...HINT.extension, pace: { interval: '60s', max: '300s' } } },
  { ...HINT, name: 'callback-beside-polls' },
  // Its events name the job otherwise than its answers do: the URL says whose they are.
  {
    ...HINT,
    name: 'callback-by-token',
    extension: { ...HINT.extension, pace: { interval: '60s', max: '300s' }, webhook: { inject: { body: '/webhook' }, verify } },
  },
];

/** Nobody would look for a minute; the events have ids of their own, and say less. */
const RENDER = {
  id: 'evt-{id}-done',
  render: '{id}',
  state: 'done',
};

const hinted = (name: string, by: NonNullable<Species['calls']>['by'], webhook: object): Species => ({
  ...HINT,
  name,
  calls: {
    body: 'webhook',
    ...(by !== undefined && { by }),
    succeeded: RENDER,
    failed: { ...RENDER, id: 'evt-{id}-failed', state: 'failed' },
    news: { ...RENDER, id: 'evt-{id}-rendering', state: 'rendering' },
  },
  extension: {
    ...HINT.extension,
    pace: { interval: '60s', max: '300s' },
    webhook: { inject: { body: '/webhook' }, event: { job: '/render' }, ...webhook },
  },
});

const SCAN = (status: string, more: object) => ({ scan: '{id}', status, ...more });

/** Which can't be asked: what it says is all that there is. */
const telling = (name: string, by: NonNullable<Species['calls']>['by'], webhook: object): Species => ({
  name,
  pattern: 'P13',
  submit: 'POST /scans',
  accepted: { code: 202, json: { id: '{id}' } },
  routes: [],
  calls: {
    body: 'callback_url',
    ...(by !== undefined && { by }),
    succeeded: SCAN('succeeded', { found: 'scanned {name}' }),
    failed: SCAN('failed', { message: 'the host is down' }),
    news: SCAN('running', {}),
  },
  extension: {
    handle: { id: '$response.body#/id' },
    webhook: {
      role: 'only',
      inject: { body: '/callback_url' },
      event: { job: '/scan', status: '/status', result: '/found' },
      ...webhook,
    },
  },
  result: 'scanned bridge',
  failure: 'the host is down',
});

const LISTED = telling('callback-in-lists', 'list', {
  inject: { body: '/callback_url', secret: '/clientState' },
  verify: { scheme: 'repeated-secret', list: '/value', secretAt: '/clientState' },
  handshake: { kind: 'echo', parameter: ECHOED },
});

const SIGNED: readonly Species[] = [
  telling('callback-signed', 'standard', { verify: { scheme: 'standard-webhooks' } }),
  telling('callback-by-published-key', 'key', { verify: { scheme: 'ed25519', header: SIGNATURE, timestamp: SIGNED_AT } }),
  telling('callback-by-notification', 'notification', {
    verify: { scheme: 'signed-notification', claims: { TopicArn: TOPIC } },
  }),
  telling('callback-by-signed-token', 'signed-token', {
    verify: { scheme: 'jwt', header: SIGNATURE, digestClaim: 'sha256' },
  }),
  telling('callback-by-cloud-event', 'cloud-event', { verify: { scheme: 'cloudevents' } }),
  telling('callback-as-form', 'form', { verify: { scheme: 'twilio' } }),
  telling('callback-in-batches', 'batch', { verify: { scheme: 'eventgrid', header: CALLBACK_HEADER } }),
  { ...LISTED, ...(LISTED.calls && { calls: { ...LISTED.calls, secret: 'clientState' } }) },
  hinted('callback-in-one-header', 'one-header', { verify: { scheme: 'stripe' }, handshake: { kind: 'hmac' } }),
  hinted('callback-after-probe', 'hash', {
    verify: { scheme: 'hmac', header: SIGNATURE, prefix: 'sha256=' },
    handshake: { kind: 'probe' },
  }),
];

export const CALLERS: readonly Species[] = [...PLAIN, ...SIGNED];
