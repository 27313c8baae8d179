// The admin API's tools, at /admin/v1/tools: what they say about Tasks.
//
//   GET  /tools         every job: what it says now, why, and how long its jobs took
//   GET  /tools/moves   what measured durations have moved, newest first; before=<position> goes on

import { Router } from 'express';
import { moveShown, supportShown } from '../core/support-view.ts';
import type { SupportDesk } from '../engine/engine.ts';
import { numbersOf, PAGE_DEFAULT, PAGE_MAX, send } from './admin-pages.ts';

export function adminTools(support: SupportDesk): Router {
  const router = Router();

  router.get('/', ({ query }, response) => {
    numbersOf(query, []);
    send(response, { items: support.list().map(supportShown) });
  });

  router.get('/moves', async ({ query }, response) => {
    const { before, limit = PAGE_DEFAULT } = numbersOf(query, ['before', 'limit']);
    const items = await support.moves({ limit: Math.min(limit, PAGE_MAX), ...(before !== undefined && { before }) });
    send(response, { items: items.map(moveShown) });
  });

  return router;
}
