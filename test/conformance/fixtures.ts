// What the official suite wants of a server that no REST operation is: prompts, sampling, logging, static resources, and tools that
// ask in ways of the suite's own. They stand around the gateway's handlers (`Around`), so that its transports, sessions, streams and
// contracts carry them; only here, and only while the suite runs. Which scenarios they serve: by-fixtures.json.

import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as later } from 'node:timers/promises';
import { ProtocolError, type Result, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.ts';
import type { Around } from '../../src/http/gateway-server.ts';
import { PIXEL } from './service.ts';

type Params = JsonObject;
type Fixture = (
  params: Params,
  context: ServerContext,
  own: (params?: JsonObject) => Promise<Result>,
) => Promise<Result> | Result;

const image = PIXEL.toString('base64');
const said = (text: string): Result => ({ content: [{ type: 'text', text }] });
const user = (content: JsonObject): JsonObject => ({ role: 'user', content });
const text = (words: string): JsonObject => ({ type: 'text', text: words });

// What is asked, and how answers come.

const form = (message: string, name: string, type: 'string' | 'boolean' = 'string'): JsonObject => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties: { [name]: { type } }, required: [name] } },
});
const sampling = (prompt: string): JsonObject => ({
  method: 'sampling/createMessage',
  params: { messages: [user(text(prompt))], maxTokens: 100 },
});
const roots: JsonObject = { method: 'roots/list', params: {} };

const required = (inputRequests: JsonObject, requestState?: string): Result => ({
  resultType: 'input_required',
  inputRequests,
  ...(requestState !== undefined && { requestState }),
});

/** What was answered under a key, where it is an answer at all. */
function answer({ mcpReq }: ServerContext, key: string): JsonObject | undefined {
  const given = (mcpReq.inputResponses as JsonObject | undefined)?.[key];
  return isJsonObject(given) ? given : undefined;
}

/** What a form was filled in with. */
function filledIn(context: ServerContext, key: string): JsonObject | undefined {
  const content = answer(context, key)?.['content'];
  return isJsonObject(content) ? content : undefined;
}

const secret = randomBytes(32);
const seal = (word: string): string => `${word}.${createHmac('sha256', secret).update(word).digest('base64url')}`;
/** The word that a call brings back sealed; `undefined` where it brings nothing. */
function unsealed({ mcpReq }: ServerContext): string | undefined {
  const state = mcpReq.requestState();
  if (state === undefined) return undefined;
  const [word = ''] = String(state).split('.');
  if (seal(word) !== state)
    throw new ProtocolError(-32602, 'The state is not as it was sealed.', { reason: 'invalid_request_state' });
  return word;
}

const declares = ({ mcpReq }: ServerContext, capability: string): boolean => {
  const envelope = mcpReq.envelope as JsonObject | undefined;
  const capabilities = envelope?.['io.modelcontextprotocol/clientCapabilities'];
  return isJsonObject(capabilities) && capabilities[capability] !== undefined;
};

const log = ({ mcpReq }: ServerContext, data: string): Promise<void> =>
  mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data } });

