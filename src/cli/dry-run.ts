// `longshore dry-run TOOL '{…}'`: the request that the call would send, to the byte, and nothing is sent.
//   D1. No secret is printed; none needs to be there.
//   D2. Faults of the arguments are those that a caller would be told, by pointer.
//
//   Exit code 0: this is what would be sent.   1: there are faults.   2: not asked properly.

import { adapters } from '../../adapters/index.ts';
import type { Config } from '../config/config.ts';
import { adapterName } from '../core/adapter.ts';
import type { Descriptor } from '../core/descriptor.ts';
import type { HttpRequest } from '../core/http.ts';
import type { JsonObject } from '../core/json.ts';
import { withPlaced } from '../core/placed.ts';
import { renderRequest } from '../core/render.ts';
import { withKeyArgument } from '../core/submission-key.ts';
import type { CallTool, Catalogue, Tool } from '../core/tool.ts';
import { secretPlace } from '../core/webhook.ts';
import { describeFault, type Fault } from '../errors.ts';
import { unknownTool } from './call.ts';
import { painter, type Terminal } from './terminal.ts';

/** A request as it would leave, without its secrets. Header names in lower case. */
export interface WrittenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface DryRunOptions {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly config: Config;
  readonly json: boolean;
  readonly compile: (config: Config) => Promise<Catalogue>;
  readonly write: (config: Config, catalogue: Catalogue, upstream: string, request: HttpRequest) => WrittenRequest;
  readonly terminal: Terminal;
}

/** Stands for the submission key, and for the callback URL: both are others for each operation. */
const KEY = '<per operation>';
const CALLBACK = '<callback URL of the operation>';
const SECRET = '•••';

export async function dryRun({
  tool: name,
  arguments: args,
  config,
  json,
  compile,
  write,
  terminal,
}: DryRunOptions): Promise<0 | 1> {
  const catalogue = await compile(config);
  const tool = catalogue.tools.get(name);
  if (tool === undefined)
    return refuse([{ pointer: '', message: unknownTool(name, [...catalogue.tools.keys()]) }], json, terminal);
  const faults = tool.check(args);
  if (faults.length > 0) return refuse(faults, json, terminal);
  const request = requestOf(tool, args);
  if ('faults' in request) return refuse(request.faults, json, terminal);
  const written = write(config, catalogue, tool.upstream, request);
  const url = [KEY, CALLBACK].reduce((text, stand) => text.replaceAll(encodeURIComponent(stand), stand), written.url);
  const body = bodyText(written.body);
  if (json) {
    terminal.stdout(
      `${JSON.stringify({ ok: true, tool: name, method: written.method, url, headers: written.headers, ...body })}\n`,
    );
    return 0;
  }
  const paint = painter(terminal);
  const headers = Object.entries(written.headers).map(([key, value]) => `${paint('dim', `${key}:`)} ${value}`);
  const shown =
    'body' in body ? ['', body.body] : 'bodyBytes' in body ? ['', `(${body.bodyBytes} bytes that are no text)`] : [];
  terminal.stdout(`${[`${paint('bold', written.method)} ${url}`, ...headers, ...shown].join('\n')}\n`);
  return 0;
}

/** The request of a submit, or of a call that is passed through. */
function requestOf(tool: Tool, args: JsonObject): HttpRequest | { readonly faults: readonly Fault[] } {
  const descriptor = tool.kind === 'job' ? called(tool.descriptor) : undefined;
  const template = descriptor?.submit ?? (tool as CallTool).request;
  const all = withKeyArgument(template, args, KEY);
  const rendered = renderRequest(template, all);
  if ('faults' in rendered) return rendered;
  if (descriptor === undefined) return rendered.request;
  const adapter = adapters.find((one) => adapterName(one) === descriptor.adapter);
  if (adapter === undefined) throw new Error(`${tool.name} was compiled by ${descriptor.adapter}, which is not loaded`);
  return adapter.submit({ request: rendered.request, arguments: all, submissionKey: KEY }, descriptor);
}

/** The descriptor with the callback URL in its place, as each operation has it, and what stands for the secret in its own. */
function called(descriptor: Descriptor): Descriptor {
  if (descriptor.webhook === undefined) return descriptor;
  const { inject } = descriptor.webhook;
  const submit = withPlaced(descriptor.submit, inject, CALLBACK);
  return { ...descriptor, submit: withPlaced(submit, secretPlace(inject) ?? {}, SECRET) };
}

function refuse(faults: readonly Fault[], json: boolean, { stdout, stderr }: Terminal): 1 {
  if (json) stdout(`${JSON.stringify({ ok: false, faults })}\n`);
  else for (const fault of faults) stderr(`${describeFault(fault)}\n`);
  return 1;
}

function bodyText(body: string | Uint8Array | undefined): { body: string } | { bodyBytes: number } | object {
  if (body === undefined) return {};
  if (typeof body === 'string') return { body };
  try {
    return { body: new TextDecoder('utf-8', { fatal: true }).decode(body) };
  } catch {
    return { bodyBytes: body.byteLength };
  }
}
