// `longshore operations list|show|cancel|settle|trace`: the operator's side, over the admin API of a running gateway.
//
//   Answers go to standard output, as text or with --json as the admin API's own JSON; why there is none goes to standard error.
//   Exit code 0: done.   1: refused, not found, a trace that does not fit, or no gateway.   2: not asked properly.

import { type Command, InvalidArgumentError, Option } from 'commander';
import { variable } from '../config/environment.ts';
import { DOORS } from '../contracts/index.ts';
import { STATE_WORDS } from '../core/facets.ts';
import { type Json, type JsonObject, tryParseJson } from '../core/json.ts';
import type { OperationShown, OperationSummary, TraceShown } from '../core/operator-view.ts';
import { type AdminPorts, adminCommands, type Common, type ConfigOption } from './admin-command.ts';
import { listText, showText, traceText } from './operations-text.ts';
import { painter } from './terminal.ts';

interface ListFlags extends Common {
  readonly state?: string;
  readonly upstream?: string;
  readonly tool?: string;
  readonly principal?: string;
  readonly contract?: string;
  readonly limit?: string;
  readonly cursor?: string;
}

interface ActFlags extends Common {
  readonly reason: string;
  readonly actor?: string;
}

interface SettleFlags extends ActFlags {
  readonly found?: string;
  readonly never?: true;
  readonly result?: string;
  readonly value?: Json;
  readonly giveUp?: true;
  readonly effects?: string;
}

export function registerOperations(program: Command, configOption: ConfigOption, ports: AdminPorts): void {
  const { env, terminal, finish } = ports;
  const paint = painter(terminal);
  const group = program
    .command('operations')
    .description('what operators see and do: operations in doubt, their history, and settling them')
    .addHelpText(
      'after',
      '\nAt 3 a.m.:  longshore operations list --state needs-reconciliation\n            longshore operations show op_…',
    );

  const { command, run } = adminCommands(group, configOption, ports);

  const operator = ({ actor }: ActFlags): string => actor ?? variable(env, 'USER') ?? variable(env, 'USERNAME') ?? '';

  /** Who and why; a sentence where nobody is named. */
  const wordOf = (flags: ActFlags): { readonly actor: string; readonly reason: string } | undefined => {
    const actor = operator(flags);
    if (actor !== '') return { actor, reason: flags.reason };
    terminal.stderr('Nobody is named: say who you are with --actor.\n');
    finish(2);
    return undefined;
  };

  command('list', 'operations, newest first')
    .addOption(
      new Option('-s, --state <words>', `one or more of ${STATE_WORDS.join(', ')}, with commas between`).argParser(stateWords),
    )
    .option('--upstream <name>', 'of this upstream')
    .option('--tool <name>', 'of this tool')
    .option('--principal <name>', 'called by this principal')
    .addOption(new Option('--contract <version>', 'called through this contract').choices(DOORS))
    .option('-n, --limit <number>', 'at most so many, up to 500 (default: 50)')
    .option('--cursor <cursor>', 'go on where an earlier list ended')
    .action(async ({ config, url, json, ...filter }: ListFlags) => {
      const options = { ...(config !== undefined && { config }), ...(url !== undefined && { url }), ...(json && { json }) };
      await run(
        options,
        (client) => client.get('/operations', { ...filter }),
        (value) => {
          const { items, nextCursor } = value as unknown as { items: readonly OperationSummary[]; nextCursor?: string };
          if (nextCursor !== undefined) terminal.stderr(`There are more: --cursor ${nextCursor}\n`);
          return listText(items, paint);
        },
      );
    });

  command('show <operation>', 'everything about one operation: how it stands, every event, what is due').action(
    async (id: string, options: Common) => {
      await run(
        options,
        (client) => client.get(`/operations/${encodeURIComponent(id)}`),
        (value) => showText(value as unknown as OperationShown, paint, given(options)),
      );
    },
  );

  command('cancel <operation>', 'ask the upstream to stop; the job may still complete')
    .requiredOption('-r, --reason <text>', 'why; recorded')
    .option('--actor <name>', 'who; recorded (default: $USER)')
    .action(async (id: string, options: ActFlags) => {
      const word = wordOf(options);
      if (word === undefined) return;
      await run(
        options,
        (client) => client.post(`/operations/${encodeURIComponent(id)}/cancel`, word),
        (value) => `Cancel recorded. ${standing(value)}\n`,
      );
    });

  command('settle <operation>', 'say what became of a job that the gateway can’t find out about')
    .option('--found <job>', 'the upstream has it: its id or its status URL; it is followed from there')
    .option('--never', 'no job was ever created: ends the operation, and never submits it again')
    .addOption(new Option('--result <ending>', 'it ended so').choices(['succeeded', 'failed', 'cancelled']))
    .option('--value <json>', 'the result itself, with --result', jsonValue)
    .option('--give-up', 'nobody will ever know')
    .option('--effects <finding>', 'the operation has ended; this became of its job')
    .requiredOption('-r, --reason <text>', 'how you know; recorded')
    .option('--actor <name>', 'who; recorded (default: $USER)')
    .action(async (id: string, options: SettleFlags) => {
      const verdicts = verdictsOf(options);
      const [verdict] = verdicts;
      if (verdict === undefined || verdicts.length > 1 || (options.value !== undefined && options.result === undefined)) {
        terminal.stderr(
          options.value !== undefined && options.result === undefined
            ? '--value goes with --result.\n'
            : 'Say one thing: --found, --never, --result, --give-up or --effects.\n',
        );
        return finish(2);
      }
      const word = wordOf(options);
      if (word === undefined) return;
      await run(
        options,
        (client) => client.post(`/operations/${encodeURIComponent(id)}/settle`, { ...word, verdict }),
        (value) => `Settled. ${standing(value)}\n`,
      );
    });

  command('trace <receipt>', 'which observation allowed an ending, read again and compared now').action(
    async (id: string, options: Common) => {
      await run(
        options,
        (client) => client.get(`/receipts/${encodeURIComponent(id.replace(/^op_/, 'rc_'))}`),
        (value) => traceText(value as unknown as TraceShown, paint),
        (value) => (value as unknown as TraceShown).checks.every(({ holds }) => holds),
      );
    },
  );
}