const NAME = form('What is your name?', 'name');

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const ADDRESS: JsonObject = {
  $schema: DIALECT,
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

const SCHEMAS: Readonly<Record<string, JsonObject>> = { json_schema_2020_12_tool: ADDRESS };

/** The fixtures; `changeTools` makes the gateway's own list of tools change. */
function toolsOf(changeTools: () => Promise<void>): Readonly<Record<string, Fixture>> {
  return {
    json_schema_2020_12_tool: () => said('An address like any other.'),
    test_multiple_content_types: () => ({
      content: [
        text('Several kinds of content:'),
        { type: 'image', data: image, mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'test://mixed', mimeType: 'application/json', text: '{"test":"data"}' } },
      ],
    }),
    async test_tool_with_logging(_params, context) {
      await log(context, 'begun');
      await later(50);
      await log(context, 'at work');
      await later(50);
      await log(context, 'done');
      return said('Three messages were logged.');
    },
    async test_sampling(params, { mcpReq }) {
      const { prompt } = params['arguments'] as { readonly prompt: string };
      const request = sampling(prompt) as { readonly method: string; readonly params: JsonObject };
      const sampled = await mcpReq.send({ method: request.method, params: { ...request.params } }, z.looseObject({}));
      return said(`The model said: ${(sampled['content'] as { readonly text?: string } | undefined)?.text}`);
    },
    async test_reconnection(_params, { http }) {
      http?.closeSSE?.();
      await later(100);
      return said('The stream was closed before this was said.');
    },
    test_missing_capability(_params, context) {
      if (declares(context, 'sampling')) return said('The client can sample.');
      throw new ProtocolError(-32021, 'Missing required client capability', { requiredCapabilities: { sampling: {} } });
    },
    async test_streaming_elicitation(_params, { mcpReq }) {
      const progressToken = mcpReq._meta?.progressToken ?? mcpReq.id;
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
      return said('Told of on the way.');
    },
    async test_logging_tool(_params, context) {
      if ((context.mcpReq.envelope as JsonObject | undefined)?.['io.modelcontextprotocol/logLevel'] !== undefined)
        await log(context, 'wanted');
      return said('Logged where that was wanted.');
    },
    async test_trigger_tool_change() {
      await changeTools();
      return said('The list of tools has changed.');
    },
    test_input_required_result_elicitation(_params, context) {
      const name = filledIn(context, 'user_name')?.['name'];
      return typeof name === 'string' ? said(`Hello, ${name}!`) : required({ user_name: NAME });
    },
    test_input_required_result_sampling(_params, context) {
      const key = 'capital_question';
      const sampled = answer(context, key);
      return sampled === undefined
        ? required({ [key]: sampling('What is the capital of France?') })
        : said(JSON.stringify(sampled));
    },
    test_input_required_result_list_roots(_params, context) {
      const listed = answer(context, 'client_roots');
      return listed === undefined ? required({ client_roots: roots }) : said(JSON.stringify(listed));
    },
    test_input_required_result_request_state(_params, context) {
      return unsealed(context) === undefined
        ? required({ confirm: form('Please confirm', 'ok', 'boolean') }, seal('asked'))
        : said('state-ok');
    },
    test_input_required_result_tampered_state(_params, context) {
      return unsealed(context) === undefined
        ? required({ confirm: form('Please confirm', 'ok', 'boolean') }, seal('asked'))
        : said('The state is whole.');
    },
    test_input_required_result_multiple_inputs(_params, context) {
      const requests = { user_name: NAME, greeting: sampling('Generate a greeting'), client_roots: roots };
      const isWhole = Object.keys(requests).every((key) => answer(context, key) !== undefined);
      return unsealed(context) !== undefined && isWhole ? said('All are answered.') : required(requests, seal('three'));
    },
    test_input_required_result_multi_round(_params, context) {
      switch (unsealed(context)) {
        case undefined:
          return required({ step1: NAME }, seal('first'));
        case 'first':
          return required({ step2: form('What is your favorite color?', 'color') }, seal('second'));
        default:
          return said('Both rounds are over.');
      }
    },
    test_input_required_result_capabilities(_params, context) {
      const requests = {
        ...(declares(context, 'sampling') && { sampled: sampling('Say something') }),
        ...(declares(context, 'elicitation') && { user_name: NAME }),
      };
      return required(requests);
    },
    /** Asks first; then it is a job of the gateway's own, which ends with what was answered. */
    test_tool_with_task(_params, context, own) {
      const name = filledIn(context, 'user_name')?.['name'];
      if (typeof name !== 'string') return required({ user_name: NAME });
      return own({ name: 'slow_compute', arguments: { seconds: 1, label: name } });
    },
  };
}

const argument = (name: string): JsonObject => ({ name, description: `The ${name}.`, required: true });

const PROMPTS: Readonly<
  Record<string, { readonly arguments: readonly string[]; get(args: JsonObject, context: ServerContext): Result }>
