// A verified delivery: polls decide, so it only says that now is a good time to look, and perhaps at which job.

import type { Awaiting, DeliveryReading } from '../../src/core/adapter.ts';
import { readHint } from '../../src/core/delivery.ts';
import type { Descriptor } from '../../src/core/descriptor.ts';
import { helperUrl } from '../../src/core/helper-request.ts';
import type { Delivery } from '../../src/core/webhook.ts';
import { protocolOf } from './protocol.ts';

export function readDelivery(delivery: Delivery, descriptor: Descriptor, awaiting: Awaiting): DeliveryReading {
  const { webhook } = descriptor;
  if (webhook === undefined) return { kind: 'hint' };
  const { status } = protocolOf(descriptor);
  return readHint(delivery, webhook, awaiting, (id) => {
    const statusUrl = status && helperUrl(status, { id }, awaiting.arguments);
    return statusUrl === undefined ? undefined : { id, statusUrl };
  });
}
