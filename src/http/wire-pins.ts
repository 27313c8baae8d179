// The installed SDK's wire schemas, digested for each contract: what specs/mcp/ pins. The SDK exports one set of schemas for all
// versions; each contract names those that its messages are made of. The messages of the Tasks extension are not among them: the SDK
// does not know it, and Longshore writes them itself.

import { createHash } from 'node:crypto';
import { specTypeSchemas } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Digests } from '../contracts/pins.ts';
import type { ContractId } from '../core/ids.ts';
import { canonicalJson, type Json } from '../core/json.ts';

const COMMON = [
  'CallToolRequest',
  'CallToolResult',
  'ContentBlock',
  'ListToolsResult',
  'ProgressNotification',
  'Tool',
] as const;

/** The schemas that each contract's messages are made of. */
const NAMES: Readonly<Partial<Record<ContractId, readonly string[]>>> = {
  '2025-11-25': [
    ...COMMON,
    'CancelTaskRequest',
    'CancelTaskResult',
    'CreateTaskResult',
    'ElicitRequest',
    'ElicitResult',
    'GetTaskPayloadRequest',
    'GetTaskRequest',
    'GetTaskResult',
    'InitializeRequest',
    'InitializeResult',
    'ListTasksRequest',
    'ListTasksResult',
    'RelatedTaskMetadata',
    'Task',
    'TaskMetadata',
    'TaskStatusNotification',
    'ToolExecution',
  ],
  '2026-07-28': [
    ...COMMON,
    'ClientCapabilities',
    'DiscoverRequest',
    'DiscoverResult',
    'ElicitRequest',
    'ElicitResult',
    'RequestMeta',
    'ServerCapabilities',
    'SubscriptionFilter',
    'SubscriptionsAcknowledgedNotification',
    'SubscriptionsListenRequest',
    'SubscriptionsListenResult',
  ],
};

/** A contract as the installed SDK has it. `undefined` for one of which the SDK has nothing. */
export function installedDigests(contract: ContractId): Digests | undefined {
  const names = NAMES[contract];
  if (names === undefined) return undefined;
  const known = specTypeSchemas as unknown as Readonly<Record<string, z.ZodType | undefined>>;
  const schemas = Object.fromEntries(
    [...names].sort().map((name) => {
      const schema = known[name];
      // `any`: what JSON Schema can't say of a message is checked by nothing of ours either.
      const shape = schema && z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
      return [name, shape === undefined ? 'absent' : digest(shape as Json)];
    }),
  );
  return { schemas, digest: digest(schemas) };
}

const digest = (value: Json): string => `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`;
