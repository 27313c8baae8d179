// Detection: which operations of a document start jobs, by what evidence, and which operations belong together.
//   E1. Pure, and in the order of the document: the same document gives the same findings.
//   E2. What only serves a job that was found is no job itself; what asks or cancels starts none.
//   E3. Each operation costs look-ups, never a walk over all others.

import type { OpenApiDocument } from '../load.ts';
import type { SourceOperation } from '../operations.ts';
import type { Resolve } from '../references.ts';
import { describeFound } from './describe.ts';
import type { Facts } from './facts.ts';
import { type Evidence, type Finding, type Pairs, verdictOf } from './finding.ts';
import { isLongRunning, type Monitor, monitorOf } from './monitor.ts';
import { cancelOf, inputOf, resultOf, startOf } from './partners.ts';
import { extensionOf } from './rules/extension.ts';
import { RULES } from './rules/rules.ts';
import { SYNCHRONOUS, supportOf } from './support.ts';
import { type Survey, survey as surveyOf } from './survey.ts';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY']);

const NOTHING: Finding = {
  verdict: 'synchronous',
  score: 0,
  evidence: [],
  pairs: {},
  description: {},
  ...SYNCHRONOUS,
  unknownWords: [],
  atRunTime: [],
  serves: [],
};

/** Says of every operation whether it starts a job. */
export function detect(
  operations: readonly SourceOperation[],
  document: OpenApiDocument,
  resolve: Resolve,
): ReadonlyMap<SourceOperation, Finding> {
  const survey = surveyOf(operations, document, resolve);
  const found = new Map<SourceOperation, Finding>();
  const serving = new Map<SourceOperation, SourceOperation[]>();

  const judge = (facts: Facts) => {
    const finding = judged(facts, survey);
    found.set(facts.source, finding);
    if (finding.verdict !== 'asynchronous') return;
    for (const pair of Object.values(finding.pairs)) {
      if (pair === undefined || pair.operation === facts.source) continue;
      const jobs = serving.get(pair.operation) ?? [];
      if (!jobs.includes(facts.source)) serving.set(pair.operation, [...jobs, facts.source]);
    }
  };
  for (const facts of survey.all) if (mayStart(facts, survey)) judge(facts);
  // A GET that answers 202 is asked again by itself, unless it is the status of something.
  for (const facts of survey.all) {
    if (facts.source.method === 'GET' && isRepeatable(facts) && !found.has(facts.source) && !serving.has(facts.source))
      judge(facts);
  }
  // What answers or cancels a job is none of its own, unless the document says so outright.
  const isPartner = (operation: SourceOperation): boolean =>
    serving.get(operation)?.some((job) => isCalledBy(found.get(job)?.pairs, operation)) === true &&
    found.get(operation)?.evidence.some(({ score }) => score >= 100) !== true;
  return new Map(
    operations.map((operation) => {
      const serves = (serving.get(operation) ?? []).filter((job) => !isPartner(job));
      const finding = isPartner(operation) ? NOTHING : (found.get(operation) ?? NOTHING);
      return [operation, serves.length === 0 ? finding : { ...finding, serves }];
    }),
  );
}

const isCalledBy = (pairs: Pairs | undefined, operation: SourceOperation): boolean =>
  pairs?.cancel?.operation === operation || pairs?.input?.operation === operation;

/** A GET that is answered 202 until there is something. */
const isRepeatable = (facts: Facts): boolean =>
  facts.source.method === 'GET' && facts.answer('202') !== undefined && facts.answer('200', '204', '302', '303') !== undefined;

/** Whether an operation is looked at as the beginning of a job at all. */
function mayStart(facts: Facts, survey: Survey): boolean {
  const { method, operationId = '' } = facts.source;
  if (extensionOf(facts) !== undefined) return true;
  const isOperations = facts.isOfOperations || /(^|[./])operations[./]/i.test(operationId) || facts.name[0] === 'wait';
  if (isLongRunning(facts, survey)) {
    return !isOperations && !(SAFE.has(method) && facts.isAsking);
  }
  if (facts.isAsking || facts.isCancelling || isOperations) return false;
  return !SAFE.has(method) || (method === 'GET' && facts.answer('201') !== undefined);
}

function judged(facts: Facts, survey: Survey): Finding {
  const isRepeated = isRepeatable(facts);
  const monitor: Monitor | undefined = isRepeated ? undefined : monitorOf(facts, survey);
  const pairs = isRepeated ? repeated(facts) : pairsOf(facts, monitor, survey);
  const evidence: Evidence[] = RULES.flatMap((rule) => {
    const sign = rule.look({ facts, survey, monitor, pairs });
    return sign === undefined ? [] : [{ rule: rule.name, ...sign }];
  }).sort((one, other) => other.score - one.score);
  const score = evidence.reduce((sum, sign) => sum + sign.score, 0);
  const verdict = verdictOf(score);
  if (verdict === 'synchronous') return { ...NOTHING, score, evidence };
  const described = isRepeated
    ? { description: { status: { method: 'GET', url: facts.source.path } }, unknownWords: [], atRunTime: [] }
    : describeFound(facts, monitor, pairs, survey);
  return { verdict, score, evidence, pairs, ...described, ...supportOf(facts, monitor, survey), serves: [] };
}

function pairsOf(facts: Facts, monitor: Monitor | undefined, survey: Survey): Pairs {
  const cancel = cancelOf(facts, monitor, survey);
  const result = resultOf(facts, monitor, survey);
  const input = inputOf(facts, monitor, survey);
  const start = startOf(facts, monitor, survey);
  return {
    ...(monitor === undefined ? {} : { status: { operation: monitor.facts.source, how: monitor.how } }),
    ...(cancel === undefined ? {} : { cancel }),
    ...(result === undefined ? {} : { result }),
    ...(input === undefined ? {} : { input }),
    ...(start === undefined ? {} : { start }),
  };
}

function repeated({ source }: Facts): Pairs {
  const itself = { operation: source, how: 'the same request is asked again' };
  return { status: itself, result: itself };
}