> = {
  test_simple_prompt: {
    arguments: [],
    get: () => ({ messages: [user(text('This is a simple prompt for testing.'))] }),
  },
  test_prompt_with_arguments: {
    arguments: ['arg1', 'arg2'],
    get: ({ arg1, arg2 }) => ({ messages: [user(text(`With arguments: arg1='${arg1}', arg2='${arg2}'`))] }),
  },
  test_prompt_with_embedded_resource: {
    arguments: ['resourceUri'],
    get: ({ resourceUri = '' }) => ({
      messages: [
        user({ type: 'resource', resource: { uri: resourceUri, mimeType: 'text/plain', text: 'An embedded resource.' } }),
        user(text('Please look at the resource above.')),
      ],
    }),
  },
  test_prompt_with_image: {
    arguments: [],
    get: () => ({ messages: [user({ type: 'image', data: image, mimeType: 'image/png' }), user(text('What is it?'))] }),
  },
  test_input_required_result_prompt: {
    arguments: [],
    get(_args, context) {
      const said = filledIn(context, 'user_context')?.['context'];
      if (typeof said !== 'string') return required({ user_context: form('What context should the prompt use?', 'context') });
      return { messages: [user(text(`In the context of ${said}.`))] };
    },
  },
};

/** A resource by its URI; those of the gateway are its own. */
function contentsOf(uri: string): JsonObject | undefined {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id !== undefined) return { uri, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true }) };
  if (uri === 'test://static-text') return { uri, mimeType: 'text/plain', text: 'A static text.' };
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: image };
  return undefined;
}

const OF_SESSIONS = ['resources/subscribe', 'resources/unsubscribe'];

export function fixtures(changeTools: () => Promise<void>): Around {
  const tools = toolsOf(changeTools);
  const added = (result: Result, member: string, more: readonly Json[]): Result => ({
    ...result,
    [member]: [...(result[member] as readonly Json[]), ...more],
  });

  const handlers: Readonly<Record<string, Fixture>> = {
    'tools/list': async (_params, _context, own) => {
      const entries = Object.keys(tools).map((name) => ({
        name,
        description: `A fixture of the conformance run: ${name}.`,
        inputSchema: SCHEMAS[name] ?? { type: 'object' },
      }));
      return added(await own(), 'tools', entries);
    },
    'tools/call': (params, context, own) => {
      const tool = tools[String(params['name'])];
      return tool === undefined ? own() : tool(params, context, own);
    },
    'prompts/list': () => ({
      prompts: Object.entries(PROMPTS).map(([name, prompt]) => ({
        name,
        description: `A fixture of the conformance run: ${name}.`,
        arguments: prompt.arguments.map(argument),
      })),
    }),
    'prompts/get': (params, context) => {
      const prompt = PROMPTS[String(params['name'])];
      if (prompt === undefined) throw new ProtocolError(-32602, 'There is no such prompt.');
      return prompt.get((params['arguments'] ?? {}) as JsonObject, context);
    },
    'completion/complete': () => ({ completion: { values: [], total: 0, hasMore: false } }),
    'resources/list': async (_params, _context, own) =>
      added(await own(), 'resources', [{ uri: 'test://static-text', name: 'static-text', mimeType: 'text/plain' }]),
    'resources/templates/list': async (_params, _context, own) =>
      added(await own(), 'resourceTemplates', [{ uriTemplate: 'test://template/{id}/data', name: 'template' }]),
    'resources/read': (params, _context, own) => {
      const contents = contentsOf(String(params['uri']));
      return contents === undefined ? own() : { contents: [contents] };
    },
    'resources/subscribe': () => ({}),
    'resources/unsubscribe': () => ({}),
  };
  return {
    capabilities: { prompts: {}, completions: {}, resources: { subscribe: true } },
    methods: ({ leg }) => ['prompts/list', 'prompts/get', 'completion/complete', ...(leg === 'session' ? OF_SESSIONS : [])],
    async handle({ method, params }, context, own = async () => ({})) {
      const fixture = handlers[method];
      return fixture === undefined ? own() : fixture(params, context, own);
    },
  };
}
