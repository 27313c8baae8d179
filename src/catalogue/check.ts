// Checking arguments and answers against a tool's schemas.
//   K1. A validator is compiled at its first use, once, and Ajv is loaded with the first: a start takes neither.
//   K2. A fault names the argument, what was expected, and never repeats the value, which may be a secret.

import { createRequire } from 'node:module';
import type { ErrorObject, ValidateFunction } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { type Json, type JsonObject, plainJson } from '../core/json.ts';
import type { Fault } from '../errors.ts';
import { pointerOf } from './pointer.ts';

const FAULTS_MAX = 10;

export interface Checker {
  /** `check` of a tool: every fault of its arguments. */
  argumentCheck(schema: JsonObject): (args: JsonObject) => readonly Fault[];
  /** `misfit` of a tool: why an answer does not fit its schema. */
  answerMisfit(schema: JsonObject | undefined): (value: Json) => string | undefined;
}

// A check is no promise, so what it needs can't be imported when it is needed, only required.
const require = createRequire(import.meta.url);

function createAjv(): Ajv2020 {
  const { Ajv2020: Validator } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const { default: formatsOf } = require('ajv-formats') as typeof import('ajv-formats');
  const ajv = new Validator({
    strict: false,
    allErrors: true,
    logger: false,
    addUsedSchema: false,
    validateSchema: false,
    inlineRefs: false,
  });
  (formatsOf as unknown as (ajv: Ajv2020) => void)(ajv);
  return ajv;
}

/** One for each compilation of an upstream: its validators go when its tools go. */
export function createChecker(): Checker {
  let ajv: Ajv2020 | undefined;

  /** The validator, compiled once; a schema that can't be is the same fault at every use. */
  const lazy = (schema: JsonObject): (() => ValidateFunction | Error) => {
    let made: ValidateFunction | Error | undefined;
    return () => {
      if (made !== undefined) return made;
      try {
        ajv ??= createAjv();
        made = ajv.compile(schema);
      } catch (error) {
        made = error instanceof Error ? error : new Error(String(error));
      }
      return made;
    };
  };

  return {
    argumentCheck: (schema) => {
      const validator = lazy(schema);
      const names = Object.keys((schema['properties'] ?? {}) as object);
      return (args) => {
        const validate = validator();
        if (validate instanceof Error) return [{ pointer: '', message: `the arguments can't be checked: ${validate.message}` }];
        return faultsOf(validate, plainJson(args), names);
      };
    },
    answerMisfit: (schema) => {
      if (schema === undefined) return () => undefined;
      const validator = lazy(schema);
      return (value) => {
        const validate = validator();
        if (validate instanceof Error) return `the answer can't be checked: ${validate.message}`;
        if (validate(plainJson(value))) return undefined;
        const [error] = validate.errors ?? [];
        const subject = error === undefined || error.instancePath === '' ? 'the answer' : error.instancePath;
        return `${subject} ${error?.message ?? 'does not fit'}`;
      };
    },
  };
}

function faultsOf(validate: ValidateFunction, value: unknown, names: readonly string[]): readonly Fault[] {
  if (validate(value)) return [];
  const errors = validate.errors ?? [];
  const mistyped = new Set(errors.filter(({ keyword }) => keyword === 'type').map(({ instancePath }) => instancePath));
  const faults = new Map<string, Fault>();
  for (const error of errors) {
    // A composed schema's own error says less than those of its branches, and a format's less than a type's.
    if (errors.length > 1 && ['if', 'anyOf', 'oneOf'].includes(error.keyword)) continue;
    if (error.keyword === 'format' && mistyped.has(error.instancePath)) continue;
    const fault = faultOf(error, names);
    faults.set(`${fault.pointer} ${fault.message}`, fault);
  }
  const all = [...faults.values()];
  return all.length > 0 ? all.slice(0, FAULTS_MAX) : [{ pointer: '', message: 'does not fit the input schema' }];
}

function faultOf(error: ErrorObject, names: readonly string[]): Fault {
  const { keyword, instancePath, params } = error as ErrorObject<string, Record<string, unknown>>;
  const below = (name: unknown) => `${instancePath}${pointerOf([String(name)])}`;
  const said = (pointer: string, message: string, mend?: string): Fault => {
    const argument = pointer.split('/')[1];
    const subject =
      argument === undefined ? 'the arguments' : `"${pointer.slice(1).replaceAll('~1', '/').replaceAll('~0', '~')}"`;
    return { pointer, message: `${subject} ${message}`, ...(mend === undefined ? {} : { mend }) };
  };
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
      return said(below(params['missingProperty']), 'is required');
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return said(
        below(params['additionalProperty'] ?? params['unevaluatedProperty']),
        'is not known',
        instancePath === ''
          ? names.length === 0
            ? 'there are no arguments'
            : `arguments are: ${names.join(', ')}`
          : undefined,
      );
    case 'enum':
      return said(instancePath, `must be one of ${listed(params['allowedValues'])}`);
    case 'const':
      return said(instancePath, `must be ${listed([params['allowedValue']])}`);
    case 'type':
      return said(instancePath, `must be ${[params['type']].flat().join(' or ')}`);
    case 'not':
      return said(instancePath, 'has a value that is not allowed');
    default:
      return said(instancePath, error.message ?? `breaks "${keyword}"`);
  }
}

function listed(values: unknown): string {
  const all = Array.isArray(values) ? values : [];
  return `${all
    .slice(0, 20)
    .map((value) => JSON.stringify(value))
    .join(', ')}${all.length > 20 ? ', …' : ''}`;
}
