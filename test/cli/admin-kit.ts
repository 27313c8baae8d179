// A group of commands for operators as commander runs it, with a configuration that names a gateway under test.

import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import type { AdminPorts, ConfigOption } from '../../src/cli/admin-command.ts';
import { DOCUMENT, directory } from '../config/files.ts';
import { TOKEN } from '../http/admin-kit.ts';

export interface Ran {
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a command of the group is run: `words` as an operator types them behind its name. */
export function runnerOf(
  group: string,
  register: (program: Command, configOption: ConfigOption, ports: AdminPorts) => void,
): (
  origin: string,
  words: readonly string[],
  more?: { readonly env?: Record<string, string>; readonly admin?: string },
) => Promise<Ran> {
  return async (origin, words, more = {}) => {
    const { env = { ADMIN: TOKEN, USER: 'ada' }, admin = 'admin: {token: {env: ADMIN}}\n' } = more;
    const listen = new URL(origin).host;
    const text = `server: {listen: "${listen}"}\n${admin}upstreams: {billing: {document: api.yaml, credentials: {k: {env: UNSET}}}}\n`;
    await using place = await directory({ ...DOCUMENT, 'longshore.yaml': text });
    let code: number | undefined;
    const printed = { stdout: '', stderr: '' };
    const stdout = (said: string) => {
      printed.stdout += said;
    };
    const stderr = (said: string) => {
      printed.stderr += said;
    };
    const program = new Command('longshore').exitOverride().configureOutput({ writeOut: stdout, writeErr: stderr });
    register(program, ['-c, --config <file>', 'configuration file'], {
      env,
      terminal: { stdout, stderr, columns: 120, colours: false, live: false },
      finish: (given) => {
        code = given;
      },
    });
    try {
      await program.parseAsync([group, ...words, '--config', join(place.path, 'longshore.yaml')], { from: 'user' });
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      code = 2;
    }
    const clean = (said: string) => said.replaceAll(place.path, '…');
    return { code, stdout: clean(printed.stdout), stderr: clean(printed.stderr) };
  };
}
