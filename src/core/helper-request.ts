// Helper requests: the other requests of a job (status, result, cancel), compiled from an operation of the document or from
// a URL template into one canonical template.
//   H1. Parameters (of the path, and those of the query that are required) are paired by name with the submit's own, else by
//       position; the last one left is the job's id.
//   H2. What can be known when the job is accepted is put in then: afterwards only the reference is at hand.
//   H3. A template never leaves the allowed origins.

import type { OpenApiOperation, Refusal } from './adapter.ts';
import type { HelperRequest } from './description.ts';
import type { HttpRequest } from './http.ts';
import { isJsonObject, type JsonObject, scalarText, valueAt } from './json.ts';
import type { Reference } from './operation.ts';
import type { ParameterBinding, RequestTemplate } from './request.ts';
import { type Sent, withSent } from './sent.ts';
import { KEY_ARGUMENT } from './submission-key.ts';
import { encodeStrict, expandUrl, splitUrl } from './urls.ts';

/** A helper request, compiled; JSON, so that a descriptor can keep it. */
export interface CompiledHelper {
  readonly method: string;
  /** Absolute, or beginning with `{statusUrl}`. Placeholders: `{id}` or `{+id}`, `{statusUrl}`, `{a0}`, `{a1}`, …. */
  readonly url: string;
  /** The arguments of the submit that `{a0}`, `{a1}`, … stand for. */
  readonly arguments: readonly string[];
  readonly accept: string;
  /** Sent where the operation takes a JSON body, or the protocol wants one. */
  readonly body?: string;
  readonly security?: readonly string[];
  /** What the description has it send beside that. */
  readonly sent?: Sent;
  /** The document's operation behind it, as it is named there: it is no tool of its own. */
  readonly operation?: string;
}

/** What an upstream is asked for where its document doesn't say. */
export const ACCEPT = 'application/json, */*;q=0.8';

const PLACEHOLDER = /\{(\+?)([^{}]+)\}/g;

/** How an operation is named: by its id, else by `METHOD /path`. */
export const operationName = (operation: OpenApiOperation): string =>
  operation.operationId ?? `${operation.method.toUpperCase()} ${operation.path}`;

const refusal = (source: OpenApiOperation, at: string, reason: string, mend: string): Refusal => ({
  refused: true,
  pointer: `${source.pointer}/x-longshore/${at}`,
  reason,
  mend,
});

/**
 * Which parameter is the job's id. `request`: one that the submit has not, else none. `response`: the upstream gives the id, so
 * that it is the last one even where the submit has one of that name. `template`: the one that is written `{id}`.
 */
export type IdFrom = 'request' | 'response' | 'template';

export interface CompileHelper {
  readonly source: OpenApiOperation;
  readonly helper: HelperRequest;
  /** `status`, `result`, `cancel`: named in refusals. */
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly allowedOrigins: readonly string[];
  readonly idFrom: IdFrom;
}

