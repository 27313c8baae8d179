// The commands for documents and calls, as commander knows them: names, options and help. What they do is in files of their own.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { readSource } from '../catalogue/read.ts';
import { systemClock } from '../clock.ts';
import type { Config } from '../config/config.ts';
import { type Environment, variable } from '../config/environment.ts';
import { loadConfig } from '../config/load.ts';
import { DOORS } from '../contracts/index.ts';
import { parseDuration } from '../core/duration.ts';
import type { Door } from '../core/ids.ts';
import { isJsonObject, type JsonObject, tryParseJson } from '../core/json.ts';
import type { Catalogue } from '../core/tool.ts';
import { call } from './call.ts';
import { type DryRunOptions, dryRun } from './dry-run.ts';
import { gatewayClient } from './gateway-client.ts';
import { baseOf } from './health.ts';
import { init } from './init.ts';
import { type InspectOptions, inspect } from './inspect.ts';
import type { Terminal } from './terminal.ts';

/** What the commands are handed by main: they compose nothing themselves. */
export interface Ports {
  readonly env: Environment;
  readonly terminal: Terminal;
  /** Longshore's own. */
  readonly version: string;
  readonly compile: (config: Config) => Promise<Catalogue>;
  readonly lists: InspectOptions['lists'];
  readonly write: DryRunOptions['write'];
}

type ConfigOption = readonly [flags: string, description: string];

/** The variable that holds a token for gateways that identify their callers. */
const TOKEN_VARIABLE = 'LONGSHORE_TOKEN';

