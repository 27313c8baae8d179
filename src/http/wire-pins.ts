// The installed SDK's wire schemas, digested: what specs/mcp/ pins for each contract. The SDK exports one set of schemas for all
// versions; each contract names those that its messages are made of.

import { createHash } from 'node:crypto';
import { specTypeSchemas } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { ABSENT, type Digests } from '../contracts/contract.ts';
import { canonicalJson, type Json } from '../core/json.ts';

/** Schemas by name, as the installed SDK has them. */
export const installedDigests = (names: readonly string[]): Digests =>
  digestsOf(names, specTypeSchemas as unknown as Readonly<Record<string, z.ZodType | undefined>>);

/** Of the schemas that are named; one that `known` does not have is {@link ABSENT}. */
export function digestsOf(names: readonly string[], known: Readonly<Record<string, z.ZodType | undefined>>): Digests {
  const schemas = Object.fromEntries(
    [...names].sort().map((name) => {
      const schema = known[name];
      // `any`: what JSON Schema can't say of a message is checked by nothing of ours either.
      const shape = schema && z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
      return [name, shape === undefined ? ABSENT : digest(shape as Json)];
    }),
  );
  return { schemas, digest: digest(schemas) };
}

const digest = (value: Json): string => `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`;
