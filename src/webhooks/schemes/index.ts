// Every signature scheme. Adding one is its file and one line here.

import type { Scheme } from '../scheme.ts';
import { basic } from './basic.ts';
import { cloudEvents } from './cloudevents.ts';
import { ed25519 } from './ed25519.ts';
import { eventGrid } from './eventgrid.ts';
import { github } from './github.ts';
import { plainHmac } from './hmac.ts';
import { jwt } from './jwt.ts';
import { slack } from './slack.ts';
import { standardWebhooks } from './standard-webhooks.ts';
import { stripe } from './stripe.ts';
import { token } from './token.ts';
import { twilio } from './twilio.ts';
import { unsigned } from './unsigned.ts';

export const schemes: readonly Scheme[] = [
  standardWebhooks,
  stripe,
  github,
  slack,
  twilio,
  plainHmac,
  token,
  basic,
  jwt,
  ed25519,
  eventGrid,
  cloudEvents,
  unsigned,
];