/** Compiles one helper request, or says why it can't be. */
export function compileHelper({
  source,
  helper,
  name,
  method,
  allowedOrigins,
  idFrom,
}: CompileHelper): CompiledHelper | Refusal {
  if (helper.operation !== undefined) {
    const operation = source.related(helper.operation);
    if (operation === undefined) {
      const mend = 'name an operationId of this document, or `METHOD /path` as it is written there';
      return refusal(source, `${name}/operation`, `there is no operation ${helper.operation}`, mend);
    }
    return fromOperation(source, operation, helper.method, name, idFrom);
  }
  if (helper.url === undefined) {
    return refusal(source, name, 'neither `operation` nor `url` is given', `say which request the ${name} is`);
  }
  const asked = helper.method?.toUpperCase() ?? method;
  // In a URL template `{id}` is the job's, whatever the submit calls by that name.
  const isById = /\{\+?id\}/.test(helper.url);
  const path = helper.url.startsWith('/') ? helper.url : undefined;
  // A template that is a path of the document is that operation: its own parameters and credentials are known.
  const operation = path === undefined ? undefined : source.related(`${asked} ${path}`);
  if (operation !== undefined) return fromOperation(source, operation, asked, name, isById ? 'template' : idFrom);

  const absolute = /^https?:\/\//i.test(helper.url) || helper.url.startsWith('{statusUrl}');
  const url = absolute ? helper.url : `${source.request.server}${path ?? `/${helper.url}`}`;
  const origin = url.startsWith('{statusUrl}') ? undefined : splitUrl(url.replace(PLACEHOLDER, 'x'))?.origin;
  if (!url.startsWith('{statusUrl}') && !allowedOrigins.some((allowed) => splitUrl(allowed)?.origin === origin)) {
    const mend = 'use a path of this upstream, or add the origin to the upstream’s allowed origins';
    return refusal(source, `${name}/url`, `the origin ${origin ?? 'of this URL'} is not allowed`, mend);
  }
  const template = pairParameters(url, source.request, isById ? 'template' : idFrom);
  if (typeof template === 'string')
    return refusal(source, `${name}/url`, template, 'use {id}, {statusUrl} and parameters of the submit path');
  return { method: asked, accept: ACCEPT, ...template, ...security(source.request) };
}

function fromOperation(
  source: OpenApiOperation,
  operation: OpenApiOperation,
  method: string | undefined,
  name: string,
  idFrom: IdFrom,
): CompiledHelper | Refusal {
  const { request } = operation;
  const reserved = new Set(
    request.parameters.filter((binding) => binding.in === 'path' && binding.allowReserved).map((binding) => binding.name),
  );
  const path = request.path.replace(PLACEHOLDER, (whole, plus: string, parameter: string) =>
    plus === '' && reserved.has(parameter) ? `{+${parameter}}` : whole,
  );
  const fixed = new Set(request.query.map(([key]) => key));
  const query = [
    ...request.query.map(([key, value]) => `${encodeStrict(key)}=${encodeStrict(value)}`),
    ...request.parameters
      .filter(isNeededInQuery)
      .flatMap(({ name: key }) => (fixed.has(key) ? [] : [`${encodeStrict(key)}={${key}}`])),
  ].join('&');
  const template = pairParameters(
    `${request.server}${path}${query === '' ? '' : `${path.includes('?') ? '&' : '?'}${query}`}`,
    source.request,
    idFrom,
  );
  if (typeof template === 'string') {
    return refusal(source, `${name}/operation`, template, `describe the ${name} by a \`url\` with {id}`);
  }
  return {
    method: method?.toUpperCase() ?? operation.method.toUpperCase(),
    ...template,
    accept: request.accept === '' ? ACCEPT : request.accept,
    ...security(request),
    ...(takesJson(operation) && { body: '{}' }),
    operation: operationName(operation),
  };
}

const isNeededInQuery = (binding: ParameterBinding): boolean => binding.in === 'query' && binding.required;

/** Whether an operation wants a JSON body even where there is nothing to say. */
function takesJson(operation: OpenApiOperation): boolean {
  const required = valueAt(operation.object, '/requestBody/required') === true;
  return required && isJsonObject(valueAt(operation.object, '/requestBody/content/application~1json'));
}

const security = (request: RequestTemplate): { readonly security?: readonly string[] } =>
  request.security === undefined ? {} : { security: request.security };

/**
 * Rewrites a template's placeholders to the canonical ones (H1), or says which one has nothing to stand for.
 */
