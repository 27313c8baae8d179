// Longshore as the acceptance harness sees it: how a gateway is configured and started, and how its tools are called.
// The harness's product.mjs explains every member.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { argumentNames } from '../../src/catalogue/arguments.ts';
import { snakeCase } from '../../src/catalogue/names.ts';
import { ADMIN_TOKEN, configure } from './configuration.ts';
import { recordsIn } from './record.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

export default {
  name: 'Longshore',
  features: {
    webhook: true,
    callerKey: true,
    auth: false,
    noAuth: true,
    replicas: false,
    // A minute is the least retention.
    shortRetention: false,
  },
  node: true,

  async prepare(config, { dir, freePort }) {
    const port = await freePort();
    const { file, env } = await configure(config, dir, port);
    const base = `http://127.0.0.1:${port}`;
    return {
      replicas: [
        {
          command: process.execPath,
          args: [MAIN, 'serve', '--config', file],
          env,
          cwd: dir,
          url: `${base}/mcp`,
          ready: `${base}/readyz`,
        },
      ],
      retentionMs: config.retentionMs,
    };
  },

  toolName: (operationId) => snakeCase(operationId),

  /** Members of the body are arguments of their own, unless the tool takes it in one piece. */
  args({ body, ...places }, { tool } = {}) {
    const properties = tool?.inputSchema?.properties ?? {};
    const inOnePiece = !isObject(body) || ('body' in properties && !Object.keys(body).every((name) => name in properties));
    const parts = { ...places, body: body === undefined ? {} : inOnePiece ? { body } : body };
    const given = ['path', 'query', 'header', 'body'].flatMap((place) =>
      Object.entries(parts[place] ?? {}).map(([name, value]) => ({ place, name, value })),
    );
    const names = argumentNames(given);
    return Object.fromEntries(given.map(({ value }, index) => [names[index], value]));
  },
  bodySchema: (tool) => tool?.inputSchema,

  callerKey: (key) => ({ meta: { 'longshore/idempotencyKey': key } }),

  pendingHandle: ({ structuredContent }) => (structuredContent?.outcome === 'pending' ? structuredContent.operation : null),
  waitFor: (operation) => ({ name: 'wait_for_operation', arguments: { operation } }),

  ledger: async (gateway, taskId) => recordsIn(gateway.dir).find((record) => record.taskId === taskId) ?? null,
  ledgerAll: async (gateway) => recordsIn(gateway.dir),

  adminUrls: (gateway) => [
    ...['healthz', 'readyz', 'metrics'].map((page) => ({ url: new URL(`/${page}`, gateway.url()).href })),
    ...['operations?limit=500', 'outbox?limit=500'].map((page) => ({
      url: new URL(`/admin/v1/${page}`, gateway.url()).href,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    })),
  ],

  /** What `longshore check` says about the configuration that the gateway was started on. */
  diagnostics: (gateway) =>
    new Promise((resolve) => {
      const [{ args, env }] = gateway.replicas;
      const check = [MAIN, 'check', '--json', ...args.slice(args.indexOf('--config'))];
      const options = { cwd: gateway.dir, env: { ...gateway.env, ...gateway.guard, ...env } };
      execFile(process.execPath, check, options, (_error, stdout, stderr) => resolve(stdout + stderr));
    }),
};
