// The pins hold what is installed: an upgrade of the SDK that changes a contract's wire is seen here, before it is released.

import { describe, expect, test } from 'vitest';
import { CONTRACT_IDS, CONTRACTS } from '../../src/contracts/index.ts';
import { difference } from '../../src/contracts/pins.ts';
import { installedDigests } from '../../src/http/wire-pins.ts';

const wireOf = (id: string) => {
  const wire = CONTRACTS.find((contract) => contract.id === id)?.wire;
  if (wire === undefined) throw new Error(`${id} is not pinned`);
  return wire;
};

describe('the pin of a contract', () => {
  test.each(CONTRACT_IDS)('is what the installed SDK speaks: %s (npm run pin:contracts)', (contract) => {
    const { pin, schemas } = wireOf(contract);
    const installed = installedDigests(schemas);
    expect(pin.contract).toBe(contract);
    expect(difference(pin, installed)).toBeUndefined();
    expect(installed.schemas).toEqual(pin.schemas);
    expect(Object.keys(pin.schemas).length).toBeGreaterThan(10);
    const absent = Object.values(pin.schemas).filter((digest) => digest === 'absent');
    expect(absent).toHaveLength(contract === '2026-07-28' ? 11 : 0);
  });

  test('is the same every time it is made', () => {
    const { schemas } = wireOf('2025-11-25');
    expect(installedDigests(schemas)).toEqual(installedDigests(schemas));
  });

  test('names what differs', () => {
    const { pin } = wireOf('2025-11-25');
    const schemas = { ...pin.schemas, Task: 'sha256:other', Gone: 'absent' };
    expect(difference(pin, { schemas, digest: 'sha256:another' })).toBe(
      'contract pin differs from the installed SDK (pinned: @modelcontextprotocol/server@2.4.0) in Gone, Task',
    );
  });

  test('closes the gate of 2026-07-28 once an SDK begins to know the extension', () => {
    const { pin } = wireOf('2026-07-28');
    expect(difference(pin, { schemas: { ...pin.schemas, UpdateTaskRequest: 'sha256:new' }, digest: 'sha256:another' })).toMatch(
      /differs from the installed SDK .* in UpdateTaskRequest \(which it did not have\)$/,
    );
  });

  test('names a schema that the SDK does not have', () => {
    expect(installedDigests(['Tool', 'Unheard']).schemas).toMatchObject({ Unheard: 'absent' });
  });
});
