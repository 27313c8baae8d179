import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DocumentError } from '../../src/catalogue/fault.ts';
import type { Report, ReportedOperation } from '../../src/cli/report.ts';
import { directory } from '../config/files.ts';
import { BILLING, inspected, printed } from './kit.ts';

const FILES = { 'billing.openapi.yaml': BILLING };

async function reported(files: Record<string, string>, document: string, overlays: string[] = []): Promise<Report> {
  await using place = await directory(files);
  const all = overlays.map((name) => join(place.path, name));
  return JSON.parse(await inspected(join(place.path, document), { json: true, overlays: all }));
}

const byId = (report: Report, id: string): ReportedOperation => {
  const found = report.operations.find(({ operationId }) => operationId === id);
  if (found === undefined) throw new Error(`${id} is not in the report`);
  return found;
};

describe('an inspection as JSON', () => {
  test('holds every operation once, with one verdict, and counts them', async () => {
    const report = await reported(FILES, 'billing.openapi.yaml');
    expect(report.operations.map(({ operationId, verdict }) => [operationId, verdict])).toEqual([
      ['createExport', 'job'],
      ['getExport', 'helper'],
      ['cancelExport', 'helper'],
      ['rebuildIndex', 'confirm'],
      ['listInvoices', 'call'],
      ['breakIt', 'left out'],
    ]);
    expect(report.counts).toEqual({ operations: 6, jobs: 1, confirm: 1, calls: 1, helpers: 2, leftOut: 1 });
    expect(report).toMatchObject({ upstream: 'billing', openapi: '3.0.3', title: 'Billing' });
  });

  test('says of a job why, with whom it goes, what its words mean, and which mean nothing', async () => {
    const report = await reported(FILES, 'billing.openapi.yaml');
    const job = byId(report, 'createExport');
    expect(job.pairs).toMatchObject({ status: { operation: 'getExport' }, cancel: { operation: 'cancelExport' } });
    expect(job.states).toMatchObject({ at: '/status', succeeded: ['done'], failed: ['error'], unknown: ['stale'] });
    expect(job.taskSupport).toBe('optional');
    expect(job.why).not.toBe('');
    const [first] = job.evidence;
    const lines = BILLING.split('\n');
    expect(first?.pointer).toMatch(/links\/GetExport$/);
    expect(lines[(first?.line ?? 0) - 1]).toContain('GetExport:');
    expect(lines[(job.line ?? 0) - 1]).toContain('post:');
    expect(byId(report, 'getExport').serves).toEqual(['createExport']);
  });

  test('says of what is left out or to be confirmed why, and the way out', async () => {
    const report = await reported(FILES, 'billing.openapi.yaml');
    expect(byId(report, 'breakIt')).toMatchObject({ reason: expect.stringContaining('Nowhere') });
    // Its own entry says it: a warning would say it again.
    expect(report.warnings).toEqual([]);
    expect(byId(report, 'rebuildIndex')).toMatchObject({
      reason: expect.any(String),
      mend: expect.stringContaining('overlay'),
    });
  });

  test('weighs what clients of each contract get, tool by tool and in total', async () => {
    const report = await reported(FILES, 'billing.openapi.yaml');
    expect(report.clients.map(({ contract }) => contract)).toEqual(['2025-11-25', '2026-07-28', 'none']);
    for (const { bytes, tokens } of report.clients) expect(tokens).toBe(Math.ceil(bytes / 4));
    const [first] = report.clients;
    // Companion tools are shown to whoever may be answered as pending: that is nobody whose every job is a task.
    expect(report.clients.map(({ tools }) => tools)).toEqual([7, 3, 7]);
    const sizes = report.operations.map(({ tool }) => tool?.bytes['2025-11-25'] ?? 0).filter((bytes) => bytes > 0);
    expect(sizes).toHaveLength(3);
    expect(sizes.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(first?.bytes ?? 0);
  });

  test('believes an overlay before it believes evidence', async () => {
    const overlay = `overlay: 1.0.0
info: { title: t, version: "1" }
actions:
  - { target: "$.paths['/exports'].post", update: { x-longshore: false } }
  - { target: "$.paths['/index/rebuild'].post", update: { x-longshore: { status: getExport } } }
`;
    const report = await reported({ ...FILES, 'o.yaml': overlay }, 'billing.openapi.yaml', ['o.yaml']);
    expect(byId(report, 'createExport').verdict).toBe('call');
    // Its own entry says it: a warning would say it again.
    expect(report.warnings).toEqual([]);
    expect(byId(report, 'rebuildIndex')).toMatchObject({
      verdict: 'job',
      source: 'described',
      pairs: { status: { operation: 'getExport' } },
    });
  });

  test('is given of a document that names no server', async () => {
    const text = BILLING.replace(/^servers.*\n/m, '');
    expect((await reported({ 'a.yaml': text }, 'a.yaml')).counts.jobs).toBe(1);
  });

  test('follows references to files beside the document', async () => {
    const files = {
      'a.yaml': BILLING.replace('#/components/schemas/Nowhere', './parts.yaml#/Thing'),
      'parts.yaml': 'Thing: { type: object, properties: { a: { type: string } } }\n',
    };
    expect(byId(await reported(files, 'a.yaml'), 'breakIt').verdict).toBe('call');
  });
});

describe('an inspection for people', () => {
  const shown = async (options: Parameters<typeof inspected>[1] = {}, text = BILLING) => {
    await using place = await directory({ 'billing.openapi.yaml': text });
    return (await inspected(join(place.path, 'billing.openapi.yaml'), options)).replaceAll(`${place.path}/`, '');
  };

  test('begins with the counts, and names evidence by file, line and pointer', async () => {
    const text = await shown();
    expect(text.split('\n')[0]).toMatch(
      /^billing\.openapi\.yaml {3}Billing {3}OpenAPI 3\.0\.3 {3}6 operations: 1 job, 1 to confirm, 1 call, 2 helpers of jobs, 1 left out$/,
    );
    expect(text).toMatch(/billing\.openapi\.yaml:\d+ {2}#\/paths\/~1exports\/post\/responses\/202\/links\/GetExport/);
    expect(text).toContain('status getExport');
    expect(text).toContain('"stale" unknown: held as working');
    expect(text).toMatch(/left out .*breakIt[\s\S]*Nowhere/);
  });

  test('keeps to the width of the terminal where words allow it, and has no colours unless they are welcome', async () => {
    const text = await shown({ terminal: printed({ columns: 80 }) });
    // A pointer is one word.
    const broad = text.split('\n').filter((line) => line.length > 80 && !line.includes('#/'));
    expect(broad).toEqual([]);
    expect(text).not.toContain('\x1b[');
    expect(await shown({ terminal: printed({ colours: true }) })).toContain('\x1b[');
  });

  test('shows one contract where one is asked for', async () => {
    const text = await shown({ contract: '2026-07-28' });
    expect(text).toContain('Tasks of 2026-07-28');
    expect(text).not.toContain('Tasks of 2025-11-25');
  });

  test('lists many calls only when asked, and warns with numbers where there are too many tools', async () => {
    const many = Array.from(
      { length: 45 },
      (_, n) => `  /things${n}:\n    get: { operationId: getThing${n}, responses: { "200": { description: ok } } }\n`,
    ).join('');
    const text = await shown({}, BILLING + many);
    expect(text).not.toContain('getThing7');
    expect(text).toMatch(/46 calls and 2 helpers of jobs are not listed → --all/);
    expect(text.replace(/\s+/g, ' ')).toMatch(/48 tools are offered, which is more than 40: .*tools\.include/);
    expect(await shown({ all: true }, BILLING + many)).toContain('getThing7');
  });
});

test('a document that can not be used is refused with its place', async () => {
  await using place = await directory({ 'a.yaml': 'openapi: 4.0.0\n' });
  await expect(inspected(join(place.path, 'a.yaml'))).rejects.toThrow(DocumentError);
  await expect(inspected(join(place.path, 'nowhere.yaml'))).rejects.toThrow(/does not exist/);
});
