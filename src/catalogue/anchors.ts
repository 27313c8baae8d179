// Names that schemas give themselves: `$anchor`, `$dynamicAnchor` and `$id`. Looked for only where a reference leads nowhere by its
// pointer, since few documents have any and looking means walking through all of one.
//   N1. A name that several schemas have means none of them: which one would depend on how validation got there.
// @see JSON Schema 2020-12 §8.2

import { isJsonObject, type Json } from '../core/json.ts';
import { child, type Node, type SourceDocument } from './node.ts';
import { escapeToken, tokensOfFragment } from './pointer.ts';

interface Named {
  readonly anchors: ReadonlyMap<string, readonly Node[]>;
  /** Schemas with an `$id`, by what it says. */
  readonly ids: readonly (readonly [id: string, node: Node])[];
}

const known = new WeakMap<SourceDocument, Named>();

function namedIn(document: SourceDocument): Named {
  const earlier = known.get(document);
  if (earlier !== undefined) return earlier;
  const anchors = new Map<string, Node[]>();
  const ids: [string, Node][] = [];
  const stack: Node[] = [{ document, pointer: '', value: document.root }];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const { value, pointer } = node;
    if (typeof value !== 'object' || value === null) continue;
    if (isJsonObject(value)) {
      for (const key of ['$anchor', '$dynamicAnchor']) {
        const name = value[key];
        if (typeof name === 'string') anchors.set(name, [...(anchors.get(name) ?? []), node]);
      }
      if (typeof value['$id'] === 'string') ids.push([value['$id'], node]);
    }
    for (const [key, part] of Object.entries(value)) {
      if (typeof part === 'object' && part !== null) {
        stack.push({ document, pointer: `${pointer}/${escapeToken(key)}`, value: part as Json });
      }
    }
  }
  const made = { anchors, ids };
  known.set(document, made);
  return made;
}

/** The schema with an `$id` that a place is in, the innermost. */
function resourceAround({ document, pointer }: Node): { readonly id: string; readonly node: Node } | undefined {
  const around = namedIn(document).ids.filter(([, { pointer: at }]) => pointer === at || pointer.startsWith(`${at}/`));
  const [id, node] = around.sort(([, one], [, other]) => other.pointer.length - one.pointer.length)[0] ?? [];
  return id === undefined || node === undefined ? undefined : { id, node };
}

const absolute = (address: string, base: string): string => {
  try {
    return new URL(address, new URL(base, 'file:///')).href;
  } catch {
    return address;
  }
};

function below(start: Node | undefined, fragment: string): Node | undefined {
  let target = start;
  for (const token of tokensOfFragment(fragment)) target = target && child(target, token);
  return target;
}

/** What a reference means by the names of schemas. `several`: more than one is called so. */
export function namedTarget(from: Node, ref: string): Node | 'several' | undefined {
  const [address = '', fragment = ''] = ref.split('#', 2);
  const { anchors, ids } = namedIn(from.document);
  const around = resourceAround(from);
  let owner = around?.node;
  if (address !== '') {
    const base = around?.id ?? from.document.location;
    const wanted = absolute(address, base);
    const found = ids.filter(([id]) => id === address || absolute(id, base) === wanted);
    if (found.length > 1) return 'several';
    owner = found[0]?.[1];
    if (owner === undefined || fragment === '') return owner;
  }
  if (fragment === '' || fragment.startsWith('/')) return owner && below(owner, fragment);
  const called = anchors.get(fragment) ?? [];
  const within = owner === undefined ? [] : called.filter(({ pointer }) => `${pointer}/`.startsWith(`${owner.pointer}/`));
  const meant = within.length > 0 || address !== '' ? within : called;
  return meant.length > 1 ? 'several' : meant[0];
}
