// Every rule. To add one: a file beside this, and one line in each list.

import { accepted } from './accepted.ts';
import { acceptedEverywhere } from './accepted-everywhere.ts';
import { askAgain } from './ask-again.ts';
import { callback } from './callback.ts';
import { cancel } from './cancel.ts';
import { creatingGet } from './creating-get.ts';
import { editable } from './editable.ts';
import { extension } from './extension.ts';
import { handleHeader } from './handle-header.ts';
import { lifecycle } from './lifecycle.ts';
import { link } from './link.ts';
import { longRunningOperation } from './long-running-operation.ts';
import { receipt } from './receipt.ts';
import { result } from './result.ts';
import type { Rule } from './rule.ts';
import { schemaIdentity } from './schema-identity.ts';
import { setByCaller } from './set-by-caller.ts';
import { statusByCode } from './status-by-code.ts';
import { statusResource } from './status-resource.ts';
import { statusUrl } from './status-url.ts';
import { waitingChoiceRule } from './waiting-choice.ts';
import { wording } from './wording.ts';

export const RULES: readonly Rule[] = [
  longRunningOperation,
  extension,
  link,
  handleHeader,
  schemaIdentity,
  statusResource,
  statusByCode,
  waitingChoiceRule,
  accepted,
  statusUrl,
  receipt,
  callback,
  creatingGet,
  askAgain,
  cancel,
  result,
  wording,
  acceptedEverywhere,
  lifecycle,
  editable,
  setByCaller,
];
