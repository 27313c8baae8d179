import { describe, expect, test } from 'vitest';
import { parseSource } from '../../src/catalogue/document.ts';
import { DocumentError } from '../../src/catalogue/fault.ts';
import { applyOverlays } from '../../src/catalogue/overlays.ts';
import { compile, faultsOf, OK, openapi } from './kit.ts';

const DOCUMENT = {
  list: ['a', 'b', 'c'],
  paths: { '/x': { post: { tags: ['t'], summary: 'old', deep: { keep: 1 } }, get: {} }, '/y': { post: { summary: 'y' } } },
};

function overlaid(actions: object[], version = '1.0.0') {
  const source = parseSource(JSON.stringify(DOCUMENT), 'doc.json', '/doc.json');
  const overlay = parseSource(JSON.stringify({ overlay: version, info: {}, actions }, null, 1), 'o.json', '/o.json');
  const result = applyOverlays(source, [overlay]);
  expect(source.root).toEqual(DOCUMENT);
  return { root: result.source.root as typeof DOCUMENT, warnings: result.warnings };
}

describe('an overlay', () => {
  test('merges objects, adds to lists and replaces the rest', () => {
    const update = { summary: 'new', tags: ['u'], deep: { more: 2 }, 'x-longshore': {} };
    expect(overlaid([{ target: "$.paths['/x'].post", update }]).root.paths['/x'].post).toEqual({
      tags: ['t', 'u'],
      summary: 'new',
      deep: { keep: 1, more: 2 },
      'x-longshore': {},
    });
  });

  test.each([
    ['appends to a list', { target: '$.list', update: 'd' }, ['a', 'b', 'c', 'd']],
    ['removes items of a list', { target: "$.list[?@ == 'a' || @ == 'c']", remove: true }, ['b']],
    ['replaces a value', { target: '$.list[1]', update: 'B' }, ['a', 'B', 'c']],
    ['prefers removing', { target: '$.list[0]', remove: true, update: 'x' }, ['b', 'c']],
  ])('%s', (_name, action, list) => {
    expect(overlaid([action]).root.list).toEqual(list);
  });

  test('reaches many places, and later actions see what earlier ones did', () => {
    const { root } = overlaid([
      { target: '$.paths.*.post', update: { flag: true } },
      { target: '$.paths.*[?@.flag]', update: { seen: true } },
      { target: "$.paths['/x'].get", remove: true },
    ]);
    expect(root.paths).toMatchObject({ '/x': { post: { seen: true } }, '/y': { post: { seen: true } } });
    expect(Object.keys(root.paths['/x'])).toEqual(['post']);
  });

  test('copies from another place', () => {
    const { root } = overlaid([{ target: "$.paths['/x'].get", copy: "$.paths['/y'].post" }], '1.1.0');
    expect(root.paths['/x'].get).toEqual({ summary: 'y' });
  });

  test('whose target matches nothing is a warning that names line and target', () => {
    const { warnings, root } = overlaid([
      { target: '$.list', update: 'd' },
      { target: '$.paths.none', update: {} },
    ]);
    expect(warnings).toMatchObject([
      { file: 'o.json', line: 10, pointer: '/actions/1/target', message: 'the target $.paths.none matches nothing' },
    ]);
    expect(root.list).toHaveLength(4);
  });

  test.each([
    ['of another version', { overlay: '2.0.0', actions: [] }, 'version 2.0.0'],
    ['without a version', { actions: [] }, 'has no `overlay`'],
    ['without actions', { overlay: '1.0.0' }, 'no list of `actions`'],
    ['with an action without a target', { overlay: '1.0.0', actions: [{ update: {} }] }, 'without a `target`'],
    ['with an action that does nothing', { overlay: '1.0.0', actions: [{ target: '$' }] }, 'does nothing'],
    [
      'with a target that is no JSONPath',
      { overlay: '1.0.0', actions: [{ target: '$.paths[', remove: true }] },
      'is no JSONPath',
    ],
    ['that is a list', [], 'its root is not an object'],
  ])('%s is refused', async (_name, overlay, message) => {
    const faults = await faultsOf(openapi({}), { overlays: ['/o.yaml'] }, { '/o.yaml': overlay });
    expect(faults).toMatchObject([{ file: '/o.yaml', message: expect.stringContaining(message) }]);
  });

  test('says all that is wrong, in all overlays', () => {
    const bad = (file: string) => parseSource('{"overlay":"1.0.0","actions":[{},{"target":"$"}]}', file, file);
    const apply = () => applyOverlays(parseSource('{}', 'doc', '/doc'), [bad('one'), bad('two')]);
    expect(apply).toThrow(DocumentError);
    expect(apply).toThrow(/one:1:.*\none:1:.*\ntwo:1:.*\ntwo:1:/);
  });

  test('that puts a fault in is named with its own line', async () => {
    const overlay = `overlay: 1.0.0
actions:
  - target: $.paths['/x'].post
    update:
      x-longshore:
        status: getX
        expect: soon
`;
    const document = openapi({ '/x': { post: { operationId: 'x', responses: OK } } });
    const { leftOut } = await compile(document, { overlays: ['/o.yaml'] }, { '/o.yaml': overlay });
    expect(leftOut).toMatchObject([{ reason: 'x-longshore/expect is no duration like PT4M, 30s or 24h (/o.yaml:7)' }]);
  });
});
