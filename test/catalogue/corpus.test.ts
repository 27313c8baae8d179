// Every published document that is at hand: nothing throws, every tool has a schema that compiles and refers to nothing
// outside itself. The documents are large and not part of the repository; without them this says so and passes.

import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { adapters } from '../../adapters/index.ts';
import { compileCatalogue } from '../../src/catalogue/catalogue.ts';
import { readSource } from '../../src/catalogue/read.ts';
import { type Json, type JsonObject, valueAt } from '../../src/core/json.ts';
import type { Catalogue } from '../../src/core/tool.ts';
import { templateOf, upstream } from './kit.ts';

const FOLDER = join(resolve(process.env['LONGSHORE_SHARED'] ?? join(import.meta.dirname, '../../../shared')), 'specs');
const documents = existsSync(FOLDER)
  ? readdirSync(FOLDER).filter((name) => /\.(json|yaml)$/.test(name) && name !== 'expected.json')
  : [];
if (documents.length === 0) console.log(`no published documents in ${FOLDER}: set LONGSHORE_SHARED to try them`);

/** Compiling a validator for each of the largest takes minutes: of those every n-th is tried. */
const VALIDATORS_MAX = 20;

const compileFile = (name: string): Promise<Catalogue> =>
  compileCatalogue({
    config: {
      upstreams: [upstream({ document: join(FOLDER, name), baseUrl: 'http://up.test' })],
      limits: { inlineWaitMs: 25_000 },
    },
    adapters,
    read: readSource,
  });

function dangling(schema: JsonObject): string[] {
  const found: string[] = [];
  const walk = (value: Json): void => {
    if (typeof value !== 'object' || value === null) return;
    const ref = (value as JsonObject)['$ref'];
    if (typeof ref === 'string' && valueAt(schema, decodeURIComponent(ref.slice(1))) === undefined) found.push(ref);
    for (const part of Object.values(value)) walk(part as Json);
  };
  walk(schema);
  return found;
}

/** Definitions that nothing leads to. */
function idle(schema: JsonObject): string[] {
  const { $defs = {}, ...root } = schema;
  const text = (value: unknown) => JSON.stringify(value);
  const reached = new Set<string>();
  const waiting = [text(root)];
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    for (const [, name = ''] of part.matchAll(/"#\/\$defs\/([^"]+)"/g)) {
      if (reached.has(name)) continue;
      reached.add(name);
      waiting.push(text(($defs as JsonObject)[name]));
    }
  }
  return Object.keys($defs as JsonObject).filter((name) => !reached.has(name));
}

describe.runIf(documents.length > 0)('a published document', () => {
  test.each(documents)('%s', { timeout: 120_000 }, async (name) => {
    const began = performance.now();
    const { tools, leftOut, warnings } = await compileFile(name);
    const tookMs = Math.round(performance.now() - began);
    const all = [...tools.values()];
    const jobs = all.filter(({ kind }) => kind === 'job').length;
    console.log(
      `${name}: ${all.length} tools (${jobs} jobs), ${leftOut.length} left out, ${warnings.length} warnings, ${tookMs} ms`,
    );

    expect(all.length).toBeGreaterThan(0);
    const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false });
    const every = Math.ceil(all.length / VALIDATORS_MAX);
    for (const [index, tool] of all.entries()) {
      const schemas = [tool.inputSchema, ...(tool.outputSchema === undefined ? [] : [tool.outputSchema])];
      expect(tool.name).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
      expect(tool.description.trim()).not.toBe('');
      for (const schema of schemas) {
        expect(schema['type'], tool.name).toBe('object');
        expect(dangling(schema), tool.name).toEqual([]);
        expect(idle(schema), tool.name).toEqual([]);
        if (index % every === 0 && JSON.stringify(schema).length < 50_000) ajv.compile(schema);
      }
      const { parameters, body } = templateOf(tool);
      const members = body?.from.kind === 'spread' ? body.from.members : body === undefined ? [] : [body.from];
      const bound = [...parameters, ...members].map(({ argument }) => argument).sort();
      expect(bound, tool.name).toEqual(Object.keys(tool.inputSchema['properties'] as object).sort());
      for (const argument of bound) expect(argument).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
    }
    for (const { reason } of leftOut) expect(reason).not.toBe('');
  });
});
