// Webhooks in descriptions and configuration: what becomes a rule, what is hidden from callers, what is refused and how.

import { describe, expect, test } from 'vitest';
import { adapters } from '../../adapters/index.ts';
import { compileCatalogue } from '../../src/catalogue/catalogue.ts';
import type { UpstreamConfig } from '../../src/config/config.ts';
import { holdSecret } from '../../src/config/secret.ts';
import type { Catalogue } from '../../src/core/tool.ts';
import { faultIn } from '../../src/webhooks/authenticate.ts';
import { body, library, OK, openapi, upstream } from '../catalogue/kit.ts';

const SECRET = `whsec_${Buffer.alloc(24, 3).toString('base64')}`;
const VERIFY = { scheme: 'standard-webhooks' };
const BODY = body({
  type: 'object',
  properties: { host: { type: 'string' }, hook: { type: 'string' } },
  required: ['host', 'hook'],
});
const CALLBACKS = { done: { '{$request.body#/hook}': { post: { responses: OK } } } };

function compile(operation: object, webhooks?: UpstreamConfig['webhooks'], more: object = {}): Promise<Catalogue> {
  const post = { operationId: 'scan', requestBody: BODY, responses: OK, ...operation };
  const shelf = library({ '/doc.yaml': openapi({ '/scans': { post }, ...more }) });
  const upstreams = [upstream(webhooks === undefined ? {} : { webhooks })];
  return compileCatalogue({
    config: { upstreams, limits: { inlineWaitMs: 1000 } },
    adapters,
    read: shelf.read,
    faultOfRules: faultIn,
  });
}

const configured = { secrets: [holdSecret(SECRET)], keySets: [], allowedOrigins: [] };
const jobIn = (catalogue: Catalogue) => {
  const tool = catalogue.tools.get('scan');
  if (tool?.kind !== 'job') throw new Error(JSON.stringify(catalogue.leftOut));
  return tool;
};
const only = (webhook: object = {}, more: object = {}) => ({
  'x-longshore': { webhook: { role: 'only', verify: VERIFY, ...webhook }, ...more },
});
const STATUS = {
  '/scans/{id}': {
    get: {
      operationId: 'getScan',
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      responses: OK,
    },
  },
};

