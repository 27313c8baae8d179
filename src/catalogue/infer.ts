// From a finding to what is done about it: followed as a job where everything needed was found, else said to the operator.
//   I1. What the document declares goes before what was inferred from it, and both before nothing.
//   I2. What is not followed stays a plain call, and a warning says what it may be and what is missing.

import type { HelperRequest, JobDescription } from '../core/description.ts';
import type { Fault } from '../errors.ts';
import type { Finding } from './detect/finding.ts';
import { UNDESCRIBED } from './detect/support.ts';
import type { SourceOperation } from './operations.ts';
import type { StandardDescription } from './standard.ts';

/** Evidence that is named to people; the rest only adds to it. */
const NAMED_MAX = 3;

/** The strongest evidence, in words. */
export const sayEvidence = ({ evidence }: Finding): string =>
  evidence
    .filter(({ score }) => score > 0)
    .slice(0, NAMED_MAX)
    .map(({ says }) => says)
    .join('; ');

/** Whether a finding is enough to follow a job by. */
export const isFollowable = ({ verdict, lacks }: Finding): boolean => verdict === 'asynchronous' && lacks === undefined;

/** What was found, and what the document declares over it. */
export function joined(finding: Finding, standard: StandardDescription | undefined): StandardDescription {
  const why = finding.why === UNDESCRIBED.why ? '' : `${finding.why}; `;
  const evidence = `inferred: ${why}${sayEvidence(finding)}`;
  if (standard === undefined) return { description: supported(finding), evidence };
  const declared = standard.description;
  // An own adapter knows its protocol, and about another status nothing was inferred.
  if (declared.adapter !== undefined || !isSame(declared.status, finding.description.status)) return standard;
  const inferred = finding.description.handle;
  // Where headers alone lead to the status, those that were chosen go with the state that was.
  const isByHeader = finding.description.status === undefined && inferred?.headers !== undefined;
  const handle = { ...inferred, ...declared.handle, ...(isByHeader ? { headers: inferred.headers } : {}) };
  const state = declared.state?.succeeded === undefined ? (finding.description.state ?? declared.state) : declared.state;
  return {
    description: { ...supported(finding), ...declared, handle, ...(state === undefined ? {} : { state }) },
    evidence: standard.evidence,
  };
}

const isSame = (declared: HelperRequest | undefined, inferred: HelperRequest | undefined): boolean =>
  declared === undefined || (declared.operation !== undefined && declared.operation === inferred?.operation);

/** Where the job can't be called otherwise, that is part of its description. */
const supported = ({ description, taskSupport }: Finding): JobDescription =>
  taskSupport === 'required' ? { taskSupport, ...description } : description;

/** What an operator should know of an operation that stays a plain call; `undefined` where there is nothing to say. */
export function noticeOf(operation: SourceOperation, finding: Finding, refused?: string): Fault | undefined {
  if (finding.verdict === 'synchronous') return undefined;
  const { document, pointer } = operation.node;
  const name = operation.operationId ?? `${operation.method} ${operation.path}`;
  const isSure = finding.verdict === 'asynchronous';
  const missing = refused ?? finding.lacks;
  const what = isSure ? 'starts a job' : 'may start a job';
  const because = isSure && missing !== undefined ? `, which is not followed: ${missing}` : ', and is called as it is';
  return {
    file: document.file,
    ...document.placeOf(pointer),
    pointer,
    message: `${name} ${what} (${sayEvidence(finding)})${because}`,
    mend:
      isSure || missing !== undefined
        ? 'describe what is missing with x-longshore, or write `x-longshore: false`'
        : 'write `x-longshore: true` if it does, else `x-longshore: false`',
  };
}
