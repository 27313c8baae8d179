// 202 or 201 with a header that holds a URL. Beside 201 a Location is how every creation is answered, so more is needed there.

import { HANDLE_HEADERS, successes } from '../handle.ts';
import { weightOf } from '../state.ts';
import type { Rule } from './rule.ts';

/** A state that says at least this much is a job's. */
const TELLING = 45;

export const handleHeader: Rule = {
  name: 'handle-header',
  look: ({ facts, monitor }) => {
    for (const { status, headers, node } of successes(facts)) {
      const header = HANDLE_HEADERS.find((name) => headers.includes(name));
      if (header === undefined || !/^20[0-2]$/.test(status)) continue;
      const isPlain = status !== '202' && (header === 'location' || header === 'content-location');
      if (status === '200' && isPlain) continue;
      const isJob =
        (monitor?.state !== undefined && weightOf(monitor.state) >= TELLING) ||
        facts.parameters.some(({ place, name }) => place === 'header' && /^prefer$/i.test(name));
      const says = `${status} has the header ${header}`;
      return isPlain && !isJob
        ? { score: 30, pointer: node.pointer, says: `${says}, as every creation may` }
        : { score: 80, pointer: node.pointer, says: isPlain ? `${says}, and the job shows a state` : says };
    }
    return undefined;
  },
};