describe('a webhook', () => {
  test('that is all there is makes a job of the webhook adapter, and requires tasks', async () => {
    const { descriptor, taskSupport, inputSchema } = jobIn(await compile({ ...only(), callbacks: CALLBACKS }, configured));
    expect(descriptor).toMatchObject({
      adapter: 'webhook@1',
      traits: { status: false },
      webhook: { role: 'only', inject: { body: '/hook' }, verify: VERIFY, event: {} },
    });
    expect(taskSupport).toBe('required');
    expect(inputSchema).toMatchObject({ properties: { host: {} }, required: ['host'] });
    expect(inputSchema['properties']).not.toHaveProperty('hook');
  });

  test('beside a status is a hint, and lets the polls be fewer', async () => {
    const described = {
      'x-longshore': { status: 'getScan', webhook: { inject: { query: 'cb' }, verify: { ...VERIFY, tolerance: '2m' } } },
    };
    const plain = { 'x-longshore': { status: 'getScan' } };
    const { descriptor } = jobIn(await compile(described, configured, STATUS));
    expect(descriptor).toMatchObject({
      adapter: 'http-202@1',
      webhook: { role: 'hint', inject: { query: 'cb' }, verify: { toleranceMs: 120_000 } },
    });
    const usual = jobIn(await compile(plain, configured, STATUS)).descriptor.pace;
    expect(descriptor.pace).toMatchObject({ intervalMs: usual.intervalMs * 5, intervalMaxMs: usual.intervalMaxMs });
  });

  test('that nobody can verify is not used where the job can be polled, and says so', async () => {
    const { descriptor, why, inputSchema } = jobIn(
      await compile(
        { 'x-longshore': { status: 'getScan', webhook: { inject: { body: '/hook' }, verify: VERIFY } } },
        undefined,
        STATUS,
      ),
    );
    expect(descriptor.webhook).toBeUndefined();
    expect(why).toMatch(/its webhook is not used: no secret is configured/);
    expect(inputSchema['properties']).toHaveProperty('hook');
  });

  test.each([
    [{ verify: { scheme: 'standard-webhook' } }, configured, 'there is no scheme standard-webhook'],
    [{ verify: VERIFY }, undefined, 'no secret is configured'],
    [{ verify: VERIFY, handshake: { kind: 'echoo' } }, configured, 'there is no handshake echoo'],
  ])('that is not used is warned of before the start: %j', async (webhook, webhooks, why) => {
    const extension = { status: 'getScan', webhook: { inject: { query: 'cb' }, ...webhook } };
    const { tools, warnings } = await compile({ 'x-longshore': extension }, webhooks, STATUS);
    expect(tools.get('scan')).toMatchObject({ kind: 'job' });
    expect(warnings).toMatchObject([
      {
        pointer: '/paths/~1scans/post/x-longshore/webhook/verify',
        message: expect.stringContaining(why),
        line: expect.any(Number),
      },
    ]);
  });

  test('whose place is deep in an argument leaves the argument', async () => {
    const deep = jobIn(await compile(only({ inject: { body: '/hook/url' } }), configured));
    expect(deep.inputSchema['properties']).toHaveProperty('hook');
  });

  test.each([
    ['without a secret', only({ inject: { body: '/hook' } }), undefined, /can't be verified: no secret is configured/],
    [
      'of a scheme that is none',
      only({ inject: { body: '/hook' }, verify: { scheme: 'rot13' } }),
      configured,
      /there is no scheme rot13/,
    ],
    [
      'that is signed by nobody',
      only({ inject: { body: '/hook' }, verify: { scheme: 'unsigned' } }),
      configured,
      /nobody signs/,
    ],
    ['that says nowhere where it goes', only(), configured, /does not say where the callback URL goes/],
    [
      'with two callbacks',
      { ...only(), callbacks: { ...CALLBACKS, more: { '{$request.query.cb}': {} } } },
      configured,
      /does not say where/,
    ],
    [
      'that is all, beside a status',
      only({ inject: { body: '/hook' } }, { status: 'getScan' }),
      configured,
      /this adapter never asks/,
    ],
    [
      'that is all, for an adapter that polls',
      only({ inject: { body: '/hook' } }, { adapter: 'http-202' }),
      configured,
      /the adapter http-202 polls/,
    ],
    [
      'that is a hint for nothing',
      { 'x-longshore': { adapter: 'webhook', webhook: { role: 'hint', inject: { body: '/hook' }, verify: VERIFY } } },
      configured,
      /there is nothing to poll/,
    ],
    [
      'in a body without members',
      { ...only({ inject: { body: '/hook' } }), requestBody: { content: { 'text/plain': { schema: { type: 'string' } } } } },
      configured,
      /a text\/plain body has no members/,
    ],
    [
      'with credentials that nothing asks for',
      only({ inject: { body: '/hook', credentials: true } }),
      configured,
      /nothing asks for/,
    ],
    [
      'that sends a secret which nobody repeats',
      only({ inject: { body: '/hook', secret: '/state' } }),
      configured,
      /sends a secret that nothing asks for/,
    ],
    [
      'with a handshake that there is none of',
      only({ inject: { body: '/hook' }, handshake: { kind: 'wave' } }),
      configured,
      /there is no handshake wave/,
    ],
    ['in two places', only({ inject: { body: '/hook', query: 'cb' } }), configured, /exactly one of header, query and body/],
    ['with a member that is none', only({ inject: { body: '/hook' }, events: {} }), configured, /is not known here/],
  ])('%s leaves the operation out', async (_what, operation, webhooks, reason) => {
    const { tools, leftOut } = await compile(operation, webhooks, STATUS);
    expect(tools.has('scan')).toBe(false);
    expect(leftOut).toContainEqual(expect.objectContaining({ because: 'refused', reason: expect.stringMatching(reason) }));
  });

  test('of a service that signs nothing will do for a hint, without a secret', async () => {
    const described = {
      'x-longshore': { status: 'getScan', webhook: { inject: { body: '/hook' }, verify: { scheme: 'unsigned' } } },
    };
    expect(jobIn(await compile(described, undefined, STATUS)).descriptor.webhook).toMatchObject({ role: 'hint' });
  });

  test('keeps what its sender asks, repeats and wraps, as rules', async () => {
    const webhook = {
      inject: { body: '/hook', secret: '/state' },
      verify: { scheme: 'repeated-secret', list: '/value', secretAt: '/clientState' },
      handshake: { kind: 'echo', parameter: 'validationToken' },
      event: { id: ['/subscription', '/change'], within: '/data', withinEncoding: 'base64' },
    };
    const requestBody = body({
      type: 'object',
      properties: { host: { type: 'string' }, hook: { type: 'string' }, state: { type: 'string' } },
      required: ['host', 'hook', 'state'],
    });
    const { descriptor, inputSchema } = jobIn(await compile({ requestBody, ...only(webhook) }, configured));
    expect(descriptor.webhook).toEqual({ role: 'only', ...webhook });
    expect(inputSchema).toMatchObject({ required: ['host'] });
    expect(Object.keys(inputSchema['properties'] as object)).toEqual(['host']);
    expect(JSON.stringify(descriptor)).not.toContain(SECRET);
  });

  test('is used where its secrets could not be read, since they are not needed to look at it', async () => {
    const unread = { secrets: [], secretsUnread: true, keySets: [], allowedOrigins: [] } as const;
    const { descriptor } = jobIn(await compile(only({ inject: { body: '/hook' } }), unread));
    expect(descriptor.webhook).toMatchObject({ role: 'only', verify: VERIFY });
  });

  test('may be verified by published keys alone', async () => {
    const verify = { scheme: 'jwt', issuer: 'https://accounts.example', claims: { email: 'push@jobs.example' } };
    const published = { secrets: [], keySets: ['https://keys.example/jwks'], allowedOrigins: [] };
    const { descriptor } = jobIn(await compile(only({ inject: { body: '/hook' }, verify }), published));
    expect(descriptor.webhook?.verify).toEqual(verify);
  });
});
