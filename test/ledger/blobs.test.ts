// The blob store over the ledger's own database, and over a Keyv that fails.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keyv } from 'keyv';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OperationEvent } from '../../src/core/operation.ts';
import { openBlobStore } from '../../src/ledger/blobs.ts';
import { openSqliteLedger, type SqliteLedger } from '../../src/ledger/sqlite.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { EVENT, HOUR_MS, NOW, told, toWorking } from './fixtures.ts';

const root = mkdtempSync(join(tmpdir(), 'longshore-blobs-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('a blob in the ledger', () => {
  let path: string;
  let clock: VirtualClock;
  let ledger: SqliteLedger;
  let files = 0;
  const reopen = async () => {
    ledger = await openSqliteLedger({ path, clock });
  };
  beforeEach(async () => {
    path = join(root, `${++files}.db`);
    clock = new VirtualClock(NOW);
    await reopen();
  });
  afterEach(() => ledger.close());

  const naming = (digest: string, at = NOW + 3): OperationEvent[] => [
    { ...EVENT.finished(at), held: { digest, bytes: 9, mediaType: 'application/json' } } as OperationEvent,
    EVENT.accept(at + 1),
  ];
  const endedWith = (digest: string, at = NOW + 3) => told(ledger, {}, ...toWorking(), ...naming(digest, at));

  test('is given back as it was put, after the ledger was closed and opened too', async () => {
    const text = `{"id":9007199254740993,"ü":"\\u0000","long":"${'x'.repeat(300_000)}"}`;
    await ledger.blobs.put('sha256:a', text);
    expect(await ledger.blobs.get('sha256:a')).toBe(text);
    await ledger.close();
    await reopen();
    expect(await ledger.blobs.get('sha256:a')).toBe(text);
    expect(await ledger.blobs.get('sha256:b')).toBeUndefined();
  });

  test('is kept once, however often it is put, and goes when it is deleted', async () => {
    await Promise.all([1, 2].map(() => ledger.blobs.put('sha256:a', 'same')));
    await ledger.blobs.delete(['sha256:a', 'sha256:never']);
    expect(await ledger.blobs.get('sha256:a')).toBeUndefined();
  });

  test('goes with the last operation that names it', async () => {
    await ledger.blobs.put('sha256:a', 'result');
    await endedWith('sha256:a', NOW + 3);
    await endedWith('sha256:a', NOW + 3 + 10 * HOUR_MS);
    expect(await ledger.expire(NOW + 2 * HOUR_MS, 10)).toBe(1);
    expect(await ledger.blobs.get('sha256:a')).toBe('result');
    expect(await ledger.expire(NOW + 1000 * HOUR_MS, 10)).toBe(1);
    expect(await ledger.blobs.get('sha256:a')).toBeUndefined();
  });

  test('stays while an operation names it', async () => {
    await ledger.blobs.put('sha256:a', 'result');
    await endedWith('sha256:a');
    await told(ledger, { ttlMs: 10_000 * HOUR_MS }, ...toWorking(), ...naming('sha256:a'));
    expect(await ledger.expire(NOW + 1000 * HOUR_MS, 10)).toBe(1);
    await ledger.expire(NOW + 2000 * HOUR_MS, 10);
    expect(await ledger.blobs.get('sha256:a')).toBe('result');
  });

  test('that was put again by an operation about to name it outlives the one that expires in between', async () => {
    await ledger.blobs.put('sha256:a', 'result');
    await endedWith('sha256:a');
    await clock.advance(30 * HOUR_MS);
    await ledger.blobs.put('sha256:a', 'result');
    expect(await ledger.expire(clock.now(), 10)).toBe(1);
    await endedWith('sha256:a', clock.now());
    await ledger.expire(clock.now() + HOUR_MS, 10);
    expect(await ledger.blobs.get('sha256:a')).toBe('result');
  });

  test('that nothing ever named goes after a day: its worker was killed before it could', async () => {
    await ledger.blobs.put('sha256:a', 'orphan');
    await ledger.expire(NOW + 24 * HOUR_MS, 10);
    expect(await ledger.blobs.get('sha256:a')).toBe('orphan');
    await ledger.expire(NOW + 24 * HOUR_MS + 1, 10);
    expect(await ledger.blobs.get('sha256:a')).toBeUndefined();
  });

  test('can not be read or written once the ledger is closed', async () => {
    await ledger.close();
    await expect(ledger.blobs.put('sha256:a', 'x')).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
    await expect(ledger.blobs.get('sha256:a')).rejects.toMatchObject({
      code: 'LEDGER_UNAVAILABLE',
      cause: { code: 'LEDGER_UNAVAILABLE' },
    });
    await expect(ledger.blobs.delete(['sha256:a'])).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
  });
});

describe('a blob store over any Keyv', () => {
  test('keeps and forgets', async () => {
    const blobs = openBlobStore(new Keyv());
    await blobs.put('sha256:a', 'text');
    expect(await blobs.get('sha256:a')).toBe('text');
    await blobs.delete(['sha256:a']);
    expect(await blobs.get('sha256:a')).toBeUndefined();
  });

  test('never takes a failure for "not there"', async () => {
    const broken = new Map<string, unknown>();
    broken.get = () => {
      throw new Error('the network is down');
    };
    const blobs = openBlobStore(new Keyv({ store: broken }));
    await expect(blobs.get('sha256:a')).rejects.toMatchObject({
      code: 'LEDGER_UNAVAILABLE',
      cause: { message: 'the network is down' },
    });
  });
});
