// The measure: what the official SDK costs by itself. A bare server on Express, on the same route and both legs of the
// protocol, whose tasks are entries of a Map and whose answers are constants.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostHeaderValidation, originValidation } from '@modelcontextprotocol/express';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type JSONRPCRequest, type Result, Server, type ServerContext } from '@modelcontextprotocol/server';
import express from 'express';
import { z } from 'zod';
import { systemClock } from '../src/clock.ts';

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;
type Leg = 'request' | 'session';

class BareServer extends Server {
  // The stock wrapper knows no tasks.
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    return method === 'tools/call' ? handler : super._wrapHandler(method, handler);
  }
}

interface Task {
  readonly taskId: string;
  readonly status: 'working';
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const MONTH = { month: '2026-10', closed: true, bookings: 156 };
const tasks = new Map<string, Task>();

const shown = (task: Task, leg: Leg) =>
  leg === 'request'
    ? { ...task, ttlMs: 604_800_000, pollIntervalMs: 1_000 }
    : { ...task, ttl: 604_800_000, pollInterval: 1_000 };

function create(leg: Leg): Result {
  const now = new Date(systemClock.now()).toISOString();
  const task: Task = { taskId: `op_${randomUUID()}`, status: 'working', createdAt: now, lastUpdatedAt: now };
  tasks.set(task.taskId, task);
  return leg === 'request' ? { resultType: 'task', ...shown(task, leg) } : { task: shown(task, leg) };
}

function bareServer(leg: Leg): Server {
  const capabilities =
    leg === 'request'
      ? { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } }
      : { tools: {}, tasks: { requests: { tools: { call: {} } } } };
  const server = new BareServer({ name: 'baseline', version: '1' }, { capabilities });
  const complete = leg === 'request' ? { resultType: 'complete' } : {};
  server.setRequestHandler('tools/call', { params: z.looseObject({ name: z.string() }) }, async ({ name }) =>
    name === 'create_job'
      ? create(leg)
      : { ...complete, content: [{ type: 'text', text: JSON.stringify(MONTH) }], structuredContent: MONTH },
  );
  server.setRequestHandler('tasks/get', { params: z.looseObject({ taskId: z.string() }) }, async ({ taskId }) => {
    const task = tasks.get(taskId);
    if (task === undefined) throw new Error('no such task');
    return { ...complete, ...shown(task, leg) };
  });
  return server;
}

const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
const requests = toNodeHandler(createMcpHandler(() => bareServer('request'), { legacy: 'reject' }));

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.use('/mcp', hostHeaderValidation(LOOPBACK), originValidation(LOOPBACK), express.json());
app.use('/mcp', async (request, response) => {
  if (request.header('mcp-protocol-version') === '2026-07-28') return requests(request, response, request.body);
  const id = request.header('mcp-session-id') ?? randomUUID();
  const known = sessions.get(id);
  const transport = known ?? new NodeStreamableHTTPServerTransport({ sessionIdGenerator: () => id });
  if (known === undefined) {
    sessions.set(id, transport);
    await bareServer('session').connect(transport);
  }
  await transport.handleRequest(request, response, request.body);
});

const server = createServer(app);
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
