// The command line. main.ts imports this file, and nothing else does.
//
//   longshore inspect  which operations of a document are jobs, why, and what clients would see
//   longshore init     write longshore.yaml and overlays out of documents
//   longshore check    is the configuration fit to start with?
//   longshore dry-run  the request that a call would send, to the byte, and nothing is sent
//   longshore serve    start the gateway, with --stdio for one local client too; SIGTERM and SIGINT drain and exit with 0
//   longshore call     one call through a running gateway, followed to its end
//   longshore operations list|show|cancel|settle|trace   what operators see and do, over the admin API
//   longshore gates list|set|history|shadows   which calls may start operations, over the admin API
//   longshore tools list|moves   what tools say about Tasks, and what measured durations have moved, over the admin API
//   longshore health   is the gateway of this configuration up? (for container health checks)
//
//   Exit code 0: done.   1: a fault, said on standard error.   2: not asked properly.

import { Command, CommanderError } from 'commander';
import { check } from './cli/check.ts';
import { registerGates } from './cli/gates.ts';
import { health } from './cli/health.ts';
import { registerOperations } from './cli/operations.ts';
import { registerDocumentCommands } from './cli/register.ts';
import { terminalOf } from './cli/terminal.ts';
import { registerTools } from './cli/tools.ts';
import { compile, listsOf, startGateway, writtenRequest } from './compose.ts';
import { processEnvironment } from './config/environment.ts';
import { loadConfig } from './config/load.ts';
import { describeFault, type Fault, LongshoreError } from './errors.ts';
import { logger } from './telemetry/log.ts';
import { VERSION } from './version.ts';

const stdout = (text: string) => void process.stdout.write(text);
const stderr = (text: string) => void process.stderr.write(text);

const program = new Command('longshore')
  .description('A gateway that lets MCP agents call the slow, asynchronous REST jobs that companies already run.')
  .version(VERSION)
  .exitOverride()
  .showHelpAfterError('(--help says what it takes)')
  .configureHelp({ showGlobalOptions: true });

// A reader that has seen enough, as in `longshore inspect … | head`, is nobody's fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const CONFIG_OPTION = ['-c, --config <file>', 'configuration file (default: LONGSHORE_CONFIG, else longshore.yaml)'] as const;

registerDocumentCommands(program, CONFIG_OPTION, {
  env: processEnvironment(),
  terminal: terminalOf(process.stdout, process.stderr, processEnvironment()),
  version: VERSION,
  compile,
  lists: listsOf,
  write: writtenRequest,
});

const ADMIN_PORTS = {
  env: processEnvironment(),
  terminal: terminalOf(process.stdout, process.stderr, processEnvironment()),
  finish: (code: 0 | 1 | 2) => {
    process.exitCode = code;
  },
};
for (const register of [registerOperations, registerGates, registerTools]) register(program, CONFIG_OPTION, ADMIN_PORTS);

program
  .command('serve')
  .description('start the gateway')
  .option(...CONFIG_OPTION)
  .option('--stdio', 'serve one client on standard input and output as well; the log goes to standard error')
  .addHelpText(
    'after',
    '\nSIGTERM and SIGINT let what is on the wire finish.\nExit code: 0 stopped after draining, 1 could not start or stopped with an error, 2 not asked properly',
  )
  .action(async ({ config: file, stdio = false }: { config?: string; stdio?: boolean }) => {
    const config = await loadConfig({ file, env: processEnvironment() });
    const log = logger(config.log.level, stdio ? 'stderr' : 'stdout');
    for (const warning of config.warnings) log.warn({ pointer: warning.pointer, mend: warning.mend }, warning.message);
    const gateway = await startGateway(config, log);
    const tools = [...gateway.catalogue.tools.values()];
    log.info(
      {
        url: `${gateway.url}/mcp`,
        version: VERSION,
        node: process.version,
        ledger: config.ledger.path,
        jobs: tools.filter(({ kind }) => kind === 'job').length,
        calls: tools.filter(({ kind }) => kind === 'call').length,
      },
      'listening',
    );
    let stopping = false;
    const stop = (signal: NodeJS.Signals | 'end of input') => {
      // Asked a second time, a person means it.
      if (stopping) process.exit(1);
      stopping = true;
      log.info({ signal, drainMs: config.server.drainMs }, 'draining: nothing new is taken, what is on the wire finishes');
      gateway.close().then(
        () => {
          log.info({}, 'stopped');
          process.exitCode = 0;
        },
        (error: unknown) => {
          log.error({ err: error }, 'stopped with an error');
          process.exit(1);
        },
      );
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
    // Whoever started us for itself has gone.
    if (stdio) {
      void gateway.serveStdio({ input: process.stdin, output: process.stdout }).then(() => {
        if (!stopping) stop('end of input');
      });
    }
  });

program
  .command('check')
  .description('check the configuration, documents and overlays, and say everything that is wrong')
  .option(...CONFIG_OPTION)
  .option('--json', 'print one JSON object')
  .addHelpText(
    'after',
    '\nAn operation that can not be offered is left out, with its reason; the rest serve.\nExit code: 0 fit to start with, perhaps with warnings, 1 there are faults, 2 not asked properly',
  )
  .action(async ({ config: file, json }: { config?: string; json?: boolean }) => {
    process.exitCode = await check({ file, env: processEnvironment(), json: json === true, stdout, stderr, compile });
  });

program
  .command('health')
  .description('ask the gateway of this configuration whether it is up')
  .option(...CONFIG_OPTION)
  .addHelpText('after', '\nExit code: 0 up, 1 not up, 2 not asked properly')
  .action(async ({ config: file }: { config?: string }) => {
    process.exitCode = await health({
      config: await loadConfig({ file, env: processEnvironment(), secrets: 'optional' }),
      stderr,
    });
  });

try {
  // Asked for nothing, it says what there is to ask for.
  if (process.argv.length <= 2) program.outputHelp();
  else await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else process.exitCode = explain(error);
}

/** Faults are shown as sentences; a bug of ours is shown as it is. */
function explain(error: unknown): 1 {
  if (!(error instanceof LongshoreError)) throw error;
  const faults = 'faults' in error && Array.isArray(error.faults) ? (error.faults as readonly Fault[]) : [];
  for (const fault of faults) stderr(`${describeFault(fault)}\n`);
  if (faults.length === 0) stderr(`${error.message}\n`);
  else stderr(`${faults.length === 1 ? '1 fault' : `${faults.length} faults`}\n`);
  return 1;
}
