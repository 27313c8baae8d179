// `longshore health`: the question a container's HEALTHCHECK asks. Exit code 0: up.   1: not.

import type { Config } from '../config/config.ts';

const TIMEOUT_MS = 2_000;

/** Where a gateway of this configuration is reached from this machine: `http://127.0.0.1:8080`. */
export function baseOf({ server: { host, port } }: Pick<Config, 'server'>): string {
  // An address that means "every interface" is no address to call.
  const target =
    host === '0.0.0.0'
      ? '127.0.0.1'
      : host === '::' || host === '[::]'
        ? '[::1]'
        : host.includes(':') && !host.startsWith('[')
          ? `[${host}]`
          : host;
  return `http://${target}:${port}`;
}

export async function health({
  config,
  stderr,
}: {
  readonly config: Config;
  readonly stderr: (text: string) => void;
}): Promise<0 | 1> {
  const url = `${baseOf(config)}/healthz`;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (answer.ok) return 0;
    stderr(`${url} answered ${answer.status}\n`);
  } catch (error) {
    stderr(`${url} does not answer (${whyNot(error)}): start the gateway with longshore serve, or look at its log\n`);
  }
  return 1;
}

/** What the network said, rather than that fetch failed. */
function whyNot(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `nothing came within ${TIMEOUT_MS / 1000} s`;
  const { code, message } = (error.cause ?? error) as { readonly code?: string; readonly message: string };
  return code ?? message;
}
