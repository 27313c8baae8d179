// The longshore.yaml that `longshore init` writes: what the documents say, and one line for everything that they don't.
//   F1. It loads: what only the operator can know is a stand-in marked CONFIRM, or a variable of the environment.
//   F2. Comments hold no line break of a document's.

import { Document } from 'yaml';
import type { Chosen } from './choice.ts';
import type { DraftedCredentials } from './credentials-draft.ts';
import type { Look } from './look.ts';

export interface DraftedUpstream {
  readonly look: Look;
  /** As they are to be written: relative to the configuration, or URLs. */
  readonly document: string;
  readonly overlay: string;
  readonly allowedRefs: readonly string[];
  readonly credentials: DraftedCredentials;
  readonly chosen: Chosen;
}

/** @param schema Where editors find the JSON Schema of this file. */
export function configText(upstreams: readonly DraftedUpstream[], schema: string): string {
  return [
    `# yaml-language-server: $schema=${schema}`,
    'server: { listen: 127.0.0.1:8080 }',
    'ledger: sqlite:./data/longshore.db',
    'upstreams:',
    ...upstreams.flatMap(upstreamLines),
    '',
  ].join('\n');
}

function upstreamLines(drafted: DraftedUpstream): string[] {
  const { look, document, overlay, allowedRefs, chosen } = drafted;
  return [
    `  ${look.name}:`,
    `    document: ${scalar(document)}`,
    `    overlays: [${flowScalar(overlay)}]`,
    look.namesServer
      ? `    baseUrl: ${scalar(look.baseUrl)}`
      : `    baseUrl: ${scalar(look.baseUrl)}   # CONFIRM: the document does not say where the service is`,
    ...(allowedRefs.length === 0
      ? []
      : [`    allowedRefs: [${allowedRefs.map(flowScalar).join(', ')}]   # the document draws in other files`]),
    ...credentialLines(drafted.credentials),
    ...toolLines(chosen),
  ];
}

function credentialLines({ credentials, unsupported }: DraftedCredentials): string[] {
  const needed = credentials.filter((one) => one.needed);
  const offered = credentials.filter((one) => !one.needed);
  const line = ({ scheme, value, says }: (typeof credentials)[number]) =>
    `${flowScalar(scheme)}: ${flow(value)}   # ${inline(says)}`;
  return [
    ...(needed.length === 0 ? [] : ['    credentials:', ...needed.map((one) => `      ${line(one)}`)]),
    ...(offered.length === 0
      ? []
      : [
          '    # Declared by the document, and needed by no operation: take the # away where the service wants it.',
          ...(needed.length === 0 ? ['    # credentials:'] : []),
          ...offered.map((one) => `    #   ${line(one)}`),
        ]),
    ...unsupported.map(({ scheme, why }) => `    # ${inline(scheme)} is left out: ${inline(why)}`),
  ];
}

function toolLines({ include, total, notes }: Chosen): string[] {
  if (include === undefined) return [];
  return [
    `    # ${total} operations would be as many tools; models choose badly among more than 40. operationIds, METHOD /path or tags; * for any characters.`,
    ...notes.map((note) => `    #   ${inline(note)}`),
    '    tools:',
    '      include:',
    ...include.map((pattern) => `        - ${scalar(pattern)}`),
  ];
}

const scalar = (text: string): string => new Document(text).toString({ lineWidth: 0 }).trim();

/** A scalar that may stand in a flow collection, or be a member's name. */
const flowScalar = (text: string): string => (/^[A-Za-z_./][\w./~-]*$/.test(text) ? scalar(text) : JSON.stringify(text));

function flow(value: object): string {
  const document = new Document(value);
  (document.contents as unknown as { flow: boolean }).flow = true;
  return document.toString({ lineWidth: 0 }).trim();
}

const inline = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
