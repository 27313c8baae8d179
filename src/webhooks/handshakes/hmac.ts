// An event with a token, which is answered with the token and its HMAC by the shared secret. It is signed as deliveries are.

import { scalarText, tryParseJson, valueAt } from '../../core/json.ts';
import { hmac } from '../compare.ts';
import type { Handshake } from '../handshake.ts';

/**
 * Letters and digits alone: what a scheme signs holds a time or braces, so that no answer is the signature of a delivery.
 * The length keeps the token from being one that is long enough to be anything else.
 */
const TOKEN = /^[A-Za-z0-9_-]{1,128}$/;

export const hmacAnswer: Handshake = {
  id: 'hmac',
  methods: ['POST'],

  answer({ body }, _rules, [secret]) {
    const event = tryParseJson(new TextDecoder().decode(body));
    if (scalarText(valueAt(event, '/event')) !== 'endpoint.url_validation') return undefined;
    const plainToken = scalarText(valueAt(event, '/payload/plainToken'));
    if (plainToken === undefined || secret === undefined || !TOKEN.test(plainToken)) {
      return { status: 400, headers: {}, body: '' };
    }
    const encryptedToken = hmac('sha256', secret, [plainToken], 'hex');
    const headers = { 'content-type': 'application/json' };
    return { status: 200, headers, body: JSON.stringify({ plainToken, encryptedToken }) };
  },
};
