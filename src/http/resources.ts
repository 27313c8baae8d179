// Resources: results and answers that are too large to be shown whole are read here, each by the principal that it belongs to.
//   R1. Nothing is listed: results are found by the links in tool results, and ids are not handed out.
//   R2. What does not exist, has no result (yet), or belongs to somebody else is not found, in one wording.

import { type Refused, type Reply, refuse } from '../contracts/contract.ts';
import { ANSWER_URI, type Named, namedBy, RESULT_URI } from '../core/content.ts';
import type { Principal } from '../core/ids.ts';
import type { Payload } from '../core/outcome.ts';
import { partsIn, typeOf } from '../core/payload-parts.ts';
import type { Engine } from '../engine/engine.ts';

/** resources/list. */
export const noResources: Reply = { as: 'result', result: { resources: [] } };

/** resources/templates/list. */
export const resourceTemplates: Reply = {
  as: 'result',
  result: {
    resourceTemplates: [
      {
        uriTemplate: `${RESULT_URI}{operation}`,
        name: 'result',
        title: 'Result of an operation',
        description: 'The whole result of an operation that has ended, as the service gave it.',
      },
      {
        uriTemplate: `${RESULT_URI}{operation}/{part}`,
        name: 'part',
        title: 'Part of a result',
        description: 'One part of a result that has several, by its number from 1.',
      },
      {
        uriTemplate: `${ANSWER_URI}{answer}`,
        name: 'answer',
        title: 'Answer to a call',
        description: 'The whole answer to a call that was answered at once, as the service gave it; kept for about a day.',
      },
      {
        uriTemplate: `${ANSWER_URI}{answer}/{part}`,
        name: 'answer-part',
        title: 'Part of an answer',
        description: 'One part of an answer that has several, by its number from 1.',
      },
    ],
  },
};

/** resources/read. */
export async function readResource(engine: Engine, principal: Principal, uri: string): Promise<Reply> {
  const named = namedBy(uri);
  const whole = named && (await payloadAt(engine, principal, named));
  const payload =
    named?.part === undefined || whole === undefined ? whole : partsIn(whole, named.part)?.parts[named.part - 1]?.payload;
  if (payload === undefined) return notFound(uri);
  const { encoding, body } = payload;
  const content = { uri, mimeType: typeOf(payload), ...(encoding === 'base64' ? { blob: body } : { text: body }) };
  return { as: 'result', result: { contents: [content] } };
}

async function payloadAt(engine: Engine, principal: Principal, { kind, name }: Named): Promise<Payload | undefined> {
  if (kind === 'answer') return engine.shelf.read(name, principal);
  const view = await engine.read(name, principal);
  return view?.operation.receipt === undefined ? undefined : view.payload;
}

/** One code on both legs: the SDK makes -32602 (SEP-2164) of 2025-11-25's -32002 as well. */
const notFound = (uri: string): Refused => refuse(-32602, 'Resource not found.', { uri });
