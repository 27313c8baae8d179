// Who is let in where operators ask: by Host and Origin, and by a token that is compared in constant time.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Config, Secret } from '../config/config.ts';
import type { Log } from '../core/log.ts';
import { allowedHostNames, allowedOriginNames } from './allowed-names.ts';
import { answerProblem } from './problem.ts';

/** Refuses requests that a web page of another site may have made, by whatever name it knows this gateway. */
export const fromHere = (config: Config): RequestHandler => {
  const hosts = allowedHostNames(config);
  const origins = allowedOriginNames(config);
  return ({ headers }, response, next) => {
    if (!hosts.includes(hostNameOf(`http://${headers.host}`))) {
      return answerProblem(
        response,
        403,
        'This Host is not answered; server.allowedHosts and server.publicUrl name those that are.',
      );
    }
    if (headers.origin !== undefined && !origins.includes(hostNameOf(headers.origin)))
      return answerProblem(response, 403, 'Web pages of this origin may not ask.');
    next();
  };
};

const hostNameOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : '');

/**
 * Lets in who brings the token.
 * @param realm whose token it is: `admin`
 * @see RFC 6750 §2.1, §3
 */
export const onlyBearers = (realm: 'admin' | 'metrics', token: Secret, log: Log): RequestHandler => {
  // Digests have one length, so that comparing them tells nothing of the token's.
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = digest(token.reveal());
  const whose = realm === 'admin' ? 'the operators’ token' : 'the token of `metrics.token`';
  return ({ headers, method, originalUrl }, response, next) => {
    const given = /^Bearer ([\x21-\x7e]+)$/i.exec(headers.authorization ?? '')?.[1];
    if (given !== undefined && timingSafeEqual(digest(given), expected)) return next();
    if (given !== undefined) log.warn({ method, path: originalUrl.split('?', 1)[0], realm }, 'a wrong token was refused');
    response.set('WWW-Authenticate', `Bearer realm="longshore ${realm}"`);
    const detail = given === undefined ? `Bring ${whose}: Authorization: Bearer ….` : `This is not ${whose}.`;
    answerProblem(response, 401, detail);
  };
};
