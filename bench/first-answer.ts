// From the start of a process to its first answer: tools/list of an MCP server that is not running yet.

import { spawn } from 'node:child_process';
import { systemClock } from '../src/clock.ts';

/** A server's command line for `node`, and where it will listen. */
export interface Subject {
  readonly args: readonly string[];
  readonly url: string;
}

export interface FirstAnswer {
  /** From the start of the process to the whole list. */
  readonly ms: number;
  /** Of the result of tools/list. */
  readonly bytes: number;
  readonly tools: number;
}

const WITHIN_MS = 60_000;
const AGAIN_MS = 10;

async function post(url: string, message: object, session?: string) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(session === undefined ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
  const text = await response.text();
  const line = text.split('\n').find((one) => /^(data: )?\{/.test(one));
  const answer = line === undefined ? {} : (JSON.parse(line.replace(/^data: /, '')) as { result?: { tools?: unknown[] } });
  return { answer, session: response.headers.get('mcp-session-id') ?? undefined };
}

/** Starts the server, asks it for its tools as soon as it answers, and ends it. Throws with what it printed where it does not. */
export async function firstAnswer({ args, url }: Subject): Promise<FirstAnswer> {
  const began = systemClock.monotonic();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  let ended = false;
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve())).then(() => {
    ended = true;
  });
  try {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
    while (systemClock.monotonic() < began + WITHIN_MS && !ended) {
      const opened = await post(url, { id: 0, method: 'initialize', params }).catch(() => undefined);
      if (opened?.answer.result === undefined) {
        await systemClock.sleep(AGAIN_MS);
        continue;
      }
      await post(url, { method: 'notifications/initialized' }, opened.session);
      const { answer } = await post(url, { id: 1, method: 'tools/list' }, opened.session);
      if (answer.result === undefined) break;
      const ms = systemClock.monotonic() - began;
      return { ms, bytes: Buffer.byteLength(JSON.stringify(answer.result)), tools: answer.result.tools?.length ?? 0 };
    }
    throw new Error(`no tools came from ${url}:\n${output}`);
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}
