// A transport that counts what goes through it.

import type { Exchange, Transport } from '../core/http.ts';
import type { ExchangeResult, Metrics } from '../core/metrics.ts';
import type { Clock } from '../core/time.ts';

/** The same transport; each exchange that says what it is for is counted when it is over. */
export const measured = (transport: Transport, metrics: Metrics, clock: Pick<Clock, 'monotonic'>): Transport => ({
  async send(upstream, request, options) {
    const begunMs = clock.monotonic();
    const exchange = await transport.send(upstream, request, options);
    const { purpose } = options;
    if (purpose !== undefined) {
      metrics.exchanged({ upstream, purpose, result: resultOf(exchange) }, clock.monotonic() - begunMs);
    }
    return exchange;
  },
});

const resultOf = (exchange: Exchange): ExchangeResult =>
  exchange.ok ? (`${Math.trunc(exchange.response.status / 100)}xx` as ExchangeResult) : exchange.failure.kind;
