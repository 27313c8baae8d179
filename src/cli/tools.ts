// `longshore tools list|moves`: what tools say about Tasks, over the admin API of a running gateway.
//
//   Answers go to standard output, as text or with --json as the admin API's own JSON; why there is none goes to standard error.
//   Exit code 0: done.   1: refused, or no gateway.   2: not asked properly.

import { type Command, Option } from 'commander';
import type { MoveShown, SupportShown } from '../core/support-view.ts';
import { type AdminPorts, adminCommands, type Common, type ConfigOption, itemsOf } from './admin-command.ts';
import { painter } from './terminal.ts';
import { movesText, toolsText } from './tools-text.ts';

export function registerTools(program: Command, configOption: ConfigOption, ports: AdminPorts): void {
  const paint = painter(ports.terminal);
  const group = program.command('tools').description('what tools say about Tasks, and what measured durations have moved');
  const { command, run } = adminCommands(group, configOption, ports);

  command('list', 'every job: what it says about Tasks, how long its jobs took, and why').action(async (options: Common) => {
    await run(
      options,
      (client) => client.get('/tools'),
      (value) => toolsText(itemsOf<SupportShown>(value), paint),
    );
  });

  command('moves', 'every move by measured durations, newest first')
    .addOption(new Option('-n, --limit <number>', 'at most so many, up to 500 (default: 50)'))
    .option('--before <position>', 'go on where an earlier list ended')
    .action(async (options: Common & { readonly limit?: string; readonly before?: string }) => {
      const { limit, before } = options;
      await run(
        options,
        (client) => client.get('/tools/moves', { limit, before }),
        (value) => movesText(itemsOf<MoveShown>(value), paint),
      );
    });
}
