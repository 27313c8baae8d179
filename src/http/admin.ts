// The admin API: what operators see and do, at /admin/v1. It is served only where a token for operators is configured.
//   A1. Nobody is let in without the token; it is compared in constant time, and before anything is looked up.
//   A2. Host and Origin are checked as for /mcp, and no answer carries a CORS header: no web page of another site may ask.
//   A3. Whoever acts says who they are and why; both are recorded with the act, and logged.
//   A4. What is not understood is refused, and never ignored: a mistyped filter must not list everything.

import express, { type Request, type Response, Router } from 'express';
import type { Config, Secret } from '../config/config.ts';
import { DOORS } from '../contracts/index.ts';
import { facetsOf, STATE_WORDS } from '../core/facets.ts';
import type { Door } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import { operationShown, receiptShown, summaryOf, traceShown } from '../core/operator-view.ts';
import type { Engine } from '../engine/engine.ts';
import { cancelBody, settleBody } from './admin-bodies.ts';
import { adminGates } from './admin-gates.ts';
import { PAGE_DEFAULT, PAGE_MAX, send } from './admin-pages.ts';
import { adminTools } from './admin-tools.ts';
import { fromHere, onlyBearers } from './operators.ts';
import { answerProblem, problems, Unfit } from './problem.ts';

export interface AdminParts {
  readonly engine: Engine;
  readonly config: Config;
  readonly token: Secret;
  readonly log: Log;
}

export function createAdmin({ engine, config, token, log }: AdminParts): Router {
  const router = Router();
  router.use((_request, response, next) => {
    response.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
    next();
  });
  router.use(fromHere(config), onlyBearers('admin', token, log));
  router.use(express.text({ type: () => true, limit: config.server.requestBytesMax }));

  router.get('/operations', async ({ query }, response) => {
    const { state, cursor, limit, contract, ...rest } = parametersOf(query, [
      'state',
      'upstream',
      'tool',
      'principal',
      'contract',
      'cursor',
      'limit',
    ]);
    const facets = state === undefined ? undefined : state.split(',').flatMap(facetsNamed);
    const page = await engine.search(
      { ...rest, ...(contract !== undefined && { contract: doorNamed(contract) }), ...(facets && { facets }) },
      { limit: pageSize(limit), ...(cursor !== undefined && { cursor }) },
    );
    send(response, { ...page, items: page.items.map(summaryOf) });
  });

  router.get('/operations/:id', async ({ params, query }, response) => {
    parametersOf(query, []);
    const found = await engine.inspect(params.id);
    if (found === undefined) return notKept(response, 'operation', params.id);
    const { view, ...rest } = found;
    send(response, operationShown({ ...rest, operation: view.operation, ...(view.payload && { payload: view.payload }) }));
  });

  router.post('/operations/:id/cancel', async (request, response) => {
    const { id } = request.params;
    const cancelled = await engine.cancelByOperator(id, cancelBody(bodyOf(request)));
    if (cancelled === undefined) return notKept(response, 'operation', id);
    const operation = summaryOf(cancelled.view.operation);
    if (cancelled.kind === 'ended') {
      const detail = `${id} has ended as ${operation.state}; there is nothing to cancel.`;
      return answerProblem(response, 409, detail, { code: 'OPERATION_ENDED', operation });
    }
    send(response, { operation });
  });

  router.post('/operations/:id/settle', async (request, response) => {
    const { id } = request.params;
    const settlement = settleBody(bodyOf(request));
    const settled = await engine.settle(id, settlement);
    if (settled === undefined) return notKept(response, 'operation', id);
    const operation = summaryOf(settled.view.operation);
    if (settled.kind === 'settled') return send(response, { operation });
    const { actor, verdict } = settlement;
    log.info({ operation: id, actor, verdict: verdict.kind, detail: settled.why }, 'a verdict was refused');
    answerProblem(response, 409, settled.why, { code: 'VERDICT_DOES_NOT_APPLY', operation });
  });

  router.get('/receipts/:id', async ({ params, query }, response) => {
    parametersOf(query, []);
    const traced = await engine.trace(params.id);
    if (traced === undefined) return notKept(response, 'receipt', params.id);
    send(response, traceShown(traced));
  });

  router.get('/outbox', async ({ query }, response) => {
    const { after = '0', limit } = parametersOf(query, ['after', 'limit']);
    if (!/^\d{1,15}$/.test(after)) throw new Unfit('after must be a position that this list gave out, or 0.');
    const rows = await engine.outbox(Number(after), pageSize(limit));
    const items = rows.map(({ position, receipt }) => ({ position, receipt: receiptShown(receipt) }));
    send(response, { items, next: rows.at(-1)?.position ?? Number(after) });
  });

  if (engine.gates !== undefined) router.use('/gates', adminGates(engine.gates));
  if (engine.support !== undefined) router.use('/tools', adminTools(engine.support));

  router.use(({ method, originalUrl }, response) =>
    answerProblem(response, 404, `There is nothing at ${method} ${originalUrl.split('?', 1)[0]}.`),
  );
  router.use(problems(log));
  return router;
}

/** The named parameters, each at most once; any other is refused (A4). */
function parametersOf<T extends string>(query: Request['query'], known: readonly T[]): { readonly [name in T]?: string } {
  for (const [name, value] of Object.entries(query)) {
    if (!(known as readonly string[]).includes(name)) {
      const there = known.length === 0 ? 'there are none here' : `there are ${known.join(', ')}`;
      throw new Unfit(`There is no parameter ${name}; ${there}.`);
    }
    if (typeof value !== 'string' || value === '') throw new Unfit(`${name} must be given once, and not be empty.`);
  }
  return query as { readonly [name in T]?: string };
}

function facetsNamed(word: string) {
  const facets = facetsOf(word);
  if (facets === undefined) throw new Unfit(`There is no state ${word}; there are ${STATE_WORDS.join(', ')}.`);
  return facets;
}

function doorNamed(contract: string): Door {
  const door = DOORS.find((known) => known === contract);
  if (door === undefined) throw new Unfit(`There is no contract ${contract}; there are ${DOORS.join(', ')}.`);
  return door;
}

function pageSize(limit: string | undefined): number {
  if (limit === undefined) return PAGE_DEFAULT;
  const size = /^\d{1,9}$/.test(limit) ? Number(limit) : 0;
  if (size < 1 || size > PAGE_MAX) throw new Unfit(`limit must be a number from 1 to ${PAGE_MAX}.`);
  return size;
}

function bodyOf(request: Request): string {
  if (request.is('json') === false) throw new Unfit('The Content-Type must be application/json.', 415);
  return typeof request.body === 'string' ? request.body : '';
}

const notKept = (response: Response, what: string, id: string): void =>
  answerProblem(response, 404, `There is no ${what} ${id}, or it is not kept any more.`);
