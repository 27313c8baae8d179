// A certificate that the zoo makes for itself when it opens: of its host, and of what it signs.

import { certificateOf, rsaPair } from '../webhooks/published.ts';

/** The certificate names no address, which only a name can be checked against. */
export const SECURE_HOST = 'localhost';
const AN_HOUR_MS = 3_600_000;
const PAIR = rsaPair();

export const PRIVATE_KEY = PAIR.privateKey;
export const CERTIFICATE = certificateOf(PAIR, Date.now() - AN_HOUR_MS, Date.now() + AN_HOUR_MS, SECURE_HOST);
