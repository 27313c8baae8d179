// One planted fault, played until the simulator notices: run in a thread of its own, because a module is loaded once.
// The fault is patched into the source while it is loaded; nothing on disk changes.

import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { History } from './history.ts';
import type { Mutant } from './mutants/mutant.ts';

const ROOT = new URL('../../', import.meta.url);

export interface Verdict {
  /** `stale`: the text to be replaced is not there, or not once. */
  readonly kind: 'caught' | 'survived' | 'stale';
  readonly histories: number;
  readonly rule?: string;
  readonly message?: string;
  readonly history?: History;
}

const { mutant, histories, seed, shrinks } = workerData as {
  readonly mutant: Mutant;
  readonly histories: number;
  readonly seed: number;
  readonly shrinks: boolean;
};
parentPort?.postMessage(await verdict());

async function verdict(): Promise<Verdict> {
  const url = new URL(mutant.file, ROOT).href;
  if (readFileSync(new URL(url), 'utf8').split(mutant.find).length !== 2) return { kind: 'stale', histories: 0 };
  registerHooks({
    load(asked, context, nextLoad) {
      const loaded = nextLoad(asked, context);
      if (asked !== url) return loaded;
      return { ...loaded, source: String(loaded.source).replace(mutant.find, () => mutant.replace) };
    },
  });
  const { historyOf } = await import('./history.ts');
  const { inMemory, inSqlite, play } = await import('./play.ts');
  const { corpus } = await import('./corpus.ts');
  const store = mutant.store === 'sqlite' ? inSqlite : inMemory;
  // What once found something comes first: it is small, and shows what is hard to meet.
  const known = shrinks ? [] : [...corpus.values()];
  let played = 0;
  for (let next = seed; played < histories; ) {
    const history = known.shift() ?? historyOf(next++);
    if (mutant.dialects !== undefined && !mutant.dialects.includes(history.dialect)) continue;
    played += 1;
    const [breach] = (await play(history, store)).breaches;
    if (breach === undefined) continue;
    const { shrink } = await import('./shrink.ts');
    const { rule, message } = breach;
    return {
      kind: 'caught',
      histories: played,
      rule,
      message,
      ...(shrinks && { history: await shrink(history, rule, store) }),
    };
  }
  return { kind: 'survived', histories: played };
}
