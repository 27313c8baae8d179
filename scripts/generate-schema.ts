// The published JSON Schema of longshore.yaml, made from the schema that reads it, so that editors and `check` agree.

import { z } from 'zod';
import { configSchema } from '../src/config/schema.ts';

/** Where it is published. */
export const SCHEMA_FILE = 'schema/longshore.json';

/** The text of the file. Draft 7 is what the YAML language server understands best. */
export function generateSchema(): string {
  const { $schema, ...schema } = z.toJSONSchema(configSchema, { io: 'input', target: 'draft-7' });
  const head = { $schema, title: 'Longshore', description: 'Configuration of the Longshore gateway, longshore.yaml.' };
  return `${JSON.stringify({ ...head, ...schema }, null, 2)}\n`;
}