function pairParameters(
  url: string,
  submit: RequestTemplate,
  idFrom: IdFrom,
): Pick<CompiledHelper, 'url' | 'arguments'> | string {
  const inPath = pathParameters(submit);
  const own = [...inPath, ...submit.parameters.filter((binding) => binding.in === 'query')];
  const namesIn = (text: string): string[] =>
    [...text.matchAll(PLACEHOLDER)].map(([, , name = '']) => name).filter((name) => name !== 'statusUrl');
  const [path = '', ...query] = url.split('?');
  const inUrl = namesIn(path);
  // A submission key in the path is what the job is called from then on.
  const isUnnamed = (name: string): boolean =>
    !own.some((binding) => binding.name === name && binding.argument !== KEY_ARGUMENT);
  // Where every name is the submit's, the last one is still the job's if the upstream gives ids of its own.
  const id =
    namesIn(url).find((name) => name === 'id' && (idFrom === 'template' || isUnnamed(name))) ??
    inUrl.findLast(isUnnamed) ??
    namesIn(query.join('?')).findLast(isUnnamed) ??
    (idFrom === 'response' ? inUrl.at(-1) : undefined);

  const args: string[] = [];
  let missing: string | undefined;
  const rewritten = url.replace(PLACEHOLDER, (whole, plus: string, name: string) => {
    if (name === 'statusUrl') return whole;
    if (name === id) return `{${plus}id}`;
    const binding = own.find((candidate) => candidate.name === name) ?? inPath[inUrl.indexOf(name)];
    if (binding === undefined) {
      missing ??= `nothing is known that {${name}} could stand for`;
      return whole;
    }
    args.push(binding.argument);
    return `{${plus}a${args.length - 1}}`;
  });
  return missing ?? { url: rewritten, arguments: args };
}

/** The submit's path parameters in the order of its path. */
function pathParameters(submit: RequestTemplate): readonly ParameterBinding[] {
  const order = [...submit.path.matchAll(PLACEHOLDER)].map(([, , name]) => name);
  return submit.parameters
    .filter((binding) => binding.in === 'path')
    .sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
}

/** The URL of a helper request, or `undefined` where a value is missing. `args`: the submit's, where they are at hand (H2). */
export function helperUrl(
  helper: CompiledHelper,
  known: { readonly id?: string; readonly statusUrl?: string },
  args: JsonObject = {},
): string | undefined {
  const values: Record<string, string | undefined> = { ...known };
  for (const [index, argument] of helper.arguments.entries()) {
    values[`a${index}`] = Object.hasOwn(args, argument) ? scalarText(args[argument]) : undefined;
  }
  return expandUrl(helper.url, values);
}

/** The id that a URL has where the template says `{id}`; `undefined` where the URL isn't of the template's form. */
export function idIn(helper: CompiledHelper, url: string): string | undefined {
  const parts = helper.url.split('?', 1)[0]?.split(PLACEHOLDER) ?? [];
  let pattern = '';
  // split() gives literal, '+' or '', name, literal, …
  for (let at = 0; at < parts.length; at += 3) {
    pattern += (parts[at] ?? '').replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    const name = parts[at + 2];
    if (name !== undefined) pattern += name === 'id' ? (parts[at + 1] === '+' ? '(.+)' : '([^/]+)') : '[^/]+';
  }
  const found = new RegExp(`^${pattern}$`).exec(url.split('?', 1)[0] ?? '')?.[1];
  try {
    return found === undefined ? undefined : decodeURIComponent(found);
  } catch {
    return undefined;
  }
}

/** A request to a URL that is known already, made as the helper says. `reference`: for what the description has it send. */
export function helperRequest(
  helper: Partial<Omit<CompiledHelper, 'url' | 'arguments'>>,
  url: string,
  reference?: Reference,
): HttpRequest {
  const request: HttpRequest = {
    method: helper.method ?? 'GET',
    url,
    headers: [
      ['Accept', helper.accept ?? ACCEPT],
      ...(helper.body === undefined ? [] : [['Content-Type', 'application/json'] as const]),
    ],
    ...(helper.body !== undefined && { body: helper.body }),
    ...(helper.security !== undefined && { security: helper.security }),
  };
  return helper.sent === undefined || reference === undefined ? request : withSent(request, helper.sent, reference);
}

/** What of a reference a template can name. An id that is only a URL, for want of a better, is no `{id}`. */
export const knownOf = ({ id, statusUrl }: Reference): { readonly id?: string; readonly statusUrl?: string } => ({
  ...(splitUrl(id) === undefined && { id }),
  ...(statusUrl !== undefined && { statusUrl }),
});
