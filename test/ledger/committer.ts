// A process that writes to a ledger for ever and says what was answered, to be killed by a test:
//   node committer.ts <path of the ledger> <prefix of its operations' ids>
// Prints `<id> <seq>` once an operation's event is answered for, and `error <code> <message>` when the ledger fails.

import { writeSync } from 'node:fs';
import { systemClock } from '../../src/clock.ts';
import { LongshoreError } from '../../src/errors.ts';
import { openSqliteLedger } from '../../src/ledger/sqlite.ts';
import { created, EVENT, NOW, next, onward } from './fixtures.ts';

const WRITERS = 8;
const LOOKS = 3;
const [path = '', prefix = ''] = process.argv.slice(2);

// Synchronous, so that what was printed was answered before, and nothing answered waits in a buffer.
const say = (line: string) => writeSync(1, `${line}\n`);

async function write(ledger: Awaited<ReturnType<typeof openSqliteLedger>>, writer: number): Promise<never> {
  for (let round = 0; ; round++) {
    let { operation } = await ledger.create(
      created({ id: `${prefix}-${writer}-${round}`, arguments: { filler: 'x'.repeat(2_000) } }),
    );
    say(`${operation.id} 1`);
    for (let step = 0; ; step++) {
      const isLook = operation.life === 'WORKING' && step < LOOKS + 2;
      const event = isLook ? EVENT.working(NOW + step) : onward(operation, NOW + step);
      if (event === undefined) break;
      const commit = next(operation, event);
      await ledger.append(commit);
      operation = commit.operation;
      say(`${operation.id} ${operation.seq}`);
    }
  }
}

try {
  const ledger = await openSqliteLedger({ path, clock: systemClock });
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(ledger, writer)));
} catch (error) {
  if (!(error instanceof LongshoreError)) throw error;
  say(`error ${error.code} ${error.message}`);
  process.exit(1);
}
