// Things of a business have states, too: a payment is processing, an order is cancelled. They are no jobs.

import type { Rule } from './rule.ts';
import { isJobWord } from './wording.ts';

const NOUNS = new Set(
  `payment charge order subscription invoice user issue pull room payout refund transfer dispute quote intent topup customer
  account card member invitation message ticket review release project site domain certificate firewall contract shipment
  booking reservation reversal status state comment hook webhook alert`.split(/\s+/),
);

export const lifecycle: Rule = {
  name: 'lifecycle',
  look: ({ facts, monitor }) => {
    const noun = facts.noun.find((token) => NOUNS.has(token));
    if (noun === undefined || monitor?.state === undefined || facts.noun.some(isJobWord)) return undefined;
    return { score: -30, pointer: facts.pointer, says: `${facts.noun.join(' ')} has states of its own without being a job` };
  },
};
