// Commands that ask the admin API of a running gateway: the options that all of them take, and how an answer becomes output.
//   Answers go to standard output, as text or with --json as the API's own JSON; why there is none goes to standard error.

import type { Command } from 'commander';
import type { Environment } from '../config/environment.ts';
import { loadConfig } from '../config/load.ts';
import { type JsonObject, stringifyJson } from '../core/json.ts';
import { type AdminClient, type Answer, adminClient } from './admin-client.ts';
import type { Terminal } from './terminal.ts';

export type ConfigOption = readonly [flags: string, description: string];

/** Options that every one of these commands takes. */
export interface Common {
  readonly config?: string;
  readonly url?: string;
  readonly json?: true;
}

export interface AdminPorts {
  readonly env: Environment;
  readonly terminal: Terminal;
  readonly finish: (code: 0 | 1 | 2) => void;
}

export interface AdminCommands {
  /** A command of the group, with the common options. */
  command(usage: string, description: string): Command;
  /** Asks, prints what came, and finishes: with 0 where `isWell` holds of an answer, else with 1. */
  run(
    options: Common,
    ask: (client: AdminClient) => Promise<Answer>,
    text: (value: JsonObject) => string,
    isWell?: (value: JsonObject) => boolean,
  ): Promise<void>;
}

export function adminCommands(
  group: Command,
  configOption: ConfigOption,
  { env, terminal, finish }: AdminPorts,
): AdminCommands {
  return {
    command: (usage, description) =>
      group
        .command(usage)
        .description(description)
        .option(...configOption)
        .option('-u, --url <url>', 'where the gateway is (default: where the configuration listens)')
        .option('--json', 'print the admin API’s JSON')
        .addHelpText('after', '\nExit code: 0 done, 1 refused, not found or no gateway, 2 not asked properly'),

    async run({ config, url, json }, ask, text, isWell = () => true) {
      const client = adminClient(await loadConfig({ file: config, env, secrets: 'optional' }), url);
      const answer: Answer = 'why' in client ? { kind: 'failed', why: client.why } : await ask(client);
      if (answer.kind === 'answer') {
        terminal.stdout(json === true ? `${stringifyJson(answer.value)}\n` : text(answer.value));
        return finish(isWell(answer.value) ? 0 : 1);
      }
      if (json === true && answer.problem !== undefined) terminal.stdout(`${stringifyJson(answer.problem)}\n`);
      terminal.stderr(`${answer.why}\n`);
      finish(1);
    },
  };
}

/** The rows of a list that the admin API gave. */
export const itemsOf = <T>(value: JsonObject): readonly T[] => (value as unknown as { readonly items: readonly T[] }).items;
