// Services that only call back: there is no status to ask for, so a verified delivery is the evidence, and what never
// arrives ends as unknown. A service that has a status as well is the business of the adapter that polls it.

import type { Adapter } from '../../src/core/adapter.ts';
import { cancel, judgeCancel } from './cancel.ts';
import { readDelivery } from './delivery.ts';
import { compile } from './protocol.ts';
import { fetchResult, judgeResult } from './result.ts';
import { judgeSubmit, named, submit } from './submit.ts';

export const webhook: Adapter = {
  id: 'webhook',
  version: 1,
  contracts: ['2025-11-25', '2026-07-28'],
  compile,
  submit,
  judgeSubmit,
  fetchResult,
  judgeResult,
  cancel,
  judgeCancel,
  readDelivery,
  referenceOf: named,
};
