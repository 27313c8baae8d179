import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { presets, withPreset } from '../../src/catalogue/presets.ts';
import { readExtension } from '../../src/catalogue/x-longshore.ts';
import { projectFile } from '../e2e/gateway.ts';

describe('presets', () => {
  test.each([...presets().keys()])('%s can be read as a description', (name) => {
    const reading = readExtension({ preset: name });
    expect(reading.kind === 'faulty' ? reading.faults : reading.kind).toBe('job');
  });

  test('are all versioned, and are there', () => {
    expect(presets().size).toBeGreaterThanOrEqual(17);
    for (const name of presets().keys()) expect(name).toMatch(/^[a-z0-9-]+@[1-9]\d*$/);
  });

  test('give way to what is written beside them, member by member', () => {
    expect(readExtension({ preset: 'body-urls@1', state: { at: '/phase', failed: ['broken'] } })).toMatchObject({
      kind: 'job',
      description: {
        handle: { id: '$response.body#/id' },
        state: { at: '/phase', succeeded: ['succeeded'], failed: ['broken'] },
        result: { at: '/output' },
      },
    });
  });

  test('leave no address in a request that says its own', () => {
    expect(withPreset({ preset: 'ogc-processes@1', cancel: { operation: 'dismiss' } }, 'ogc-processes@1')?.['cancel']).toEqual({
      operation: 'dismiss',
      deletes: true,
    });
  });

  test('that are not there are a fault, which names the one that was meant', () => {
    const reading = readExtension({ preset: 'body-urls@9' });
    expect(reading).toMatchObject({
      kind: 'faulty',
      faults: [{ pointer: '/preset', mend: expect.stringContaining('body-urls@1') }],
    });
  });

  test('are in the image', () => {
    expect(readFileSync(projectFile('Dockerfile'), 'utf8')).toContain('COPY specs/presets ./specs/presets');
  });
});
