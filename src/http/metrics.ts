// `GET /metrics`: what is counted, for who scrapes it. It holds no id and no secret; it does hold the names of upstreams.

import { type RequestHandler, Router } from 'express';
import type { Config } from '../config/config.ts';
import type { Log } from '../core/log.ts';
import { fromHere, onlyBearers } from './operators.ts';
import { problems } from './problem.ts';

/** Everything that is counted, as text. */
export interface Scraped {
  readonly contentType: string;
  text(): Promise<string>;
}

/**
 * Whoever brings the token may ask by any name of this machine, as scrapers do; without a token the name is looked at instead,
 * so that no web page of another site can read it.
 */
export function createMetricsPage(scraped: Scraped, config: Config, log: Log): Router {
  const token = config.metrics?.token;
  const guard: RequestHandler = token === undefined ? fromHere(config) : onlyBearers('metrics', token, log);
  const router = Router();
  router.get('/', guard, async (_request, response) => {
    const text = await scraped.text();
    response.set({ 'Content-Type': scraped.contentType, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
    response.end(text);
  });
  router.use(problems(log));
  return router;
}
