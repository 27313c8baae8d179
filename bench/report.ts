// The figures for people: a table for each scenario that was run.

import type { InFlight } from './in-flight.ts';
import type { PollCost, Polls } from './polls.ts';
import type { Figures, Row } from './rounds.ts';
import type { Spread } from './spread.ts';
import type { Visible, Webhooks } from './webhooks.ts';

export interface Report {
  readonly version: string;
  readonly at: string;
  readonly node: string;
  readonly machine: { readonly platform: string; readonly processors: number; readonly loadAverage: number };
  readonly seconds: number;
  readonly rounds: number;
  readonly requests: readonly Row[] | undefined;
  readonly inFlight: InFlight | undefined;
  readonly webhooks: Webhooks | undefined;
  readonly polls: Polls | undefined;
}

const number = (value: number, digits = 0): string => value.toFixed(digits);
const times = ({ median, min, max }: Spread): string => `×${number(median, 1)} (${number(min, 1)}–${number(max, 1)})`;
const figures = ({ perSecond, p50Ms, p95Ms, cpuMicros }: Figures): readonly string[] => [
  number(perSecond.median),
  number(p50Ms.median, 2),
  number(p95Ms.median, 2),
  number(cpuMicros.median),
];

export function table(report: Report): string {
  const { requests, inFlight, webhooks, polls, machine } = report;
  const blocks = [
    `longshore ${report.version}, Node ${report.node}, ${machine.platform}, ${machine.processors} processors, load average ${number(machine.loadAverage, 1)}, ${report.at.slice(0, 10)}`,
    ...(requests === undefined ? [] : requestBlocks(requests, report)),
    ...(inFlight === undefined ? [] : inFlightBlocks(inFlight)),
    ...(webhooks === undefined ? [] : webhookBlocks(webhooks)),
    ...(polls === undefined ? [] : pollBlocks(polls)),
  ];
  return `${blocks.join('\n\n')}\n`;
}

const requestBlocks = (requests: readonly Row[], { rounds, seconds }: Report): readonly string[] => [
  `Medians of ${rounds} rounds of ${seconds} s, 8 requests at a time. How many times as much the gateway takes:`,
  aligned([
    ['contract', 'request', 'time to SDK', 'CPU to SDK', 'time to upstream'],
    ...requests.map(({ contract, request, ratios }) => [
      contract,
      request,
      times(ratios.timeToSdk),
      times(ratios.cpuToSdk),
      times(ratios.timeToUpstream),
    ]),
  ]),
  'What this comes from:',
  aligned([
    ['contract', 'request', 'of', 'requests/s', 'p50 ms', 'p95 ms', 'CPU µs'],
    ...requests.flatMap(({ contract, request, gateway, sdk, upstream }) => [
      [contract, request, 'gateway', ...figures(gateway)],
      ['', '', 'SDK', ...figures(sdk)],
      ['', '', 'upstream', ...figures(upstream)],
    ]),
  ]),
];

const inFlightBlocks = (inFlight: InFlight): readonly string[] => [
  `${inFlight.jobs} jobs in flight, each polled once a second:`,
  aligned([
    [
      'polls/s',
      `${number(inFlight.pollsPerSecond)} of ${inFlight.pollsWantedPerSecond} wanted (${percent(inFlight.ratios.pollsReached)})`,
    ],
    ['CPU', `${percent(inFlight.cpuShare)} of one processor, ${number(inFlight.cpuMicrosPerPoll)} µs a poll`],
    ['tasks created/s', number(inFlight.createdPerSecond)],
    ['tasks/get p50', beside(inFlight.loaded.p50Ms, inFlight.idle.p50Ms, inFlight.ratios.p50ToIdle)],
    ['tasks/get p95', beside(inFlight.loaded.p95Ms, inFlight.idle.p95Ms, inFlight.ratios.p95ToIdle)],
  ]),
];

function webhookBlocks({ hooked, polled, ratios }: Webhooks): readonly string[] {
  const row = ({ jobs, p50Ms, p99Ms, pollsPerJob }: Visible) => [
    number(jobs),
    number(p50Ms, 1),
    number(p99Ms, 1),
    number(pollsPerJob, 2),
  ];
  return [
    'From the end of a job to its task being shown as completed, and what it took:',
    aligned([
      ['', 'jobs', 'p50 ms', 'p99 ms', 'polls a job'],
      ['with a webhook', ...row(hooked)],
      ['polled alone', ...row(polled)],
      ['', '', ...[ratios.p50, ratios.p99, ratios.pollsPerJob].map((ratio) => `×${number(ratio, 1)}`)],
    ]),
    `The webhook was acknowledged after ${number(hooked.acknowledgedP50Ms, 1)} ms (p99 ${number(hooked.acknowledgedP99Ms, 1)} ms).`,
  ];
}

function pollBlocks({ jobs, gateway, client, ratios }: Polls): readonly string[] {
  const row = ({ pollsPerSecond, cpuMicros }: PollCost) => [number(pollsPerSecond.median), number(cpuMicros.median)];
  return [
    `${jobs} jobs, each polled once a second by the gateway, and by a bare HTTP client at the same time:`,
    aligned([
      ['', 'polls/s', 'CPU µs a poll'],
      ['gateway', ...row(gateway)],
      ['HTTP client', ...row(client)],
      ['', '', times(ratios.cpuToClient)],
    ]),
  ];
}

const percent = (share: number): string => `${number(share * 100)} %`;
const beside = (loaded: number, idle: number, ratio: number): string =>
  `${number(loaded, 2)} ms, ${number(idle, 2)} ms when idle: ×${number(ratio, 1)}`;

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd()).join('\n');
}
