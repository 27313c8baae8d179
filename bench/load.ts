// The load: a fixed number of senders on connections that are kept, each sending its next request when the last was answered.
// Every answer is looked at: a benchmark of errors measures nothing.

import http from 'node:http';
import { systemClock } from '../src/clock.ts';
import { quantile } from './spread.ts';

export interface Shot {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** Requests of one kind. */
export interface Target {
  next(): Shot;
  /** A part that every right answer has. */
  readonly expects: string;
}

export interface Run {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

export interface Load {
  readonly senders: number;
  /** How long, or how many requests. */
  readonly durationMs?: number;
  readonly requests?: number;
  /** Between an answer and the next request of the same sender. */
  readonly pauseMs?: number;
  readonly onAnswer?: (answer: Answer) => void;
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

/** Closes what is kept open. */
export const closeConnections = (): void => agent.destroy();

export function send({ method, url, headers, body }: Shot): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks).toString() }),
      );
    });
    request.once('error', reject);
    request.end(body);
  });
}

/** Throws when an answer is not what the target expects. */
export async function run(target: Target, load: Load): Promise<Run> {
  const { senders, durationMs = Number.POSITIVE_INFINITY, requests = Number.POSITIVE_INFINITY, pauseMs = 0 } = load;
  const startedAt = systemClock.monotonic();
  const latencies: number[] = [];
  let begun = 0;

  async function sender(): Promise<void> {
    while (begun < requests && systemClock.monotonic() - startedAt < durationMs) {
      begun += 1;
      const at = systemClock.monotonic();
      const answer = await send(target.next());
      latencies.push(systemClock.monotonic() - at);
      if (!answer.body.includes(target.expects)) {
        throw new Error(`${target.expects} is not in the answer: HTTP ${answer.status} ${answer.body.slice(0, 500)}`);
      }
      load.onAnswer?.(answer);
      if (pauseMs > 0) await systemClock.sleep(pauseMs);
    }
  }

  await Promise.all(Array.from({ length: senders }, sender));
  const seconds = (systemClock.monotonic() - startedAt) / 1000;
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    p50Ms: quantile(latencies, 0.5),
    p95Ms: quantile(latencies, 0.95),
  };
}
