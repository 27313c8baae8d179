// Forms: a JSON Schema reduced to what MCP lets a client ask a person for, and answers held against it.
// @see MCP 2025-11-25, elicitation: "restricted subset of JSON Schema"

import { isJsonObject, isRawNumber, type Json, type JsonObject, tryParseJson } from './json.ts';

export interface Form {
  /** `requestedSchema`: an object of plain members. */
  readonly schema: JsonObject;
  /** Members that are asked for as JSON text, because a form has no other way to hold them. */
  readonly asText: readonly string[];
}

export interface FormFault {
  readonly pointer: string;
  readonly message: string;
}

const COMMON = ['type', 'title', 'description', 'default'] as const;
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: [...COMMON, 'minLength', 'maxLength', 'format', 'enum', 'enumNames', 'oneOf'],
  number: [...COMMON, 'minimum', 'maximum'],
  integer: [...COMMON, 'minimum', 'maximum'],
  boolean: COMMON,
};
const FORMATS: readonly Json[] = ['email', 'uri', 'date', 'date-time'];

/** The form for a schema of an object; a schema of anything else asks for one member, `answer`, of it. */
export function formOf(schema: Json | undefined): Form {
  if (!isJsonObject(schema)) return formOf({ type: 'object', properties: { answer: { type: 'string' } } });
  const properties = schema['properties'];
  if (schema['type'] !== 'object' && !isJsonObject(properties))
    return formOf({ type: 'object', properties: { answer: schema }, required: ['answer'] });
  const asText: string[] = [];
  const members = Object.entries(isJsonObject(properties) ? properties : {}).map(([name, member]): [string, Json] => {
    const plain = plainMember(member);
    if (plain !== undefined) return [name, plain];
    asText.push(name);
    return [name, asJsonText(member)];
  });
  const names = new Set(members.map(([name]) => name));
  const required = Array.isArray(schema['required']) ? schema['required'].filter((name) => names.has(String(name))) : [];
  return {
    schema: { type: 'object', properties: Object.fromEntries(members), ...(required.length > 0 && { required }) },
    asText,
  };
}

/** A member as a form may have it; `undefined` where it is not plain. */
function plainMember(member: Json): JsonObject | undefined {
  if (!isJsonObject(member)) return undefined;
  const choices = member['enum'];
  if (Array.isArray(choices) && choices.every((choice) => typeof choice === 'string')) {
    return kept({ ...member, type: 'string' }, KEYWORDS['string'] as readonly string[]);
  }
  const type = member['type'];
  if (type === 'array') return choiceOfSeveral(member);
  const keywords = typeof type === 'string' && choices === undefined ? KEYWORDS[type] : undefined;
  if (keywords === undefined) return undefined;
  const plain = kept(member, keywords);
  const { format, ...rest } = plain;
  return format === undefined || FORMATS.includes(format) ? plain : rest;
}

/** Several of a fixed list of texts. */
function choiceOfSeveral(member: JsonObject): JsonObject | undefined {
  const items = member['items'];
  const choices = isJsonObject(items) ? choicesOf(items) : [];
  if (!isJsonObject(items) || choices.length === 0 || !choices.every((choice) => typeof choice === 'string')) return undefined;
  return { ...kept(member, [...COMMON, 'minItems', 'maxItems']), items: kept(items, ['type', 'enum', 'anyOf']) };
}

/** The values of a choice, however it is written. */
function choicesOf(member: JsonObject): readonly Json[] {
  const titled = valuesOf(member['oneOf'] ?? member['anyOf']);
  return [
    ...valuesOf(member['enum']),
    ...titled.flatMap((choice) => (isJsonObject(choice) && choice['const'] !== undefined ? [choice['const']] : [])),
  ];
}

const kept = (member: JsonObject, keywords: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(member).filter(([name]) => keywords.includes(name)));

function asJsonText(member: Json): JsonObject {
  const { title, description } = isJsonObject(member) ? member : {};
  const said = typeof description === 'string' && description !== '' ? `${description} ` : '';
  return { type: 'string', ...(typeof title === 'string' && { title }), description: `${said}As JSON text.` };
}

/** What keeps an answer from being one; empty: fit to send. */
export function faultsOfAnswer({ schema, asText }: Form, content: JsonObject): readonly FormFault[] {
  const properties = schema['properties'] as JsonObject;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const missing = required
    .filter((name) => !Object.hasOwn(content, String(name)))
    .map((name): FormFault => ({ pointer: `/${name}`, message: 'is missing' }));
  const wrong = Object.entries(content).flatMap(([name, value]): FormFault[] => {
    const member = properties[name];
    const fault = isJsonObject(member) ? faultOf(value, member, asText.includes(name)) : 'is not asked for';
    return fault === undefined ? [] : [{ pointer: `/${name}`, message: fault }];
  });
  return [...missing, ...wrong];
}

function faultOf(value: Json, member: JsonObject, isJsonText: boolean): string | undefined {
  switch (member['type']) {
    case 'string':
      if (typeof value !== 'string') return 'must be text';
      if (isJsonText) return tryParseJson(value) === undefined ? 'must be JSON text' : undefined;
      return faultOfText(value, member);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'array': {
      const choices = choicesOf(member['items'] as JsonObject);
      return Array.isArray(value) && value.every((one) => choices.includes(one))
        ? undefined
        : `must be some of ${said(choices)}`;
    }
    default:
      return faultOfNumber(value, member);
  }
}

function faultOfText(value: string, member: JsonObject): string | undefined {
  const choices = choicesOf(member);
  if (choices.length > 0 && !choices.includes(value)) return `must be one of ${said(choices)}`;
  const { length } = [...value];
  if (length < numberIn(member, 'minLength', 0)) return `must have at least ${member['minLength']} characters`;
  return length > numberIn(member, 'maxLength', Infinity) ? `must have at most ${member['maxLength']} characters` : undefined;
}

function faultOfNumber(value: Json, member: JsonObject): string | undefined {
  const number = isRawNumber(value) ? Number(value.rawJSON) : value;
  if (typeof number !== 'number') return 'must be a number';
  if (member['type'] === 'integer' && !Number.isInteger(number)) return 'must be a whole number';
  if (number < numberIn(member, 'minimum', -Infinity)) return `must be at least ${member['minimum']}`;
  return number > numberIn(member, 'maximum', Infinity) ? `must be at most ${member['maximum']}` : undefined;
}

const numberIn = (member: JsonObject, name: string, otherwise: number): number => {
  const value = member[name];
  return typeof value === 'number' ? value : otherwise;
};
const valuesOf = (values: Json | undefined): readonly Json[] => (Array.isArray(values) ? values : []);
const said = (choices: readonly Json[]): string => choices.map(String).join(', ');

/** The value that an answer stands for: what was asked for as JSON text is read. */
export const answerValueOf = ({ asText }: Form, content: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(content).map(([name, value]) => [
      name,
      asText.includes(name) && typeof value === 'string' ? (tryParseJson(value) ?? value) : value,
    ]),
  );
