// Who may import whom, and what has one home. The rules read the whole tree, and prove that they did.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { describe, expect, test } from 'vitest';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** Each room, and the rooms it may import from beside itself. The first pattern that fits a file names its room. */
const ROOMS: readonly { readonly room: RegExp; readonly mayImport: readonly RegExp[] }[] = [
  { room: /^src\/errors\.ts$/, mayImport: [] },
  { room: /^src\/core\//, mayImport: [/^src\/core\//, /^src\/errors/] },
  { room: /^src\/clock\.ts$/, mayImport: [/^src\/core\/time/] },
  { room: /^src\/config\//, mayImport: [/^src\/config\//, /^src\/contracts\/index/, /^src\/core\//, /^src\/errors/] },
  { room: /^src\/telemetry\//, mayImport: [/^src\/telemetry\//, /^src\/core\//, /^src\/errors/] },
  { room: /^src\/catalogue\//, mayImport: [/^src\/catalogue\//, /^src\/config\/config/, /^src\/core\//, /^src\/errors/] },
  { room: /^src\/ledger\//, mayImport: [/^src\/ledger\//, /^src\/core\//, /^src\/errors/] },
  { room: /^src\/contracts\/index/, mayImport: [/^src\/contracts\//, /^src\/core\//, /^src\/errors/] },
  {
    room: /^src\/contracts\//,
    mayImport: [/^src\/contracts\/contract/, /^src\/core\//, /^src\/errors/, /^specs\/mcp\//],
  },
  {
    room: /^src\/engine\//,
    mayImport: [/^src\/engine\//, /^src\/ledger\/(ledger|inbox|gates|durations)\.ts/, /^src\/core\//, /^src\/errors/],
  },
  { room: /^src\/webhooks\/schemes\/index/, mayImport: [/^src\/webhooks\//] },
  { room: /^src\/webhooks\//, mayImport: [/^src\/webhooks\//, /^src\/core\//, /^src\/errors/] },
  { room: /^src\/upstream\//, mayImport: [/^src\/upstream\//, /^src\/config\/config/, /^src\/core\//, /^src\/errors/] },
  {
    room: /^src\/http\//,
    mayImport: [
      /^src\/http\//,
      /^src\/engine\/engine/,
      /^src\/contracts\/(index|contract|pins)/,
      /^src\/webhooks\/(authenticate|scheme)/,
      /^src\/config\/config/,
      /^src\/core\//,
      /^src\/errors/,
    ],
  },
  {
    room: /^src\/cli\//,
    mayImport: [
      /^src\/(cli|config|catalogue|telemetry|core)\//,
      /^src\/contracts\/index/,
      /^src\/engine\/engine/,
      /^src\/errors/,
      /^src\/clock/,
      /^adapters\/index/,
    ],
  },
  { room: /^src\/version\.ts$/, mayImport: [/^package\.json/] },
  { room: /^src\/(main|program|compose)\.ts$/, mayImport: [/^src\//, /^adapters\/index/] },
  { room: /^adapters\/index\.ts$/, mayImport: [/^adapters\//, /^src\/core\//] },
  { room: /^adapters\/aip-151\//, mayImport: [/^adapters\/aip-151\//, /^src\/core\//, /^src\/errors/] },
  { room: /^adapters\/http-202\//, mayImport: [/^adapters\/http-202\//, /^src\/core\//, /^src\/errors/] },
  { room: /^adapters\/webhook\//, mayImport: [/^adapters\/webhook\//, /^src\/core\//, /^src\/errors/] },
];

/** Rooms that touch no I/O: no Node built-in and no package. */
const PURE = [/^src\/core\//, /^src\/contracts\//, /^src\/errors/, /^adapters\//];

/** What has one home. */
const HOMES: readonly { readonly what: RegExp; readonly home: RegExp }[] = [
  {
    what: /\bDate\.now\b|\bnew Date\(\)|\bsetTimeout\b|\bsetInterval\b|\bMath\.random\b|\bperformance\.now\b/,
    home: /^src\/clock\.ts$/,
  },
  { what: /\bprocess\.env\b/, home: /^src\/config\// },
  { what: /['"]node:sqlite['"]/, home: /^src\/ledger\/sqlite/ },
];

interface Module {
  readonly file: string;
  /** Project files as paths from the root, packages and built-ins by name. */
  readonly imports: readonly string[];
  /** Source without comments. */
  readonly code: string;
}

function read(file: string, source: string): Module {
  const { module, comments } = parseSync(file, source);
  const specifiers = [
    ...module.staticImports.map((entry) => entry.moduleRequest.value),
    ...module.staticExports.flatMap((entry) => entry.entries.flatMap((part) => part.moduleRequest?.value ?? [])),
    ...module.dynamicImports.map((entry) => source.slice(entry.moduleRequest.start + 1, entry.moduleRequest.end - 1)),
  ];
  const code = comments.reduceRight((text, { start, end }) => text.slice(0, start) + text.slice(end), source);
  const imports = specifiers.map((name) =>
    name.startsWith('.') ? posix.normalize(posix.join(posix.dirname(file), name)) : name,
  );
  return { file, imports: [...new Set(imports)], code };
}

/** Pinned data, checked in beside the code. */
const isData = (name: string) => name.endsWith('.json') && existsSync(join(ROOT, name));
const isLocal = (name: string) => /^(src|adapters|test|demo|bench|scripts|specs)\//.test(name);

/** Every breach in a set of modules, as sentences. */
function breaches(modules: readonly Module[]): string[] {
  const found: string[] = [];
  for (const { file, imports, code } of modules) {
    const rule = ROOMS.find(({ room }) => room.test(file));
    if (rule === undefined) found.push(`${file}: no room is named for it in ROOMS`);
    for (const name of imports) {
      if (!isLocal(name)) {
        if (PURE.some((room) => room.test(file))) found.push(`${file} imports ${name}: this room is pure`);
      } else if (rule?.mayImport.some((allowed) => allowed.test(name)) === false) found.push(`${file} may not import ${name}`);
    }
    for (const { what, home } of HOMES)
      if (!home.test(file) && what.test(code)) found.push(`${file} uses ${what.exec(code)?.[0]}, whose home is ${home}`);
  }
  return [...found, ...cycles(modules)];
}

function cycles(modules: readonly Module[]): string[] {
  const byFile = new Map(modules.map((module) => [module.file, module]));
  const state = new Map<string, 'open' | 'done'>();
  const found: string[] = [];
  const visit = (file: string, path: readonly string[]) => {
    if (state.get(file) === 'done') return;
    if (state.get(file) === 'open') {
      found.push(`cycle: ${[...path.slice(path.indexOf(file)), file].join(' → ')}`);
      return;
    }
    state.set(file, 'open');
    for (const name of byFile.get(file)?.imports ?? []) if (byFile.has(name)) visit(name, [...path, file]);
    state.set(file, 'done');
  };
  for (const { file } of modules) visit(file, []);
  return found;
}

const files = ['src', 'adapters'].flatMap((top) =>
  readdirSync(join(ROOT, top), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name))),
);
const tree = files.filter((file) => file.endsWith('.ts')).map((file) => read(file, readFileSync(join(ROOT, file), 'utf8')));

describe('the house', () => {
  test('is built by its rules', () => {
    expect(breaches(tree)).toEqual([]);
  });

  test('was seen whole: every source file is TypeScript, and every import between rooms leads to a file that was read', () => {
    const seen = new Set(tree.map(({ file }) => file));
    expect(files.filter((file) => !seen.has(file))).toEqual([]);
    expect(
      tree.flatMap(({ file, imports }) =>
        imports.filter((name) => isLocal(name) && !seen.has(name) && !isData(name)).map((name) => `${file} → ${name}`),
      ),
    ).toEqual([]);
    for (const { room } of ROOMS)
      expect(
        [...seen].some((file) => room.test(file)),
        `a file in ${room}`,
      ).toBe(true);
    const reached = new Set<string>();
    const walk = (file: string) => {
      if (reached.has(file)) return;
      reached.add(file);
      for (const name of tree.find((module) => module.file === file)?.imports ?? []) walk(name);
    };
    walk('src/main.ts');
    expect(
      [...seen].filter((file) => !reached.has(file)),
      'files that nothing in the product uses',
    ).toEqual([]);
  });

  test.each([
    ['core that reads a file', 'src/core/bad.ts', "import { readFileSync } from 'node:fs'; readFileSync;"],
    ['an adapter that knows another', 'adapters/aip-151/bad.ts', "import { x } from '../http-202/states.ts'; x;"],
    ['a contract that knows another', 'src/contracts/tasks-2025-11-25.ts', "export { x } from './tasks-2026-07-28.ts';"],
    ['an engine that knows a store', 'src/engine/bad.ts', "const store = await import('../ledger/sqlite/open.ts'); store;"],
    ['a clock outside its home', 'src/engine/bad.ts', 'export const at = Date.now();'],
    ['a file without a room', 'src/misc/bad.ts', 'export {};'],
  ])('would notice %s', (_what, file, source) => {
    expect(breaches([read(file, source)])).toHaveLength(1);
  });

  test('would notice a cycle', () => {
    const around = [read('src/core/a.ts', "import './b.ts';"), read('src/core/b.ts', "import './a.ts';")];
    expect(breaches(around)).toEqual(['cycle: src/core/a.ts → src/core/b.ts → src/core/a.ts']);
  });
});
