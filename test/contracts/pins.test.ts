// The pins hold what is installed: an upgrade of the SDK that changes a contract's wire is seen here, before it is released.

import { describe, expect, test } from 'vitest';
import { difference, PINS, pinOf } from '../../src/contracts/pins.ts';
import type { ContractId } from '../../src/core/ids.ts';
import { installedDigests } from '../../src/http/wire-pins.ts';

describe('the pin of a contract', () => {
  test.each(['2025-11-25', '2026-07-28'] as const)(
    'is what the installed SDK speaks: %s (npm run pin:contracts)',
    (contract) => {
      const [pinned, installed] = [pinOf(contract), installedDigests(contract)];
      if (pinned === undefined || installed === undefined) throw new Error(`${contract} is not pinned`);
      expect(difference(pinned, installed)).toBeUndefined();
      expect(installed.schemas).toEqual(pinned.schemas);
      expect(Object.keys(pinned.schemas).length).toBeGreaterThan(10);
      expect(Object.values(pinned.schemas)).not.toContain('absent');
    },
  );

  test('is the same every time it is made', () => {
    expect(installedDigests('2025-11-25')).toEqual(installedDigests('2025-11-25'));
  });

  test('names what differs', () => {
    const [pin] = PINS;
    if (pin === undefined) throw new Error('nothing is pinned');
    const schemas = { ...pin.schemas, Task: 'sha256:other', Gone: 'absent' };
    expect(difference(pin, { schemas, digest: 'sha256:another' })).toBe(
      'contract pin differs from the installed SDK (pinned: @modelcontextprotocol/server@2.4.0) in Gone, Task',
    );
  });

  test('is not there for a contract that nobody pinned, nor are digests of one that the SDK does not know', () => {
    const third = '2027-03-31' as ContractId;
    expect([pinOf(third), installedDigests(third)]).toEqual([undefined, undefined]);
  });
});
