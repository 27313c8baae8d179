// The schema's history. A migration that has been published is never changed: whoever needs another schema adds a file
// with the next number, and one line here.

import { sql as operations } from './0001-operations.ts';
import { sql as liveCount } from './0002-live-count.ts';
import { sql as webhookInbox } from './0003-webhook-inbox.ts';
import { sql as facets } from './0004-facets.ts';
import { sql as gates } from './0005-gates.ts';
import { sql as jobs } from './0006-jobs.ts';
import { sql as supportMoves } from './0007-support-moves.ts';

export interface Migration {
  /** Dense from 1. */
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

export const MIGRATIONS: readonly Migration[] = [
  { number: 1, name: 'operations', sql: operations },
  { number: 2, name: 'live count', sql: liveCount },
  { number: 3, name: 'webhook inbox', sql: webhookInbox },
  { number: 4, name: 'facets', sql: facets },
  { number: 5, name: 'gates', sql: gates },
  { number: 6, name: 'jobs', sql: jobs },
  { number: 7, name: 'support moves', sql: supportMoves },
];