export function registerDocumentCommands(program: Command, configOption: ConfigOption, ports: Ports): void {
  const { terminal, env } = ports;
  const finish = (code: number) => {
    process.exitCode = code;
  };

  program
    .command('inspect')
    .description('say which operations of an OpenAPI document are jobs, why, and what clients would see')
    .argument('<document>', 'path or http(s) address of an OpenAPI 3, Swagger 2.0 or Google discovery document')
    .option('-o, --overlay <file...>', 'OpenAPI Overlays to lay over it, in this order')
    .addOption(new Option('--contract <version>', 'show what clients of this contract see').choices(DOORS))
    .option('-a, --all', 'list calls and helpers as well, however many there are')
    .option('--json', 'print one JSON object (docs/cli.md)')
    .addHelpText(
      'after',
      lines(
        '',
        'Verdicts:  job: followed to its end   confirm: likely a job, say so in an overlay   call: answered at once',
        '           helper: only serves a job   left out: can not be offered, with the reason',
        'Exit code: 0 inspected, 1 the document or an overlay can not be used, 2 not asked properly',
        '',
        'Examples:  longshore inspect ./billing.openapi.yaml',
        '           longshore inspect ./billing.openapi.yaml --overlay ./billing.overlay.yaml --contract 2026-07-28 --json',
      ),
    )
    .action(async (document: string, options: { overlay?: string[]; contract?: string; all?: true; json?: true }) => {
      const contract = options.contract as Door | undefined;
      finish(
        await inspect({
          document,
          overlays: options.overlay ?? [],
          json: options.json === true,
          all: options.all === true,
          contract,
          read: readSource,
          lists: ports.lists,
          terminal,
        }),
      );
    });

  program
    .command('init')
    .description('write longshore.yaml and an overlay for each document, with everything that could be inferred')
    .argument('<document...>', 'paths or http(s) addresses of OpenAPI documents')
    .option('-d, --dir <directory>', 'where to write', '.')
    .option('-f, --force', 'overwrite files that are there')
    .addHelpText(
      'after',
      lines(
        '',
        'Nothing is asked: what can not be inferred is a line marked CONFIRM, or a variable of the environment.',
        'Exit code: 0 written, 1 a document can not be used or a file is in the way, 2 not asked properly',
        '',
        'Example:   longshore init ./billing.openapi.yaml && longshore check',
      ),
    )
    .action(async (documents: string[], { dir, force }: { dir: string; force?: true }) => {
      finish(
        await init({ documents, directory: dir, force: force === true, read: readSource, schema: schemaFile(), terminal }),
      );
    });

  program
    .command('dry-run')
    .description('print the HTTP request that a call would send, and send nothing')
    .argument('<tool>', 'name of the tool, as in tools/list')
    .argument('[arguments]', 'its arguments, a JSON object', jsonObject, {})
    .option(...configOption)
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      lines(
        '',
        'Secrets are shown as •••, and need not be set.',
        'Exit code: 0 this is what would be sent, 1 there are faults, 2 not asked properly',
        '',
        `Example:   longshore dry-run create_export '{"from":"2026-10-01"}'`,
      ),
    )
    .action(async (tool: string, args: JsonObject, { config: file, json }: { config?: string; json?: true }) => {
      const config = await loadConfig({ file, env, secrets: 'optional' });
      finish(
        await dryRun({
          tool,
          arguments: args,
          config,
          json: json === true,
          compile: ports.compile,
          write: ports.write,
          terminal,
        }),
      );
    });

  program
    .command('call')
    .description('call a tool through a running gateway and follow the call to its end')
    .argument('<tool>', 'name of the tool, as in tools/list')
    .argument('[arguments]', 'its arguments, a JSON object', jsonObject, {})
    .option(...configOption)
    .option('-u, --url <url>', 'MCP endpoint of the gateway (default: where the configuration listens)', httpUrl)
    .option('-t, --timeout <duration>', 'stop waiting after this long, such as 30s or 10m (default: never)', durationMs)
    .option('--json', 'print one JSON object at the end, and no progress')
    .addHelpText(
      'after',
      lines(
        '',
        `A gateway that identifies callers is sent the token in ${TOKEN_VARIABLE}. Ctrl-C stops waiting; the operation goes on.`,
        'Exit code: 0 succeeded, 1 failed, unknown, cancelled or not finished in time, 2 not asked properly, 130 interrupted',
        '',
        `Examples:  longshore call create_export '{"from":"2026-10-01"}'`,
        `           longshore call get_operation '{"operation":"op_…"}'`,
      ),
    )
    .action(async (tool: string, args: JsonObject, options: CallFlags) => {
      const { config: file, url, timeout, json } = options;
      const option = file === undefined ? '' : ` --config ${file}`;
      const interrupted = new AbortController();
      process.once('SIGINT', () => interrupted.abort());
      const endpoint = url ?? `${baseOf(await loadConfig({ file, env, secrets: 'optional' }))}/mcp`;
      finish(
        await call({
          tool,
          arguments: args,
          client: gatewayClient(endpoint, ports.version, variable(env, TOKEN_VARIABLE)),
          startWith: `longshore serve${option}`,
          again: `longshore call${url === undefined ? option : ` --url ${url}`}`,
          json: json === true,
          timeoutMs: timeout,
          interrupted: interrupted.signal,
          clock: systemClock,
          terminal,
        }),
      );
    });
}

interface CallFlags {
  readonly config?: string;
  readonly url?: string;
  readonly timeout?: number;
  readonly json?: true;
}

const lines = (...all: readonly string[]): string => all.join('\n');

function jsonObject(text: string): JsonObject {
  const value = tryParseJson(text);
  if (isJsonObject(value)) return value;
  throw new InvalidArgumentError(
    `${value === undefined ? 'It is not JSON' : 'It is no JSON object'}: write it like '{"name":"value"}', in single quotes.`,
  );
}

function httpUrl(text: string): string {
  if (URL.canParse(text) && /^https?:\/\//i.test(text)) return text;
  throw new InvalidArgumentError('Write it like http://127.0.0.1:8080/mcp.');
}

function durationMs(text: string): number {
  const value = parseDuration(text);
  if (value !== undefined && value > 0) return value;
  throw new InvalidArgumentError('Write a number with its unit, such as 500ms, 30s or 10m.');
}

/** The published schema of longshore.yaml: beside the sources, or one level further up in a build. */
function schemaFile(): string {
  const places = ['../../schema/longshore.json', '../../../schema/longshore.json'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return places.find((path) => existsSync(path)) ?? (places[0] as string);
}
