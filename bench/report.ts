// The figures for people: one table of requests, one of jobs in flight.

import type { InFlight } from './in-flight.ts';
import type { Figures, Row } from './rounds.ts';
import type { Spread } from './spread.ts';

export interface Report {
  readonly version: string;
  readonly at: string;
  readonly node: string;
  readonly machine: { readonly platform: string; readonly processors: number; readonly loadAverage: number };
  readonly seconds: number;
  readonly rounds: number;
  readonly requests: readonly Row[];
  readonly inFlight: InFlight;
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
  const { requests, inFlight, machine } = report;
  const blocks = [
    `longshore ${report.version}, Node ${report.node}, ${machine.platform}, ${machine.processors} processors, load average ${number(machine.loadAverage, 1)}, ${report.at.slice(0, 10)}`,
    `Medians of ${report.rounds} rounds of ${report.seconds} s, 8 requests at a time. How many times as much the gateway takes:`,
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
  return `${blocks.join('\n\n')}\n`;
}

const percent = (share: number): string => `${number(share * 100)} %`;
const beside = (loaded: number, idle: number, ratio: number): string =>
  `${number(loaded, 2)} ms, ${number(idle, 2)} ms when idle: ×${number(ratio, 1)}`;

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd()).join('\n');
}
