// `longshore gates list|set|history|shadows`: which calls may start operations, over the admin API of a running gateway.
//
//   Answers go to standard output, as text or with --json as the admin API's own JSON; why there is none goes to standard error.
//   Exit code 0: done.   1: refused, or no gateway.   2: not asked properly.

import { type Command, InvalidArgumentError, Option } from 'commander';
import { variable } from '../config/environment.ts';
import type { GateShown, ShadowShown } from '../core/gate-view.ts';
import { GATE_MODES } from '../core/gates.ts';
import type { JsonObject } from '../core/json.ts';
import { type AdminPorts, adminCommands, type Common, type ConfigOption, itemsOf } from './admin-command.ts';
import { changeText, historyText, listText, shadowsText } from './gates-text.ts';
import { painter } from './terminal.ts';

interface SetFlags extends Common {
  readonly upstream?: string;
  readonly tool?: string;
  readonly share?: number;
  readonly reason: string;
  readonly actor?: string;
}

export function registerGates(program: Command, configOption: ConfigOption, ports: AdminPorts): void {
  const { env, terminal, finish } = ports;
  const paint = painter(terminal);
  const group = program
    .command('gates')
    .description('which calls may start operations, by adapter and contract; what was started goes on whatever they say')
    .addHelpText(
      'after',
      [
        '',
        'Modes:     open: taken   canary: a share runs as tasks   shadow: answered as without Tasks, tracked beside   drain: refused',
        '',
        'Examples:  longshore gates list',
        '           longshore gates set http-202@1 2025-11-25 drain --reason "the contract changed"',
        '           longshore gates set http-202@1 2026-07-28 canary --share 0.1 --upstream billing --reason "trying it"',
      ].join('\n'),
    );

  const { command, run } = adminCommands(group, configOption, ports);

  command('list', 'every adapter × contract, what is narrower, and how much lives under each').action(
    async (options: Common) => {
      await run(
        options,
        (client) => client.get('/gates'),
        (value) => listText(itemsOf<GateShown>(value), paint),
      );
    },
  );

  command(
    'set <adapter> <contract> <mode>',
    'change a gate; the actor and the reason are recorded, and callers are told the reason',
  )
    .option('--upstream <name>', 'for this upstream alone')
    .option('--tool <name>', 'for this tool alone')
    .option('--share <number>', 'with canary: the share of calls that run as tasks, from 0 to 1', shareOf)
    .requiredOption('--reason <text>', 'why')
    .option('--actor <name>', 'who you are (default: your user name)')
    .action(async (adapter: string, contract: string, mode: string, options: SetFlags) => {
      const { upstream, tool, share, reason } = options;
      const actor = options.actor ?? variable(env, 'USER') ?? variable(env, 'USERNAME');
      const asked =
        actor === undefined
          ? 'Nobody is named: say who you are with --actor.'
          : (GATE_MODES as readonly string[]).includes(mode)
            ? undefined
            : `There is no mode ${mode}; there are ${GATE_MODES.join(', ')}.`;
      if (actor === undefined || asked !== undefined) {
        terminal.stderr(`${asked}\n`);
        return finish(2);
      }
      const body: JsonObject = {
        adapter,
        contract,
        mode,
        actor,
        reason,
        ...(upstream !== undefined && { upstream }),
        ...(tool !== undefined && { tool }),
        ...(share !== undefined && { share }),
      };
      await run(
        options,
        (client) => client.post('/gates', body),
        (value) => changeText((value as unknown as { readonly gate: GateShown }).gate, paint),
      );
    });

  command('history', 'every change of a gate, newest first')
    .addOption(new Option('-n, --limit <number>', 'at most so many, up to 500 (default: 50)'))
    .option('--before <epoch>', 'go on where an earlier history ended')
    .action(async (options: Common & { readonly limit?: string; readonly before?: string }) => {
      const { limit, before } = options;
      await run(
        options,
        (client) => client.get('/gates/history', { limit, before }),
        (value) => historyText(itemsOf<GateShown>(value), paint),
      );
    });

  command('shadows', 'what callers were answered in shadow, and what their operations came to')
    .addOption(new Option('-n, --limit <number>', 'at most so many, up to 500 (default: 50)'))
    .action(async (options: Common & { readonly limit?: string }) => {
      await run(
        options,
        (client) => client.get('/gates/shadows', { limit: options.limit }),
        (value) => shadowsText(itemsOf<ShadowShown>(value), paint),
      );
    });
}

function shareOf(text: string): number {
  const share = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (share >= 0 && share <= 1) return share;
  throw new InvalidArgumentError('Write a number from 0 to 1, such as 0.1.');
}
