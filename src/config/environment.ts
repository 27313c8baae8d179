// The process's environment: the only file that reads it. Everything else is handed an Environment.

/** Variables by name. An empty variable counts as not set: that is what an unset variable of a container file becomes. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A copy, so that nothing which changes the environment later changes what was configured. */
export const processEnvironment = (): Environment => ({ ...process.env });

/** Where the configuration is when no file is named on the command line. */
export const FILE_VARIABLE = 'LONGSHORE_CONFIG';
export const FILE_DEFAULT = 'longshore.yaml';

/** Variables that win over the file, each with the member that it sets. */
export const OVERRIDES: readonly { readonly variable: string; readonly path: readonly [string, ...string[]] }[] = [
  { variable: 'LONGSHORE_LISTEN', path: ['server', 'listen'] },
  { variable: 'LONGSHORE_PUBLIC_URL', path: ['server', 'publicUrl'] },
  { variable: 'LONGSHORE_LEDGER', path: ['ledger'] },
  { variable: 'LONGSHORE_LOG_LEVEL', path: ['log', 'level'] },
];

export function variable(env: Environment, name: string): string | undefined {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  return value === '' ? undefined : value;
}
