// The blob store: large payloads by digest, over any Keyv. Keyv reports a store's failure as an event and answers as if
// nothing were there; here that becomes LEDGER_UNAVAILABLE, because "not there" would end an operation as lost.

import type { Keyv } from 'keyv';
import { LongshoreError } from '../errors.ts';
import type { BlobStore } from './ledger.ts';

/** `keyv` must be durable once its `set` resolved, keep what it is given (no ttl below the operations'), and evict nothing. */
export function openBlobStore(keyv: Keyv): BlobStore {
  let failures = 0;
  let last: unknown;
  keyv.on('error', (error: unknown) => {
    failures += 1;
    last = error;
  });

  const unavailable = (what: string) =>
    new LongshoreError('LEDGER_UNAVAILABLE', `The blob store can not ${what} a payload.`, { cause: last });

  return {
    async put(digest, text) {
      if (!(await keyv.set(digest, text))) throw unavailable('write');
    },
    async get(digest) {
      const before = failures;
      const text = await keyv.get<string>(digest);
      // A failure of another call in between is taken for ours too: asking again is cheap, a false "not there" is not.
      if (text === undefined && failures !== before) throw unavailable('read');
      return text;
    },
    async delete(digests) {
      const before = failures;
      await keyv.delete([...digests]);
      if (failures !== before) throw unavailable('delete');
    },
  };
}
