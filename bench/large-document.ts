// A document of about three megabytes, the same at every run: many operations over records of many kinds, written as people write them.

const KINDS = 380;
const MEMBERS = 24;
const WORDS =
  'amount owner region state label window budget channel policy version source target quota parent shape margin'.split(' ');

const word = (index: number): string => WORDS[index % WORDS.length] as string;
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** A member whose type follows from its place. */
function member(kind: number, index: number): object {
  const description = `The ${word(kind + index)} of the record, as agreed with the ${word(kind * 7 + index)} that it belongs to. It is kept until the record is removed.`;
  if (index % 8 === 3) return { type: 'array', items: { type: 'string' }, description };
  if (index % 8 === 5) return { type: 'integer', format: 'int64', minimum: 0, description };
  if (index % 12 === 7) return ref(`Part${(kind * 3 + index) % KINDS}`);
  if (index % 8 === 6) return { type: 'string', enum: [word(index), word(index + 1), word(index + 2)], description };
  return { type: 'string', nullable: index % 4 === 0, description, example: `${word(kind)}-${index}` };
}

const members = (kind: number, count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${word(kind + index)}${index}`, member(kind, index)]));

/** The paths of the ten operations that are selected. */
export const SELECTED: readonly string[] = Array.from({ length: 10 }, (_, index) => `/records${index * 37}`);

export function largeDocument(server: string): string {
  const paths: Record<string, object> = {};
  const schemas: Record<string, object> = {};
  for (let kind = 0; kind < KINDS; kind += 1) {
    schemas[`Record${kind}`] = { type: 'object', required: [`${word(kind)}0`], properties: members(kind, MEMBERS) };
    schemas[`Part${kind}`] = { type: 'object', properties: members(kind + 5, 6) };
    const json = { 'application/json': { schema: ref(`Record${kind}`) } };
    const responses = { 200: { description: 'The record.', content: json } };
    const id = { name: 'id', in: 'path', required: true, description: 'Which record.', schema: { type: 'string' } };
    const about = `It has a ${word(kind)} and a ${word(kind + 3)}, and is kept for as long as both are. `.repeat(3);
    paths[`/records${kind}`] = {
      post: {
        operationId: `addRecord${kind}`,
        summary: `Add a record of kind ${kind}`,
        description: about,
        requestBody: { required: true, content: json },
        responses,
      },
    };
    paths[`/records${kind}/{id}`] = {
      get: {
        operationId: `getRecord${kind}`,
        summary: `Get a record of kind ${kind}`,
        description: about,
        parameters: [id],
        responses,
      },
      put: {
        operationId: `putRecord${kind}`,
        summary: `Replace a record of kind ${kind}`,
        description: about,
        parameters: [id],
        requestBody: { required: true, content: json },
        responses,
      },
    };
  }
  return JSON.stringify(
    { openapi: '3.0.3', info: { title: 'Records', version: '1' }, servers: [{ url: server }], paths, components: { schemas } },
    null,
    1,
  );
}
