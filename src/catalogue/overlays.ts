// Overlays: changes to a document, written beside it. @see OpenAPI Overlay Specification 1.0 and 1.1
//   L1. The document as it was read is never changed: what an action touches is copied, what it does not is shared.
//   L2. What an overlay put in remembers where it came from, so that a fault in it names the overlay's line.
//   L3. An action that matches nothing is a warning: the document has moved on, and the overlay has not.

import { jsonpath } from 'json-p3';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import type { Fault } from '../errors.ts';
import { objectOf } from './document.ts';
import { DocumentError } from './fault.ts';
import type { SourceDocument } from './node.ts';
import type { Place } from './place.ts';
import { pointerOf, step, tokensOf } from './pointer.ts';

/** Where a value of an overlay stands in it. */
type Origins = WeakMap<object, { readonly overlay: SourceDocument; readonly pointer: string }>;
type Path = readonly (string | number)[];

/** Applies overlays in order. Throws {@link DocumentError} with every fault of every overlay. */
export function applyOverlays(
  source: SourceDocument,
  overlays: readonly SourceDocument[],
): { readonly source: SourceDocument; readonly warnings: readonly Fault[] } {
  if (overlays.length === 0) return { source, warnings: [] };
  const origins: Origins = new WeakMap();
  const faults: Fault[] = [];
  const warnings: Fault[] = [];
  let root = source.root;
  for (const overlay of overlays) {
    try {
      for (const action of actionsOf(overlay)) root = applied(root, action, origins, warnings);
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      faults.push(...error.faults);
    }
  }
  if (faults.length > 0) throw new DocumentError(faults);
  return { source: { ...source, root, placeOf: (pointer) => placeIn(source, root, origins, pointer) }, warnings };
}

interface Action {
  readonly overlay: SourceDocument;
  readonly pointer: string;
  readonly target: string;
  readonly query: ReturnType<typeof jsonpath.compile>;
  readonly remove: boolean;
  readonly update?: Json;
  readonly copy?: ReturnType<typeof jsonpath.compile>;
}

function actionsOf(overlay: SourceDocument): Action[] {
  const root = objectOf(overlay, 'an overlay');
  const faults: Fault[] = [];
  const fault = (pointer: string, message: string, mend: string) => {
    faults.push({ file: overlay.file, ...overlay.placeOf(pointer), pointer, message, mend });
  };
  const version = String(root['overlay'] ?? '');
  if (!/^1(\.[01](\.\d+)?)?$/.test(version)) {
    const said =
      version === '' ? 'is no overlay: it has no `overlay`' : `is an overlay of version ${version}, which is not supported`;
    fault('/overlay', said, 'begin with `overlay: 1.0.0`');
  }
  const list = root['actions'];
  // `actions:` with nothing but comments below it is an overlay whose every action is still to be confirmed.
  if (!Array.isArray(list) && list !== null)
    fault('/actions', 'has no list of `actions`', 'give `actions` as a list of {target, update} or {target, remove}');
  const actions: Action[] = [];
  for (const [index, action] of (Array.isArray(list) ? list : []).entries()) {
    const pointer = `/actions/${index}`;
    if (!isJsonObject(action) || typeof action['target'] !== 'string') {
      fault(pointer, 'is an action without a `target`', "give `target` a JSONPath like $.paths['/exports'].post");
      continue;
    }
    const compiled = (key: string): Action['query'] | undefined => {
      try {
        return jsonpath.compile(String(action[key]));
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        fault(
          `${pointer}/${key}`,
          `is no JSONPath (RFC 9535): ${why}`,
          "write paths like $.paths['/exports'].post, names with / in brackets and quotes",
        );
        return undefined;
      }
    };
    const query = compiled('target');
    const copy = action['copy'] === undefined ? undefined : compiled('copy');
    const { update } = action;
    const remove = action['remove'] === true;
    if (!remove && update === undefined && action['copy'] === undefined) {
      fault(pointer, 'does nothing: it has neither `update` nor `remove: true`', 'say what is to be changed');
    }
    if (query === undefined) continue;
    actions.push({
      overlay,
      pointer,
      target: action['target'],
      query,
      remove,
      ...(update === undefined ? {} : { update }),
      ...(copy && { copy }),
    });
  }
  if (faults.length > 0) throw new DocumentError(faults);
  return actions;
}

