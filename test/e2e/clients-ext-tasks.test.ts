// ext-tasks, the client library for Tasks of both eras. A restart ends sessions of 2025-11-25, so its host connects again and goes on
// from what it kept.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  createApplicationInputHandler,
  createTaskSessionFromClient,
  type SerializedTaskReference,
  type TaskEnabledSession,
  toolDeclarationFromMcpTool,
} from '@modelcontextprotocol/ext-tasks/client';
import { expect } from 'vitest';
import { dispatcher } from '../../demo/clients.ts';
import { until } from './gateway.ts';
import { DELETED, person, proves, stage } from './matrix.ts';
import { INFO, textOf } from './wire.ts';

const it = stage();

for (const era of ['2025-11-25', '2026-07-28'] as const) {
  const connect = async (answer = person().answer): Promise<TaskEnabledSession> => {
    const { url } = it.gateway;
    const capabilities = { elicitation: { form: {} } };
    const mode = era === '2026-07-28' ? 'auto' : 'legacy';
    const client = it.keep(new Client(INFO, { capabilities, versionNegotiation: { mode } }), (open) => open.close());
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    const tools = new Map((await client.listTools()).tools.map((tool) => [tool.name, toolDeclarationFromMcpTool(tool)]));
    const extensions = { 'io.modelcontextprotocol/tasks': {} };
    const framing = { protocolVersion: era, clientInfo: INFO, clientCapabilities: { elicitation: {}, extensions } };
    const unasked = () => {
      throw new Error('nobody asks for this');
    };
    const session = createTaskSessionFromClient(client, {
      endpointId: url,
      tools: { currentTool: (name) => tools.get(name) },
      onInputRequest: createApplicationInputHandler({
        elicitation: ({ params }) => answer(params),
        sampling: unasked,
        roots: unasked,
      }),
      ...(era === '2026-07-28' && { rawDispatch: dispatcher(url), v2RequestFraming: framing }),
    });
    return it.keep(session, (open) => open.close());
  };
  const call = async (name: string, args: Record<string, string>, answer?: ReturnType<typeof person>['answer']) => {
    const execution = await (await connect(answer)).callTool(name, args, { task: { preference: 'prefer' } });
    if (execution.kind !== 'task') throw new Error('the call made no task');
    return execution;
  };
  /** The text of what it settled with. */
  const settled = ({ outcome }: Awaited<ReturnType<Awaited<ReturnType<typeof call>>['settle']>>): string => {
    if (outcome.status !== 'completed') throw new Error(JSON.stringify(outcome));
    return textOf(outcome.result);
  };

  proves(era === '2025-11-25' ? 'ext-tasks-2025' : 'ext-tasks-2026', {
    async create() {
      const execution = await call('create_job', { name: 'Ada' });
      it.jobs.release();
      expect(settled(await execution.settle())).toContain('Hello, Ada!');
      expect(it.jobs.submits).toHaveLength(1);
    },

    async input() {
      const { asked, answer } = person();
      const execution = await call('confirm_delete', { filename: 'a.txt' }, answer);
      expect(JSON.parse(settled(await execution.settle({})))).toEqual(DELETED);
      expect(asked).toEqual(['Delete a.txt?']);
    },

    async cancel() {
      const execution = await call('create_job', { name: 'Bo' });
      const end = execution.settle();
      await it.jobExists();
      await execution.cancel();
      expect((await end).outcome.status).toBe('cancelled');
      await until('the service has cancelled', async () => (await it.jobStatus()) === 'cancelled');
    },

    async restart() {
      const kept: SerializedTaskReference[] = [];
      const execution = await call('create_job', { name: 'Cy' });
      await execution.handoff((reference) => {
        kept.push(JSON.parse(JSON.stringify(reference)));
      });
      await it.jobExists();
      await it.restart();
      const [reference] = kept;
      if (reference === undefined) throw new Error('no reference was kept');
      const resumed = await (await connect()).resumeTask(reference);
      const seen: string[] = [];
      const end = resumed.settle({
        onEvent: (event) => {
          if (event.type === 'task') seen.push(event.task.status);
        },
      });
      await until('the client sees the task at work', () => seen.includes('working'));
      it.jobs.release();
      expect(settled(await end)).toContain('Hello, Cy!');
      expect(it.jobs.submits).toHaveLength(1);
    },
  });
}
