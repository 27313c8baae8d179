// Every signature scheme. Adding one is its file and one line here.

export { basic } from './basic.ts';
export { cloudEvents } from './cloudevents.ts';
export { ed25519 } from './ed25519.ts';
export { eventGrid } from './eventgrid.ts';
export { github } from './github.ts';
export { plainHmac } from './hmac.ts';
export { jwt } from './jwt.ts';
export { repeatedSecret } from './repeated-secret.ts';
export { signedNotification } from './signed-notification.ts';
export { slack } from './slack.ts';
export { standardWebhooks } from './standard-webhooks.ts';
export { stripe } from './stripe.ts';
export { token } from './token.ts';
export { twilio } from './twilio.ts';
export { unsigned } from './unsigned.ts';
