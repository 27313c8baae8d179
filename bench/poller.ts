// The measure of a poll: a process that does nothing but the GETs, with Node's HTTP client on kept connections. It reads the same
// jobs as often as the gateway is to, evenly over each second, and keeps nothing of them but the parsed answer's status.
//   node poller.ts <url of the upstream> <jobs>

import http from 'node:http';
import { json } from 'node:stream/consumers';
import { systemClock } from '../src/clock.ts';

const EVERY_MS = 1_000;
const [, , url = '', count = ''] = process.argv;
const jobs = Number(count);
const agent = new http.Agent({ keepAlive: true });

const get = (path: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    http.get(`${url}${path}`, { agent }, (response) => resolve(json(response))).once('error', reject);
  });

async function follow(job: number): Promise<void> {
  let dueMs = systemClock.monotonic() + (job / jobs) * EVERY_MS;
  while (true) {
    await systemClock.sleep(dueMs - systemClock.monotonic());
    const { status } = (await get(`/jobs/j-${job}`)) as { readonly status?: string };
    if (status !== 'running') throw new Error(`j-${job} is ${status}`);
    // Late polls are not made up for: neither does the gateway.
    dueMs = Math.max(dueMs + EVERY_MS, systemClock.monotonic());
  }
}

for (let job = 1; job <= jobs; job += 1) void follow(job);
process.send?.({ url });
