// Which operations of a document are offered, by the patterns of the configuration.

export interface Selectable {
  readonly operationId?: string;
  readonly method: string;
  readonly path: string;
  readonly tags: readonly string[];
}

/** Whether an operation is meant by a pattern: operationId, `METHOD /path`, or tag; `*` stands for any characters. */
export function isMeant(pattern: string, operation: Selectable): boolean {
  const expression = new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`);
  const line = `${operation.method} ${operation.path}`;
  const names = [operation.operationId, line, `${operation.method.toLowerCase()} ${operation.path}`, ...operation.tags];
  return names.some((name) => name !== undefined && expression.test(name));
}

/** `undefined` where the operation is offered, else the reason it is not. */
export function excludedBy(
  tools: { readonly include: readonly string[]; readonly exclude: readonly string[] },
  operation: Selectable,
): string | undefined {
  const out = tools.exclude.find((pattern) => isMeant(pattern, operation));
  if (out !== undefined) return `excluded by the pattern "${out}"`;
  if (tools.include.length === 0 || tools.include.some((pattern) => isMeant(pattern, operation))) return undefined;
  return 'included by no pattern';
}
