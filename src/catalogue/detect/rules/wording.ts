// Names: what jobs are called, and how their beginning is put.

import type { Facts } from '../facts.ts';
import { STARTING, singular, tokensOf } from '../names.ts';
import type { Rule } from './rule.ts';

const JOB =
  /^(job|task|run|batch|export|import|render|transcri|conver[st]|analy|train|migrat|scan|build|deploy|backup|restore|reindex|query|execution|operation|report|dispatch|compos|generat|crawl|ingest|pipeline)/;

export const isJobWord = (token: string): boolean => JOB.test(token);

/** The word that says job, in what the path and the operation are called. */
export function jobWord({ path, noun, name }: Facts): string | undefined {
  const last = path.segments
    .filter((segment) => segment !== '{}')
    .slice(-2)
    .flatMap(tokensOf);
  return [...noun, ...name, ...last].find(isJobWord);
}

/** The word that says beginning. */
const startWord = ({ name, openings }: Facts): string | undefined =>
  [...name.slice(0, 2), ...openings.map(singular)].find((token) => STARTING.has(token));

export const wording: Rule = {
  name: 'wording',
  look: ({ facts }) => {
    const job = jobWord(facts);
    const start = startWord(facts);
    const isAsync = facts.name.at(-1) === 'async';
    const score = (job === undefined ? 0 : 15) + (start === undefined ? 0 : 10) + (isAsync ? 10 : 0);
    const words = [...new Set([job, start, isAsync ? 'async' : undefined].filter((word) => word !== undefined))];
    return score === 0 ? undefined : { score, pointer: facts.pointer, says: `it is worded as one (${words.join(', ')})` };
  },
};
