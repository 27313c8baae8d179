// OpenAPI's parameter styles: from one argument to the text, or the name-value pairs, that go on the wire.
// Null stands for absent everywhere; a list or object without members sends nothing. @see OpenAPI 3.1 §4.8.12.3 Style Values

import { isJsonObject, type Json, scalarText, stringifyJson } from './json.ts';
import type { ParameterBinding } from './request.ts';

type Encode = (text: string) => string;

type Style = Pick<ParameterBinding, 'style' | 'explode'>;

/** One `name=value` on the wire, both encoded. `member`: the name is an object's member, not the parameter's own. */
interface Part {
  readonly name: string;
  readonly value: string;
  readonly member: boolean;
}

/** Text of one item or member. What is nested deeper than a style can say is sent as JSON text. */
const textOf = (value: Json): string => scalarText(value) ?? stringifyJson(value);

const membersOf = (value: Json): [string, Json][] =>
  isJsonObject(value) ? Object.entries(value).filter(([, item]) => item !== null && item !== undefined) : [];

const itemsOf = (value: readonly Json[]): Json[] => value.filter((item) => item !== null && item !== undefined);

/** What stands between the items of a list that is not exploded. */
const DELIMITERS: Partial<Record<ParameterBinding['style'], string>> = { spaceDelimited: '%20', pipeDelimited: '%7C' };

function partsOf(binding: Style, name: string, value: Json, encode: Encode): Part[] {
  const own = (text: string): Part => ({ name, value: text, member: false });
  const delimiter = DELIMITERS[binding.style] ?? ',';
  const text = scalarText(value);
  if (text !== undefined) return [own(encode(text))];
  if (Array.isArray(value)) {
    const items = itemsOf(value).map((item) => encode(textOf(item)));
    if (binding.explode || binding.style === 'deepObject') return items.map(own);
    return items.length === 0 ? [] : [own(items.join(delimiter))];
  }
  const members = membersOf(value).map(([key, item]) => [encode(key), encode(textOf(item))] as const);
  if (binding.explode) return members.map(([key, item]) => ({ name: key, value: item, member: true }));
  return members.length === 0 ? [] : [own(members.flat().join(delimiter))];
}

/** `filter[eq]=v`, `filter[a][b]=v`; a list within repeats its name. */
function deepPairs(name: string, value: Json, encode: Encode): [string, string][] {
  if (Array.isArray(value)) return itemsOf(value).map((item) => [name, encode(textOf(item))]);
  if (!isJsonObject(value)) return [[name, encode(textOf(value))]];
  return membersOf(value).flatMap(([key, item]) => deepPairs(`${name}%5B${encode(key)}%5D`, item, encode));
}

/** The pairs of a query or cookie parameter, or of a form's member: form, spaceDelimited, pipeDelimited or deepObject. `name` is encoded already. */
export function pairsOf(binding: Style, name: string, value: Json, encode: Encode): [string, string][] {
  if (binding.style === 'deepObject') return deepPairs(name, value, encode);
  return partsOf(binding, name, value, encode).map((part) => [part.name, part.value]);
}

/** The text of a path or header parameter: simple, label or matrix. '' where there is nothing to send. */
export function expansionOf(binding: ParameterBinding, value: Json, encode: Encode): string {
  const parts = partsOf(binding, encode(binding.name), value, encode);
  const matrix = binding.style === 'matrix';
  const separator = matrix ? ';' : binding.style === 'label' ? '.' : ',';
  const texts = parts.map((part) => {
    if (matrix) return part.value === '' ? part.name : `${part.name}=${part.value}`;
    return part.member ? `${part.name}=${part.value}` : part.value;
  });
  if (texts.join('') === '') return '';
  return `${binding.style === 'simple' ? '' : separator}${texts.join(separator)}`;
}
