// The callback URL of an operation, put into its submit. It is known before the submit leaves, so that a delivery that
// outruns the answer is matched by it at once.

import type { Operation } from '../core/operation.ts';
import { withPlaced } from '../core/placed.ts';
import { secretPlace } from '../core/webhook.ts';
import type { Context } from './context.ts';
import type { Job } from './descriptors.ts';

/** The job with the operation's own callback URL as a constant of its submit; as it was where the upstream does not call back. */
export function withCallback({ webhooks }: Pick<Context, 'webhooks'>, operation: Operation, job: Job): Job {
  const { descriptor } = job;
  const { callbackToken } = operation;
  if (descriptor.webhook === undefined || callbackToken === undefined) return job;
  if (webhooks === undefined) throw new Error(`operation ${operation.id} needs a callback URL, and none can be made`);
  const { inject } = descriptor.webhook;
  const url = webhooks.callbackUrl(descriptor.upstream, callbackToken, inject.credentials);
  const submit = withPlaced(descriptor.submit, inject, url);
  const place = secretPlace(inject);
  if (place === undefined) return { ...job, descriptor: { ...descriptor, submit } };
  const secret = webhooks.secretFor?.(descriptor.upstream);
  if (secret === undefined)
    throw new Error(`operation ${operation.id} sends a secret of ${descriptor.upstream}, and none is configured`);
  return { ...job, descriptor: { ...descriptor, submit: withPlaced(submit, place, secret) } };
}
