// The URL and the form's fields in the order of their names, by HMAC-SHA1; JSON bodies by their digest in the URL.
// @see https://www.twilio.com/docs/usage/webhooks/webhooks-security

import { anySame, hmac, lines, sameText, sha256Hex } from '../compare.ts';
import { refused, type Scheme } from '../scheme.ts';

const DEFAULT_PORTS: Readonly<Record<string, string>> = { https: '443', http: '80' };

export const twilio: Scheme = {
  id: 'twilio',

  verify(incoming, secrets, rules) {
    const { header = 'x-twilio-signature' } = rules;
    const given = lines(incoming, header);
    if (given.length === 0) return refused(`there is no signature in ${header}`);
    const digest = new URL(incoming.url).searchParams.get('bodySHA256');
    if (digest !== null && !sameText(digest.toLowerCase(), sha256Hex(incoming.body))) {
      return refused('the body is not the one whose digest is in the URL');
    }
    const fields = digest === null ? fieldsOf(incoming.body) : '';
    const expected = secrets.flatMap((secret) =>
      spellings(incoming.url).map((url) => hmac('sha1', secret, [url, fields], 'base64')),
    );
    return anySame(given, expected) ? { ok: true } : refused('no signature is by an active secret');
  },
};

/** Names and values in the order of the names, then of the values; the same pair counts once. */
function fieldsOf(body: Uint8Array): string {
  const pairs = [...new URLSearchParams(new TextDecoder().decode(body))];
  const order = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
  const sorted = pairs.sort(([a, x], [b, y]) => order(a, b) || order(x, y));
  return [...new Map(sorted.map(([name, value]) => [JSON.stringify([name, value]), `${name}${value}`])).values()].join('');
}

/** With the port and without it: senders differ in whether they sign the one that goes without saying. */
function spellings(url: string): readonly string[] {
  const [, scheme = '', host = '', port, rest = ''] = /^(https?):\/\/(\[[^\]]*\]|[^/:?#]*)(:\d+)?(.*)$/s.exec(url) ?? [];
  const other = port === undefined ? `:${DEFAULT_PORTS[scheme] ?? ''}` : '';
  return [url, `${scheme}://${host}${other}${rest}`];
}
