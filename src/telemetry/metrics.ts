// The metrics registry: what the rest of the house counts, by its OpenMetrics names. docs/operations.md explains each.
//   M1. The only file that knows the registry. What is counted comes in by the Metrics of core, or is read from what the
//       engine tells everybody.
//   M2. What can't be looked at has no samples, rather than old ones or none of anything: whoever is on call needs the rest then.
//   M3. Labels are names of the configuration and words of the code. Ids, principals, URLs and texts never come here.
// @see https://prometheus.io/docs/specs/om/open_metrics_spec/

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { wordOf } from '../core/facets.ts';
import type { Gate } from '../core/gates.ts';
import type { Metrics } from '../core/metrics.ts';
import type { Operation } from '../core/operation.ts';
import { LIVE, type Life } from '../core/transitions.ts';

/** What the ledger holds. */
export interface Held {
  /** Operations that have not ended, by their life. */
  readonly open: Readonly<Partial<Record<Life, number>>>;
  /** Operations that have ended, and of whose jobs it is not known what became, by who looks into it: the gateway still, or a person. */
  readonly unsettled: Readonly<Record<'REQUIRED' | 'ESCALATED', number>>;
}

/** What is looked at when somebody asks, and not counted. */
export interface Looked {
  /** `undefined` while the ledger can't be read. */
  held(): Promise<Held | undefined>;
  /** Every gate that was ever changed. */
  gates(): readonly Gate[];
}

export interface MetricsRegistry {
  readonly metrics: Metrics;
  /** Counts beginnings and endings: to be told of every commit. */
  changed(operation: Operation): void;
  /** From now on what is looked at is there to be looked at. */
  look(at: Looked): void;
  readonly contentType: string;
  /** Everything, as OpenMetrics text. */
  text(): Promise<string>;
}

const EXCHANGE_SECONDS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100];
const LAG_SECONDS = [0.01, 0.05, 0.25, 1, 5, 30, 300];
/** From jobs that a caller could have waited for to those that run for days. */
const JOB_SECONDS = [1, 5, 30, 120, 600, 3_600, 6 * 3_600, 24 * 3_600, 7 * 24 * 3_600];

export function createMetrics(version: string): MetricsRegistry {
  const registry = new Registry();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE as never);
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const deliveries = new Counter({
    name: 'longshore_webhook_deliveries_total',
    help: 'Requests to callback URLs, by what became of them.',
    labelNames: ['upstream', 'scheme', 'outcome'],
    registers,
  });
  const events = new Counter({
    name: 'longshore_webhook_events_total',
    help: 'Events of verified deliveries, by what they did to their operation.',
    labelNames: ['upstream', 'outcome'],
    registers,
  });
  const started = new Counter({
    name: 'longshore_operations_started_total',
    help: 'Operations that were created.',
    labelNames: ['upstream', 'adapter', 'contract'],
    registers,
  });
  const ended = new Counter({
    name: 'longshore_operations_ended_total',
    help: 'Operations that ended, by outcome.',
    labelNames: ['upstream', 'adapter', 'contract', 'outcome'],
    registers,
  });
  const lasted = new Histogram({
    name: 'longshore_operation_duration_seconds',
    help: 'From the call to the end of an operation.',
    labelNames: ['upstream', 'outcome'],
    buckets: JOB_SECONDS,
    registers,
  });
  const exchanges = new Counter({
    name: 'longshore_upstream_exchanges_total',
    help: 'Requests to upstreams that are over, by what they were for and how they were answered.',
    labelNames: ['upstream', 'purpose', 'result'],
    registers,
  });
  const exchangeSeconds = new Histogram({
    name: 'longshore_upstream_exchange_duration_seconds',
    help: 'How long requests to upstreams took.',
    labelNames: ['upstream', 'purpose'],
    buckets: EXCHANGE_SECONDS,
    registers,
  });
  const lag = new Histogram({
    name: 'longshore_due_work_lag_seconds',
    help: 'How late due work was begun.',
    labelNames: ['work'],
    buckets: LAG_SECONDS,
    registers,
  });
  const reached = new Counter({
    name: 'longshore_limits_reached_total',
    help: 'How often the last place within a limit was taken, or none was left. The limit is named as in the configuration.',
    labelNames: ['limit', 'upstream'],
    registers,
  });
  const refused = new Counter({
    name: 'longshore_calls_refused_total',
    help: 'Calls that were refused before anything was sent, by why.',
    labelNames: ['upstream', 'why'],
    registers,
  });
  new Gauge({
    name: 'longshore_build_info',
    help: 'Always 1; the version is in the label.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);

  let look: Looked['held'] = async () => undefined;
  let held = look();

  return {
    metrics: {
      delivered: (labels) => deliveries.inc(labels),
      settled: (labels) => events.inc(labels),
      exchanged({ upstream, purpose, result }, durationMs) {
        exchanges.inc({ upstream, purpose, result });
        exchangeSeconds.observe({ upstream, purpose }, durationMs / 1000);
      },
      begun: (labels, lagMs) => lag.observe(labels, Math.max(0, lagMs) / 1000),
      reached: (labels) => reached.inc(labels),
      refused: (labels) => refused.inc(labels),
    },

    changed({ seq, upstream, adapter, contract, receipt, createdAt }) {
      if (seq === 1) started.inc({ upstream, adapter, contract });
      if (receipt?.seq !== seq) return;
      const { outcome, at } = receipt;
      ended.inc({ upstream, adapter, contract, outcome });
      lasted.observe({ upstream, outcome }, Math.max(0, at - createdAt) / 1000);
    },

    look(at) {
      // Three gauges show what one look found.
      look = () => at.held();
      new Gauge({
        name: 'longshore_ledger_up',
        help: 'Whether the ledger could be read for this scrape.',
        registers,
        async collect() {
          this.set((await held) === undefined ? 0 : 1);
        },
      });
      new Gauge({
        name: 'longshore_operations_open',
        help: 'Operations that have not ended, by state.',
        labelNames: ['state'],
        registers,
        async collect() {
          this.reset();
          const counts = (await held)?.open;
          if (counts !== undefined) for (const life of LIVE) this.set({ state: wordOf(life) }, counts[life] ?? 0);
        },
      });
      new Gauge({
        name: 'longshore_operations_unsettled',
        help: 'Operations that have ended, and of whose jobs it is not known what became.',
        labelNames: ['effects'],
        registers,
        async collect() {
          this.reset();
          const counts = (await held)?.unsettled;
          if (counts === undefined) return;
          this.set({ effects: 'required' }, counts.REQUIRED);
          this.set({ effects: 'escalated' }, counts.ESCALATED);
        },
      });
      new Gauge({
        name: 'longshore_gates',
        help: 'Gates that were ever changed, by how they stand now: 1 is its mode. An empty label means any.',
        labelNames: ['adapter', 'contract', 'upstream', 'tool', 'mode'],
        registers,
        collect() {
          this.reset();
          for (const { adapter, contract, upstream = '', tool = '', mode } of at.gates()) {
            this.set({ adapter, contract, upstream, tool, mode }, 1);
          }
        },
      });
    },

    contentType: registry.contentType,
    text() {
      held = look();
      return registry.metrics();
    },
  };
}
