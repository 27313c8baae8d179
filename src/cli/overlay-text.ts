// The overlay that `longshore init` writes: what was found, as YAML that people read, change and keep.
//   O1. Every action says by which evidence, and where in the document it stands.
//   O2. What is not certain is written, marked CONFIRM and commented out: nothing is followed as a job on a guess.
//   O3. Comments hold no line break of the document's: what a document says can't become part of the overlay.

import { Document, isCollection, isMap, isPair } from 'yaml';
import type { Finding } from '../catalogue/detect/finding.ts';
import type { SourceOperation } from '../catalogue/operations.ts';
import type { Json } from '../core/json.ts';
import { EXTENSION, jobOf, type Look, targetOf } from './look.ts';

/** A member is written on one line up to this length. */
const LINE_MAX = 110;

export interface OverlayText {
  readonly text: string;
  readonly described: number;
  /** Marked CONFIRM. */
  readonly toConfirm: number;
}

export function overlayText(look: Look): OverlayText {
  const { operations, findings, drafted, document, name } = look;
  const asked = operations.filter((operation) => isAsked(operation, look));
  const described = operations.filter((operation) => drafted.has(operation));
  const head = [
    `# ${described.length === 0 ? 'No operation' : 'What'} of ${inline(document.source.file)} that longshore could describe as a job${described.length === 0 ? ' for certain' : ''}.`,
    '# A plain OpenAPI Overlay (https://spec.openapis.org/overlay/latest.html): the document itself stays as it is.',
    '# Every field of x-longshore is in schema/x-longshore.json and docs/adapters.md.',
    ...(asked.length === 0 ? [] : ['# Look for CONFIRM: what follows it is likely, but only you can know.']),
    'overlay: 1.0.0',
    `info: { title: ${scalar(`${name}: asynchronous operations`)}, version: 1.0.0 }`,
    'actions:',
  ];
  // A list that says nothing but what is commented out is a list still.
  const body = [
    ...described.map((operation) => action(operation, findings.get(operation) as Finding, look, false)),
    ...asked.map((operation) => action(operation, findings.get(operation) as Finding, look, true)),
  ];
  return {
    text: `${[...head, body.join('\n\n')].join('\n').trimEnd()}\n`,
    described: described.length,
    toConfirm: asked.length,
  };
}

/** Likely a job, and not described yet by anybody. */
const isAsked = (operation: SourceOperation, { findings, drafted }: Look): boolean =>
  findings.get(operation)?.verdict !== 'synchronous' &&
  findings.has(operation) &&
  !drafted.has(operation) &&
  operation.object[EXTENSION] === undefined;

function action(operation: SourceOperation, finding: Finding, look: Look, isAsked: boolean): string {
  const target = `- target: ${scalar(targetOf(operation))}`;
  const isReached = operation.node.document.location === look.document.source.location;
  const lines = [target, '  update:', ...block({ [EXTENSION]: jobOf(finding) }).map((line) => `    ${line}`)];
  const comments = [
    ...headOf(operation, isAsked),
    ...evidenceOf(operation, finding),
    ...partnersOf(finding),
    ...(isAsked ? doubtsOf(operation, finding, look) : []),
    ...openEndsOf(finding, isAsked),
  ];
  return [
    ...comments.map((line) => `  # ${inline(line)}`.trimEnd()),
    ...(isReached ? lines.map((line) => (isAsked ? `  # ${line}` : `  ${line}`)) : []),
  ].join('\n');
}

function headOf({ operationId, method, path, source }: SourceOperation, isAsked: boolean): string[] {
  const named = [operationId, `${method} ${path}`].filter((part) => part !== undefined).join('  ');
  return [`${isAsked ? 'CONFIRM  ' : ''}${named}  ${source.document}${source.line === undefined ? '' : `:${source.line}`}`];
}

const evidenceOf = ({ node }: SourceOperation, { evidence }: Finding): string[] =>
  evidence.map(({ score, says, pointer }, index) => {
    const number = index === 0 || score < 0 ? String(score) : `+${score}`;
    return `${number.padStart(5)} ${says}  (line ${node.document.placeOf(pointer).line}, #${pointer})`;
  });

function partnersOf({ pairs }: Finding): string[] {
  return Object.entries(pairs).flatMap(([role, pair]) => {
    if (pair === undefined) return [];
    const { operationId, method, path } = pair.operation;
    return [`      ${role}: ${operationId ?? `${method} ${path}`}, because ${pair.how}`];
  });
}

function doubtsOf(operation: SourceOperation, finding: Finding, { refused, document }: Look): string[] {
  const { lacks } = finding;
  const why = refused.get(operation) ?? lacks;
  const foreign = operation.node.document.location !== document.source.location;
  return [
    ...(why === undefined ? [] : [`      missing: ${why}`]),
    foreign
      ? `→ it is written in ${operation.node.document.file}, which this overlay does not reach: write x-longshore there`
      : '→ a job? Take the # from the lines below, and complete them. None? Leave them: it is called and answered at once.',
  ];
}

function openEndsOf({ unknownWords, atRunTime, taskSupport, why }: Finding, isAsked: boolean): string[] {
  const unknown = unknownWords.map((word) => JSON.stringify(word)).join(', ');
  return [
    ...(unknownWords.length === 0
      ? []
      : [
          `      UNKNOWN words: ${unknown}`,
          '      → put each under working, input, succeeded, failed or cancelled; until then it counts as working, for a while',
        ]),
    ...atRunTime.map((what) => `      only an answer tells ${what}`),
    ...(isAsked
      ? []
      : [
          `      taskSupport ${taskSupport}: ${why}${taskSupport === 'optional' ? ' (expect: PT4M would say that it takes four minutes)' : ''}`,
        ]),
  ];
}

/** A value as YAML lines: the members of the extension on a line each, as long as they fit. */
function block(value: Json): string[] {
  const document = new Document(value, { aliasDuplicateObjects: false });
  const extension = isMap(document.contents) ? document.contents.items[0]?.value : undefined;
  for (const pair of isMap(extension) ? extension.items : []) {
    const member = isPair(pair) ? pair.value : undefined;
    if (!isCollection(member)) continue;
    if (JSON.stringify(member.toJSON()).length <= LINE_MAX) member.flow = true;
    else for (const inner of member.items) if (isPair(inner) && isCollection(inner.value)) inner.value.flow = true;
  }
  return document.toString({ lineWidth: 0 }).trimEnd().split('\n');
}

/** One line of YAML that reads back as the text. */
const scalar = (text: string): string =>
  new Document(text).toString({ lineWidth: 0, defaultStringType: /^\$|: /.test(text) ? 'QUOTE_DOUBLE' : 'PLAIN' }).trim();

/** On one line, whatever it holds. */
const inline = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
