// The admin API's gates, at /admin/v1/gates.
//
//   GET  /gates            every adapter × contract, what is narrower, and how much lives under each
//   POST /gates            {"adapter": "http-202@1", "contract": "2025-11-25", "mode": "drain", "actor": "ada", "reason": "…"}
//                          and, where wanted, upstream, tool, and the share of a canary
//   GET  /gates/history    changes, newest first; before=<epoch> goes on
//   GET  /gates/shadows    what callers were answered in shadow, and what their operations came to

import { type Request, Router } from 'express';
import { z } from 'zod';
import { gateShown, shadowShown } from '../core/gate-view.ts';
import { GATE_MODES, type GateChange } from '../core/gates.ts';
import type { Door } from '../core/ids.ts';
import { tryParseJson } from '../core/json.ts';
import type { GateDesk } from '../engine/engine.ts';
import { numbersOf, PAGE_DEFAULT, PAGE_MAX, send } from './admin-pages.ts';
import { Unfit } from './problem.ts';

/** One line of text: it goes to callers, into logs and onto terminals. */
const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^\P{Cc}*$/u, { error: 'must be one line' });

const CHANGE = z.strictObject({
  adapter: line(100),
  contract: line(40),
  upstream: line(64).optional(),
  tool: line(64).optional(),
  mode: z.enum(GATE_MODES),
  share: z.number().optional(),
  actor: line(200),
  reason: line(1_000),
});

export function adminGates(gates: GateDesk): Router {
  const router = Router();

  router.get('/', async ({ query }, response) => {
    numbersOf(query, []);
    send(response, { items: (await gates.list()).map(gateShown) });
  });

  router.post('/', async (request, response) => {
    send(response, { gate: gateShown(await gates.change(changeOf(request))) });
  });

  router.get('/history', async ({ query }, response) => {
    const { before, limit = PAGE_DEFAULT } = numbersOf(query, ['before', 'limit']);
    const items = await gates.history({ limit: Math.min(limit, PAGE_MAX), ...(before !== undefined && { before }) });
    send(response, { items: items.map(gateShown) });
  });

  router.get('/shadows', async ({ query }, response) => {
    const { limit = PAGE_DEFAULT } = numbersOf(query, ['limit']);
    send(response, { items: (await gates.shadows(Math.min(limit, PAGE_MAX))).map(shadowShown) });
  });

  return router;
}

/** Throws {@link Unfit}, naming each member that is wrong. */
function changeOf(request: Request): GateChange {
  if (request.is('json') === false) throw new Unfit('The Content-Type must be application/json.', 415);
  const body = typeof request.body === 'string' ? tryParseJson(request.body) : undefined;
  if (body === undefined) throw new Unfit('The body is not JSON.');
  const parsed = CHANGE.safeParse(body);
  if (!parsed.success)
    throw new Unfit(parsed.error.issues.map(({ path, message }) => `/${path.join('/')}: ${message}`).join('; '));
  const { upstream, tool, share, contract, ...change } = parsed.data;
  return {
    ...change,
    // Whether there is such a contract, the desk knows.
    contract: contract as Door,
    ...(upstream !== undefined && { upstream }),
    ...(tool !== undefined && { tool }),
    ...(share !== undefined && { share }),
  };
}
