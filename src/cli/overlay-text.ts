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
  /** Jobs by what the document itself says. */
  readonly evident: number;
}

/** `described`: in the overlay. `evident`: the document says enough by itself. `asked`: likely a job, if somebody says so. */
type Standing = 'described' | 'evident' | 'asked';

export function overlayText(look: Look): OverlayText {
  const { operations, findings, document, name } = look;
  const by = (standing: Standing) => operations.filter((operation) => standingOf(operation, look) === standing);
  const [described, evident, asked] = [by('described'), by('evident'), by('asked')];
  const file = inline(document.source.file);
  const head = [
    described.length + evident.length === 0
      ? `# Nothing in ${file} is a job for certain.`
      : `# The jobs of ${file}, by the evidence that longshore found for each.`,
    '# A plain OpenAPI Overlay (https://spec.openapis.org/overlay/latest.html): the document itself stays as it is.',
    '# Every field of x-longshore is in schema/x-longshore.json and docs/adapters.md.',
    ...(asked.length === 0 ? [] : ['# Look for CONFIRM: what follows it is likely, but only you can know.']),
    'overlay: 1.0.0',
    `info: { title: ${scalar(`${name}: asynchronous operations`)}, version: 1.0.0 }`,
    'actions:',
  ];
  // A list that holds nothing but what is commented out is a list still.
  const body = [...described, ...evident, ...asked].map((operation) =>
    action(operation, findings.get(operation) as Finding, standingOf(operation, look) as Standing, look),
  );
  const text = `${[...head, body.join('\n\n')].join('\n').trimEnd()}\n`;
  return { text, described: described.length, toConfirm: asked.length, evident: evident.length };
}

function standingOf(operation: SourceOperation, { findings, drafted, jobs }: Look): Standing | undefined {
  if (drafted.has(operation)) return 'described';
  const verdict = findings.get(operation)?.verdict ?? 'synchronous';
  if (verdict === 'synchronous' || operation.object[EXTENSION] !== undefined) return undefined;
  return jobs.has(operation) ? 'evident' : 'asked';
}

function action(operation: SourceOperation, finding: Finding, standing: Standing, look: Look): string {
  const isAsked = standing === 'asked';
  const isReached = operation.node.document.location === look.document.source.location;
  const job = block({ [EXTENSION]: jobOf(finding) });
  const template = isAsked && finding.pairs.status === undefined ? TEMPLATE : [];
  const lines = [
    `- target: ${scalar(targetOf(operation))}`,
    '  update:',
    ...[...job, ...template].map((line) => `    ${line}`),
  ];
  const comments = [
    ...headOf(operation, isAsked),
    ...evidenceOf(operation, finding),
    ...partnersOf(finding),
    ...openEndsOf(finding, isAsked),
    ...(isAsked ? doubtsOf(operation, finding, look) : []),
    ...(standing === 'evident' ? ['      the document itself says enough to follow it: nothing has to be described'] : []),
  ];
  return [
    ...comments.map((line) => `  # ${inline(line)}`.trimEnd()),
    ...(isReached && standing !== 'evident' ? lines.map((line) => (isAsked ? `  # ${line}` : `  ${line}`)) : []),
  ].join('\n');
}

/** What is mostly missing, for those who fill it in. */
const TEMPLATE = [
  '  # status: { operation: <operationId>, id: $response.body#/id }',
  '  # state: { at: /status, succeeded: [done], failed: [failed] }',
];

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
      : '→ a job? Take the # from the lines below, and complete them. None? Write `x-longshore: false` there: it is called, and answered at once.',
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
