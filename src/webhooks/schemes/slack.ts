// `v0=<hex>` over version, time and body; a URL is first verified by a challenge. @see https://docs.slack.dev/authentication/verifying-requests-from-slack

import { isJsonObject, tryParseJson } from '../../core/json.ts';
import type { Scheme } from '../scheme.ts';
import { plainHmac } from './hmac.ts';

const RULES = {
  header: 'x-slack-signature',
  prefix: 'v0=',
  timestamp: 'x-slack-request-timestamp',
  signed: 'v0:{timestamp}:{body}',
} as const;

export const slack: Scheme = {
  id: 'slack',
  idAt: '/event_id',

  verify: (incoming, secrets, rules, now, reach) => plainHmac.verify(incoming, secrets, { ...RULES, ...rules }, now, reach),

  handshake({ body }) {
    const event = tryParseJson(new TextDecoder().decode(body));
    if (!isJsonObject(event) || event['type'] !== 'url_verification') return undefined;
    return { status: 200, headers: { 'content-type': 'text/plain' }, body: String(event['challenge'] ?? '') };
  },
};
