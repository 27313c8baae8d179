// Webhooks of described jobs: where the callback URL goes, whether this gateway can verify what comes back, and what that means.
//   B1. The document's own `callbacks` say where the callback URL goes, unless the description does.
//   B2. A webhook that can't be verified is not used: a job that can be polled is polled, one that can't is left out.

import type { UpstreamConfig } from '../config/config.ts';
import { isJsonObject } from '../core/json.ts';
import { barredFromBody } from '../core/placed.ts';
import type { CallbackPlace, Trust, WebhookRules } from '../core/webhook.ts';
import { secretPlace } from '../core/webhook.ts';
import type { Fault } from '../errors.ts';
import type { RequestContext } from './context.ts';
import { Uncompilable } from './fault.ts';
import type { CompiledJob, Described } from './jobs.ts';
import { child, type Node } from './node.ts';
import type { SourceOperation } from './operations.ts';

/** Why a webhook can't be used with what is configured for it, and the way out; `undefined` where it can. */
export type FaultOfRules = (
  webhook: Pick<WebhookRules, 'verify' | 'handshake'>,
  role: 'hint' | 'only' | undefined,
  trust: Trust,
) => string | undefined;

const trustIn = ({ webhooks }: Pick<UpstreamConfig, 'webhooks'>): Trust => ({
  secrets: (webhooks?.secrets ?? []).map((secret) => secret.reveal()),
  ...(webhooks?.secretsUnread && { unread: true }),
  keySets: webhooks?.keySets ?? [],
  allowedOrigins: webhooks?.allowedOrigins ?? [],
});

const AT = '/x-longshore/webhook';

function refusal(operation: SourceOperation, at: string, message: string, mend: string): Uncompilable {
  const { document } = operation.node;
  const pointer = `${operation.node.pointer}${at}`;
  return new Uncompilable({ file: document.file, ...document.placeOf(pointer), pointer, message, mend });
}

function unused(operation: SourceOperation, fault: string): Fault {
  const { document } = operation.node;
  const pointer = `${operation.node.pointer}${AT}/verify`;
  const message = `the webhook is not used, and its job is polled at its usual pace: ${fault}`;
  const mend = 'mend it (docs/webhooks.md says what each scheme needs), or take the webhook out';
  return { file: document.file, ...document.placeOf(pointer), pointer, message, mend };
}

/** What is said where nobody was asked whether deliveries can be verified: a document is looked at without its secrets. */
export const NOBODY_ASKED = 'nothing here verifies webhooks';

/** The description with its webhook made definite, or without it where it can't be used, with a warning. Throws {@link Uncompilable}. */
export function settleWebhook(
  operation: SourceOperation,
  described: Described,
  upstream: Pick<UpstreamConfig, 'webhooks'>,
  { resolve }: RequestContext,
  faultOf: FaultOfRules,
  warnings: Fault[],
): Described {
  const { webhook, ...rest } = described.description;
  if (webhook === undefined || described.kind === 'call') return described;
  const { role } = webhook;
  const adapter = rest.adapter ?? (role === 'only' ? 'webhook' : undefined);
  const isOnly = role === 'only' || adapter === 'webhook';
  const fault = faultOf(webhook, isOnly ? 'only' : role, trustIn(upstream));
  if (fault !== undefined && isOnly) {
    throw refusal(
      operation,
      `${AT}/verify`,
      `has a webhook that can't be verified: ${fault}`,
      'without it nobody hears the end',
    );
  }
  if (fault !== undefined) {
    if (fault !== NOBODY_ASKED) warnings.push(unused(operation, fault));
    return { ...described, description: rest, evidence: `${described.evidence}; its webhook is not used: ${fault}` };
  }
  const inject = webhook.inject ?? injectionIn(operation, resolve);
  if (inject === undefined) {
    const mend = 'write `inject` with a header, a query parameter, or a pointer into the body';
    throw refusal(operation, AT, 'does not say where the callback URL goes, and the document has no callbacks', mend);
  }
  if (inject.credentials === true && webhook.verify.scheme !== 'basic') {
    const mend = 'leave them out, or verify by the scheme basic';
    throw refusal(operation, `${AT}/inject/credentials`, 'puts credentials into the URL that nothing asks for', mend);
  }
  if (inject.secret !== undefined && webhook.verify.scheme !== 'repeated-secret') {
    const mend = 'leave it out, or verify by the scheme repeated-secret';
    throw refusal(operation, `${AT}/inject/secret`, 'sends a secret that nothing asks for', mend);
  }
  const named = adapter === undefined ? {} : { adapter };
  return { ...described, description: { ...rest, ...named, webhook: { ...webhook, inject } } };
}

/** The runtime expression that is a callback's name, as a place in the request. @see OpenAPI 3.1 §4.8.18 Callback Object */
const EXPRESSION = /^\{?\$request\.(?:body#(?<body>\/[^}]*)|header\.(?<header>[^}]+)|query\.(?<query>[^}]+))\}?$/;

function injectionIn(operation: SourceOperation, resolve: (node: Node) => Node): CallbackPlace | undefined {
  const callbacks = child(operation.node, 'callbacks');
  if (callbacks === undefined || !isJsonObject(callbacks.value)) return undefined;
  const names = Object.keys(callbacks.value).flatMap((name) => {
    const callback = resolve(child(callbacks, name) as Node).value;
    return isJsonObject(callback) ? Object.keys(callback) : [];
  });
  const places = new Map(names.flatMap((name) => (EXPRESSION.test(name) ? [[name, EXPRESSION.exec(name)?.groups]] : [])));
  const [place, ...more] = places.values();
  if (place === undefined || more.length > 0) return undefined;
  return Object.fromEntries(Object.entries(place).filter(([, value]) => value !== undefined));
}

/** The compiled job, if its webhook fits it. Throws {@link Uncompilable}. */
export function fitting(operation: SourceOperation, job: CompiledJob): CompiledJob {
  const { webhook } = job.description;
  if (webhook === undefined) return job;
  const { status } = job.compiled.traits;
  if (status && webhook.role === 'only') {
    const mend = 'leave the role out: where a status can be polled, polls decide and deliveries hurry them';
    throw refusal(operation, `${AT}/role`, `is only, but the adapter ${job.adapter.id} polls`, mend);
  }
  if (!status && webhook.role === 'hint') {
    const mend = 'describe the status, or leave the role out';
    throw refusal(operation, `${AT}/role`, 'is hint, but there is nothing to poll', mend);
  }
  const barred = barredFromBody(job.request.template, webhook.inject);
  if (barred !== undefined) {
    throw refusal(operation, `${AT}/inject/body`, barred, 'put the callback URL into a header or the query');
  }
  const secretBarred = barredFromBody(job.request.template, secretPlace(webhook.inject));
  if (secretBarred !== undefined) throw refusal(operation, `${AT}/inject/secret`, secretBarred, 'name a member of a JSON body');
  return job;
}