function verdictsOf({ found, never, result, value, giveUp, effects }: SettleFlags): readonly JsonObject[] {
  return [
    ...(found === undefined ? [] : [{ kind: 'found', job: found }]),
    ...(never === undefined ? [] : [{ kind: 'never' }]),
    ...(result === undefined ? [] : [{ kind: 'result', ending: result, ...(value !== undefined && { value }) }]),
    ...(giveUp === undefined ? [] : [{ kind: 'give_up' }]),
    ...(effects === undefined ? [] : [{ kind: 'effects', finding: effects }]),
  ];
}

/** How an operation stands after something was done to it. */
function standing(value: JsonObject): string {
  const { operation } = value as unknown as { operation: OperationSummary };
  return `${operation.id} is ${operation.state}${operation.standing === '' ? '.' : `: ${operation.standing}`}`;
}

/** Options that were given, for a command that is to be copied. */
const given = ({ config, url }: Common): string =>
  `${config === undefined ? '' : ` --config ${config}`}${url === undefined ? '' : ` --url ${url}`}`;

function stateWords(text: string): string {
  const unknown = text.split(',').find((word) => !STATE_WORDS.includes(word));
  if (unknown === undefined) return text;
  throw new InvalidArgumentError(`There is no state ${unknown}; there are ${STATE_WORDS.join(', ')}.`);
}

function jsonValue(text: string): Json {
  const value = tryParseJson(text);
  if (value !== undefined) return value;
  throw new InvalidArgumentError('It is not JSON: write it like \'{"total":3}\', in single quotes.');
}
