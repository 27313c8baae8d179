// Steps that bring data: the argument of the tool that is such a step's body.

import { isJsonType, isTextType, renderBody } from '../core/body.ts';
import type { JobDescription, StepRequest } from '../core/description.ts';
import type { JsonObject } from '../core/json.ts';
import type { BodyBinding } from '../core/request.ts';
import type { Fault } from '../errors.ts';
import type { Argument } from './arguments.ts';
import { preferred } from './bodies.ts';
import type { RequestContext } from './context.ts';
import { bodyOf, type Content, parametersOf } from './operations.ts';
import { fileArgument } from './parts.ts';
import { named } from './source.ts';
import type { Neighbours } from './standard.ts';

/** The arguments that steps have; the submit's own of the same names are those. */
export function stepArguments(
  { submit }: JobDescription,
  context: RequestContext,
  neighbours: Neighbours,
): readonly Argument[] {
  const arguments_ = new Map<string, Argument>();
  for (const step of submit?.steps ?? []) {
    if (step.argument === undefined || arguments_.has(step.argument)) continue;
    const schema = schemaOf(step, context, neighbours);
    arguments_.set(step.argument, { place: 'body', name: step.argument, required: step.optional !== true, schema });
  }
  return [...arguments_.values()];
}

function schemaOf(step: StepRequest, context: RequestContext, neighbours: Neighbours): JsonObject {
  const content = contentOf(step, context, neighbours);
  const mediaType = step.mediaType ?? content?.mediaType ?? '';
  const said = content?.schema === undefined ? {} : context.schemas.convert(content.schema, 'input');
  if (isJsonType(mediaType)) return said;
  const about = { description: said['description'] ?? 'The data of the job.' };
  return isTextType(mediaType)
    ? { type: 'string', description: `${String(about.description)} As ${mediaType}.` }
    : fileArgument({ ...said, ...about });
}

/** What is wrong with the arguments that steps take as their bodies: a step must not fail for that after the job was created. */
export function stepFaults(bodies: readonly BodyBinding[], args: JsonObject): readonly Fault[] {
  return bodies.flatMap((binding) => {
    const rendered = renderBody(binding, args, []);
    const argument = binding.from.kind === 'member' ? binding.from.argument : '';
    return rendered !== undefined && 'wrong' in rendered ? [{ pointer: `/${argument}`, message: rendered.wrong }] : [];
  });
}

/** What the operation of a step says of its body, in the media type that is sent. */
function contentOf(step: StepRequest, { document, resolve }: RequestContext, neighbours: Neighbours): Content | undefined {
  const operation = step.operation === undefined ? undefined : named(step.operation, neighbours);
  if (operation === undefined) return undefined;
  const content = bodyOf(document, operation, parametersOf(operation, resolve), resolve)?.content ?? [];
  return content.find(({ mediaType }) => mediaType === step.mediaType) ?? preferred(content);
}