function applied(root: Json, action: Action, origins: Origins, warnings: Fault[]): Json {
  const { overlay, pointer, target } = action;
  const warn = (at: string, message: string, mend: string) =>
    warnings.push({ file: overlay.file, ...overlay.placeOf(at), pointer: at, message, mend });
  const found = (query: Action['query']) =>
    query.query(root as Parameters<Action['query']['query']>[0]).nodes.map(({ location }) => location as Path);
  const paths = found(action.query);
  if (paths.length === 0) {
    warn(`${pointer}/target`, `the target ${target} matches nothing`, 'correct the target, or remove the action');
    return root;
  }
  if (action.remove) {
    // Backwards, so that earlier items of a list keep their positions.
    return paths.reduceRight<Json>((value, path) => (path.length === 0 ? value : changed(value, path, () => undefined)), root);
  }
  let result = root;
  if (action.copy !== undefined) {
    const [from, ...more] = found(action.copy);
    if (from === undefined || more.length > 0) {
      warn(
        `${pointer}/copy`,
        `the source of the copy matches ${from === undefined ? 'nothing' : 'more than one place'}`,
        'name exactly one place',
      );
    } else {
      const copied = at(root, from);
      for (const path of paths) result = changed(result, path, (value) => merged(value, copied));
    }
  }
  const { update } = action;
  if (update === undefined) return result;
  remember(update, `${pointer}/update`, overlay, origins);
  for (const path of paths) {
    // What is put into a list is an item of it, not another list.
    result = changed(result, path, (value) =>
      Array.isArray(value) && !Array.isArray(update) ? [...(value as Json[]), update] : merged(value, update),
    );
  }
  return result;
}

const at = (root: Json, path: Path): Json => path.reduce<Json>((value, token) => step(value, String(token)) ?? null, root);

/** A copy of `value` in which what `path` names is replaced; `undefined` removes it. */
function changed(value: Json, path: Path, change: (value: Json) => Json | undefined): Json {
  const [token, ...rest] = path;
  if (token === undefined) return change(value) ?? null;
  const inside = step(value, String(token));
  if (inside === undefined) return value;
  const next = rest.length === 0 ? change(inside) : changed(inside, rest, change);
  if (Array.isArray(value)) {
    const index = Number(token);
    return next === undefined ? value.toSpliced(index, 1) : value.with(index, next);
  }
  if (next !== undefined) return { ...(value as JsonObject), [token]: next };
  return Object.fromEntries(Object.entries(value as JsonObject).filter(([key]) => key !== String(token)));
}

/** Objects member by member, lists one after the other, anything else replaced. */
function merged(value: Json | undefined, update: Json): Json {
  if (Array.isArray(value) && Array.isArray(update)) return [...(value as Json[]), ...(update as Json[])];
  if (!isJsonObject(value) || !isJsonObject(update)) return update;
  const members = Object.entries(update).map(
    ([key, item]) => [key, Object.hasOwn(value, key) ? merged(value[key], item) : item] as const,
  );
  return { ...value, ...Object.fromEntries(members) };
}

function remember(value: Json, pointer: string, overlay: SourceDocument, origins: Origins): void {
  if (typeof value !== 'object' || value === null) return;
  origins.set(value, { overlay, pointer });
  for (const [key, item] of Object.entries(value)) remember(item as Json, pointer + pointerOf([key]), overlay, origins);
}

/** The place of a pointer: in the overlay that put it there, else in the document. */
function placeIn(source: SourceDocument, root: Json, origins: Origins, pointer: string): Place {
  const tokens = tokensOf(pointer);
  let value: Json | undefined = root;
  let origin: { readonly overlay: SourceDocument; readonly pointer: string } | undefined;
  for (const token of tokens) {
    value = step(value, token);
    const own = typeof value === 'object' && value !== null ? origins.get(value) : undefined;
    origin = own ?? (origin === undefined ? undefined : { ...origin, pointer: origin.pointer + pointerOf([token]) });
  }
  return origin === undefined
    ? source.placeOf(pointer)
    : { ...origin.overlay.placeOf(origin.pointer), file: origin.overlay.file };
}
