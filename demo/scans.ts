// The demo's scanning service, as described by specs/demo/scans.openapi.yaml: it has no status to ask for, and posts a signed
// event to the URL that it was given when a scan has ended. Like any sender it repeats an event that nobody took.
// @see Standard Webhooks 1.0.0

import { createHmac } from 'node:crypto';
import type { Clock } from '../src/core/time.ts';
import { application, listen, problem, type Service } from './service.ts';

const DURATION_MS = 2_600;
const SEND_TIMES_MAX = 5;
const SEND_AGAIN_MS = 500;

export interface ScanService extends Service {
  /** What its events are signed by: its customers put it into their configuration. */
  readonly secret: string;
}

export async function startScans(options: { readonly port: number; readonly clock: Clock }): Promise<ScanService> {
  const { clock } = options;
  const key = Buffer.from('the demo signs its events by this');
  const closed = new AbortController();
  let scans = 0;
  const app = application();

  app.post('/scans', (request, response) => {
    const { host, callback_url: callback } = (request.body ?? {}) as Record<string, unknown>;
    if (typeof host !== 'string' || host === '') return problem(response, 400, 'Not a scan', 'Member "host" is missing.');
    if (typeof callback !== 'string' || !URL.canParse(callback)) {
      return problem(response, 400, 'Not a scan', 'Member "callback_url" must be a URL.');
    }
    scans += 1;
    const scan = `scan-${scans}`;
    response.status(202).json({ scan });
    void clock.sleep(DURATION_MS, closed.signal).then(() => send(callback, scan, host));
  });

  async function send(callback: string, scan: string, host: string): Promise<void> {
    const body = JSON.stringify({ type: 'scan.finished', data: { scan, status: 'succeeded', findings: findingsOn(host) } });
    for (let time = 1; time <= SEND_TIMES_MAX && !closed.signal.aborted; time += 1) {
      const signedAt = Math.floor(clock.now() / 1000);
      const id = `msg_${scan}`;
      const signature = createHmac('sha256', key).update(`${id}.${signedAt}.${body}`).digest('base64');
      const headers = {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(signedAt),
        'webhook-signature': `v1,${signature}`,
      };
      const taken = await fetch(callback, { method: 'POST', headers, body, signal: closed.signal }).then(
        (response) => response.ok,
        () => false,
      );
      if (taken) return;
      await clock.sleep(SEND_AGAIN_MS, closed.signal);
    }
  }

  const { url, close } = await listen(app, options.port);
  return {
    name: 'scans',
    title: 'scanning service',
    style: 'webhook only',
    url,
    secret: `whsec_${key.toString('base64')}`,
    jobsCreated: () => scans,
    close: () => {
      closed.abort();
      return close();
    },
  };
}

const findingsOn = (host: string) => [
  { host, port: 22, service: 'ssh', severity: 'low', advice: 'Turn password logins off.' },
  { host, port: 5432, service: 'postgresql', severity: 'high', advice: 'Listen on the private network alone.' },
];
