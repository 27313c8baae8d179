import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type CallOptions, call } from '../../src/cli/call.ts';
import { gatewayClient } from '../../src/cli/gateway-client.ts';
import { systemClock } from '../../src/clock.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { closing, projectFile, serve, until } from '../e2e/gateway.ts';
import { startJobs } from '../fixtures/jobs.ts';
import { printed } from './kit.ts';

const { keep, closeAll } = closing();
afterEach(closeAll);

async function gateway() {
  const jobs = keep(await startJobs(), (service) => service.close());
  const upstream = `  jobs:\n    document: ${projectFile('test/fixtures/jobs.openapi.yaml')}\n    baseUrl: ${jobs.url}\n`;
  const running = keep(await serve(upstream), (one) => one.dispose());
  return { jobs, running };
}

function calling(url: string, tool: string, args: JsonObject, options: Partial<CallOptions> = {}) {
  const terminal = printed();
  const interrupt = new AbortController();
  const code = call({
    tool,
    arguments: args,
    client: gatewayClient(url, '1.0.0', undefined),
    startWith: 'longshore serve',
    again: 'longshore call',
    json: false,
    interrupted: interrupt.signal,
    clock: systemClock,
    terminal,
    ...options,
  });
  return { code, interrupt, out: terminal.out, err: terminal.err };
}

/** The operation that progress has named. */
const operationIn = (text: string): string | undefined => /op_[0-9a-z]+/.exec(text)?.[0];

describe('a call through a running gateway', () => {
  test('is followed to its end, and answers with the result', async () => {
    const { jobs, running } = await gateway();
    const job = calling(running.url, 'create_job', { name: 'Ada' });
    await until('the operation is named', () => operationIn(job.err()));
    jobs.release();
    expect(await job.code).toBe(0);
    expect(job.out()).toContain('Ada');
    expect(job.err()).toMatch(/✔ succeeded in [\d.]+ s · op_[0-9a-z]+\n$/);
    expect(jobs.submits).toHaveLength(1);

    const json = calling(running.url, 'create_job', { name: 'Grace' }, { json: true });
    expect(await json.code).toBe(0);
    expect(json.err()).toBe('');
    expect(JSON.parse(json.out())).toMatchObject({
      outcome: 'succeeded',
      operation: expect.stringMatching(/^op_/),
      result: { content: [{ type: 'text' }] },
    });

    const passed = calling(running.url, 'ping', {});
    expect(await passed.code).toBe(0);
    expect(passed.err()).toMatch(/^✔ succeeded in [\d.]+ s\n$/);
  });

  test('goes on when nobody waits any more, and says how to see it', async () => {
    const { jobs, running } = await gateway();
    const job = calling(running.url, 'create_job', { name: 'Ada' });
    const operation = await until('the operation is named', () => operationIn(job.err()));
    job.interrupt.abort();
    expect(await job.code).toBe(130);
    expect(job.err()).toContain(`longshore call get_operation '{"operation":"${operation}"}'`);

    const pending = calling(running.url, 'get_operation', { operation });
    expect(await pending.code).toBe(1);
    expect(pending.err()).toMatch(/… not finished after/);
    jobs.release();
    const waited = calling(running.url, 'wait_for_operation', { operation });
    expect(await waited.code).toBe(0);
    expect(waited.out()).toContain('Ada');

    jobs.reset();
    const timed = calling(running.url, 'create_order', { name: 'Grace' }, { timeoutMs: 700 });
    expect(await timed.code).toBe(1);
    expect(timed.err()).toContain('The operation goes on at the gateway.');
  });

  test('tells what was wrong with it: arguments, or the name of the tool', async () => {
    const { running } = await gateway();
    const wrong = calling(running.url, 'create_job', { nam: 'Ada' });
    expect(await wrong.code).toBe(1);
    expect(wrong.out()).toContain('/name: "name" is required');
    const unknown = calling(running.url, 'create_jib', {});
    expect(await unknown.code).toBe(1);
    expect(unknown.err()).toBe('✘ there is no tool create_jib → was create_job meant?\n');
  });
});

describe('a call where no gateway is', () => {
  test('says so, and how to start one', async () => {
    const away = calling('http://127.0.0.1:9/mcp', 'create_job', {});
    expect(await away.code).toBe(1);
    expect(away.err()).toMatch(/^✘ no gateway answers at http:\/\/127\.0\.0\.1:9\/mcp .*longshore serve\n$/);
  });

  /** Something else than a gateway, which answers everything so. */
  async function stranger(status: number, type: string, body: string): Promise<string> {
    const server = createServer((_request, response) => response.writeHead(status, { 'content-type': type }).end(body));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    keep(server, async () => server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  }

  test.each([
    ['a web page', 200, 'text/html', '<h1>Hello</h1>', /--url/],
    [
      'one that wants a token',
      401,
      'application/json',
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Unauthorized"}}',
      /LONGSHORE_TOKEN/,
    ],
    ['JSON of another kind', 200, 'application/json', '[1,2]', /--url/],
  ])('is not taken in by %s', async (_what, status, type, body, mend) => {
    const strange = calling(await stranger(status, type, body), 'create_job', {});
    expect(await strange.code).toBe(1);
    expect(strange.err()).toMatch(mend);
    expect(strange.out()).toBe('');
  });
});
