// The published JSON Schema of `x-longshore`, made from the schema that reads it, for editors of overlays.

import { z } from 'zod';
import { X_LONGSHORE } from '../src/catalogue/x-longshore/schema.ts';

/** Where it is published. */
export const EXTENSION_FILE = 'schema/x-longshore.json';

/** The text of the file. Draft 7 is what the YAML language server understands best. */
export function generateExtension(): string {
  const { $schema, ...schema } = z.toJSONSchema(X_LONGSHORE, { io: 'input', target: 'draft-7' });
  const description = 'How an asynchronous operation of an OpenAPI document is started, followed, fetched and cancelled.';
  return `${JSON.stringify({ $schema, title: 'x-longshore', description, ...schema }, null, 2)}\n`;
}
