import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { generateSchema, SCHEMA_FILE } from '../../scripts/generate-schema.ts';

interface Node {
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node | boolean;
}

const published = readFileSync(resolve(import.meta.dirname, '../..', SCHEMA_FILE), 'utf8');
const schema = JSON.parse(published) as Node;

/** Every member that the schema knows, by path. */
function members(node: Node, path = ''): [string, Node][] {
  const inside = typeof node.additionalProperties === 'object' ? members(node.additionalProperties, `${path}/*`) : [];
  return [
    ...inside,
    ...Object.entries(node.properties ?? {}).flatMap(([name, member]): [string, Node][] => [
      [`${path}/${name}`, member],
      ...members(member, `${path}/${name}`),
    ]),
  ];
}

describe('the published schema', () => {
  test('is the one that reads the file (npm run generate)', () => {
    expect(published).toBe(generateSchema());
  });

  test('has a sentence for every member, which says its default', () => {
    const all = members(schema);
    expect(all.length).toBeGreaterThan(60);
    for (const [path, { description, default: otherwise }] of all) {
      expect(description, path).toMatch(/^[A-Z].*\.$/);
      if (otherwise !== undefined && typeof otherwise !== 'object')
        expect(description, path).toContain(`Default: ${otherwise}.`);
    }
  });

  test.each([
    ['the least', 'upstreams: {a: {document: x}}', true],
    [
      'references',
      `server: {listen: "\${A}", sessionsMax: "\${B}"}\nretention: \${C:-7d}\nupstreams: {a: {document: x, limits: {responseBytesMax: "\${D}"}}}`,
      true,
    ],
    ['a secret in the file', 'upstreams: {a: {document: x, credentials: {k: {value: x}}}}', false],
    ['a misspelt member', 'upstreams: {a: {document: x}}\nserver: {sesionIdle: 30s}', false],
    ['a duration without unit', 'upstreams: {a: {document: x}}\nretention: "30"', false],
    ['a number out of bounds', 'upstreams: {a: {document: x}}\nserver: {sessionsMax: 0}', false],
    ['no upstreams', 'taskless: serve', false],
  ])('judges %s as an editor would show it', (_what, text, fit) => {
    expect(new Ajv({ strict: false }).validate(schema, parse(text))).toBe(fit);
  });
});
