// What the admin API's routers share: pages, their parameters, and how an answer is written.

import type { Request, Response } from 'express';
import { type Json, stringifyJson } from '../core/json.ts';
import { Unfit } from './problem.ts';

export const PAGE_DEFAULT = 50;
export const PAGE_MAX = 500;

/** The named parameters, each a positive whole number; any other is refused. */
export function numbersOf<T extends string>(query: Request['query'], known: readonly T[]): { readonly [name in T]?: number } {
  const entries = Object.entries(query).map(([name, value]): [string, number] => {
    if (!(known as readonly string[]).includes(name)) throw new Unfit(`There is no parameter ${name} here.`);
    if (typeof value !== 'string' || !/^[1-9]\d{0,14}$/.test(value))
      throw new Unfit(`${name} must be a positive whole number.`);
    return [name, Number(value)];
  });
  return Object.fromEntries(entries) as { readonly [name in T]?: number };
}

export function send(response: Response, value: object): void {
  response.type('json').send(stringifyJson(value as Json));
}
