// The container image without a container engine: the steps of the Dockerfile are replayed in a folder, from what .dockerignore
// admits to a gateway that serves, is healthy, drains and ends. What this can't see: the base image, the user's rights, and the
// container's network. It installs all packages anew, from the npm cache where that has them: `npm run test:container`.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../demo/gateway.ts';
import manifest from '../../package.json' with { type: 'json' };
import {
  cleanEnvironment,
  DOCKERFILE,
  ended,
  environmentOf,
  execForm,
  filesOf,
  replay,
  type Stage,
  stages,
  texts,
  workdirOf,
} from './dockerfile.ts';

const last = stages().at(-1) as Stage;

// `npm ci` is most of this: seconds from a warm cache on a quiet machine, minutes from the network on a busy one.
describe('an image built by its steps', { timeout: 60_000 }, () => {
  const REPLAY_WITHIN_MS = 300_000;
  const BYTES_MAX = 80_000_000;
  const children: ChildProcess[] = [];
  let folder = '';
  let root = '';
  let workdir = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longshore-image-'));
    root = await replay(folder);
    workdir = join(root, workdirOf(last));
    // What an operator mounts: the configuration as the Dockerfile says it, and a document.
    const mounted = join(root, dirname(environmentOf(last)['LONGSHORE_CONFIG'] ?? ''));
    await mkdir(mounted, { recursive: true });
    const document = new URL('../../specs/demo/reports.openapi.yaml', import.meta.url);
    await writeFile(join(mounted, 'reports.openapi.yaml'), await readFile(document));
    const said = DOCKERFILE.split('\n').filter((line) => line.startsWith('#   ') && !line.includes('docker run'));
    const server = said.map((line) => line.slice(4)).join('\n');
    await writeFile(join(mounted, 'longshore.yaml'), `${server}\nupstreams: { reports: { document: reports.openapi.yaml } }\n`);
  }, REPLAY_WITHIN_MS);

  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  /** ENTRYPOINT with these words behind it, in the image's environment, its paths below the replayed root. */
  function start(words: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const [command = '', ...args] = execForm(texts(last, 'ENTRYPOINT')[0]);
    const own = Object.entries(environmentOf(last)).map(([name, value]) => [
      name,
      value.replace(/^(sqlite:)?\//, `$1${root}/`),
    ]);
    const env = { ...cleanEnvironment(), ...Object.fromEntries(own), ...environment };
    const child = spawn(command, [...args, ...words], { cwd: workdir, env });
    children.push(child);
    return { child, end: ended(child) };
  }

  test('holds the program and its production dependencies, and is small', async () => {
    const files = await filesOf(root);
    const bytes = [...files.values()].reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeLessThan(BYTES_MAX);
    const installed = (name: string) => [...files.keys()].some((file) => file.includes(`opt/longshore/node_modules/${name}/`));
    expect(Object.keys(manifest.dependencies).filter((name) => !installed(name))).toEqual([]);
    expect(Object.keys({ ...manifest.devDependencies, ...manifest.optionalDependencies }).filter(installed)).toEqual([]);
    expect([...files.keys()].filter((file) => !file.includes('node_modules/') && file.endsWith('.ts'))).toEqual([]);
  });

  test('knows its version', async () => {
    expect(await start(['--version']).end).toEqual({ code: 0, output: `${manifest.version}\n` });
  });

  test('takes the configuration that the Dockerfile tells operators to write', async () => {
    const { code, output } = await start(['check']).end;
    expect(output).toContain('1 upstream, 1 job, 1 call');
    expect(code).toBe(0);
  });

  test('refuses to be reached by others where the configuration does not say so', async () => {
    await writeFile(join(root, 'silent.yaml'), 'upstreams: { reports: { document: etc/longshore/reports.openapi.yaml } }\n');
    const silent = { LONGSHORE_CONFIG: join(root, 'silent.yaml'), LONGSHORE_LISTEN: '0.0.0.0:8080' };
    const { code, output } = await start(['serve'], silent).end;
    expect(output).toContain('dangerouslyServeEveryoneWithoutIdentity');
    expect(code).toBe(1);
  });

  test('serves, is healthy, drains at SIGTERM, and is not healthy any more', async () => {
    const port = await freePort();
    const environment = { LONGSHORE_LISTEN: `127.0.0.1:${port}` };
    const health = execForm(texts(last, 'HEALTHCHECK')[0]?.replace(/^CMD /, '')).slice(-1);
    const { child, end } = start(execForm(texts(last, 'CMD')[0]), environment);
    await new Promise<void>((resolve, reject) => {
      child.stdout?.on('data', (chunk: Buffer) => chunk.toString().includes('"listening"') && resolve());
      child.stderr?.on('data', (chunk: Buffer) => chunk.toString().includes('"listening"') && resolve());
      void end.then(({ output }) => reject(new Error(`it ended before it listened:\n${output}`)));
    });
    for (const path of ['healthz', 'readyz']) {
      expect([path, (await fetch(`http://127.0.0.1:${port}/${path}`)).status]).toEqual([path, 200]);
    }
    expect((await start(health, environment).end).code).toBe(0);
    expect((await filesOf(join(root, 'var/lib/longshore'))).has('longshore.db')).toBe(true);

    child.kill('SIGTERM');
    const { code, output } = await end;
    expect(output).toContain('"stopped"');
    expect(code).toBe(0);
    expect((await start(health, environment).end).code).toBe(1);
  });
});
