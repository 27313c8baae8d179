// The Dockerfile and .dockerignore as they are written. What they build is tried in image.replay.ts.

import { dirname } from 'node:path';
import { validate } from 'dockerfile-utils';
import { describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import {
  copyOf,
  DOCKERFILE,
  environmentOf,
  execForm,
  isAdmitted,
  isInProject,
  type Stage,
  stages,
  texts,
} from './dockerfile.ts';

const all = stages();
const last = all.at(-1) as Stage;

describe('the Dockerfile', () => {
  test('gives a linter nothing to say', () => {
    expect(validate(DOCKERFILE)).toEqual([]);
  });

  test('builds in one stage and runs in another, both on the Node that package.json asks for', () => {
    expect(all.length).toBe(2);
    expect(all[0]?.image).toBe(last.image);
    const major = Number(/^node:(\d+)-slim$/.exec(last.image)?.[1]);
    expect(major).toBeGreaterThanOrEqual(Number.parseInt(manifest.engines.node.replace('>=', ''), 10));
  });

  test('runs as a user without rights, who owns the folder of the ledger', () => {
    expect(texts(last, 'USER')).toEqual(['node']);
    const ledger = dirname(environmentOf(last)['LONGSHORE_LEDGER']?.replace('sqlite:', '') ?? '');
    expect(texts(last, 'RUN')).toEqual([`mkdir -p ${ledger} && chown node:node ${ledger}`]);
    expect(texts(last, 'VOLUME')).toEqual([ledger]);
  });

  test('starts the gateway as process 1, so that it hears the signal to stop', () => {
    expect(execForm(texts(last, 'ENTRYPOINT')[0])).toEqual(['node', 'dist/src/main.js']);
    expect(execForm(texts(last, 'CMD')[0])).toEqual(['serve']);
  });

  test('asks for health without a shell', () => {
    const [health, ...others] = texts(last, 'HEALTHCHECK');
    expect(others).toEqual([]);
    expect(execForm(health?.replace(/^CMD /, ''))).toEqual(['node', 'dist/src/main.js', 'health']);
  });

  test('copies what is there and what .dockerignore admits, and adds nothing by ADD', () => {
    const instructions = all.flatMap((stage) => stage.instructions);
    const copies = instructions.filter((instruction) => instruction.getKeyword() === 'COPY').map(copyOf);
    const sources = copies.filter(({ from }) => from === undefined).flatMap((copy) => copy.sources);
    expect(sources).toContain('package-lock.json');
    expect(sources.filter((source) => !isInProject(source) || !isAdmitted(source))).toEqual([]);
    expect(instructions.map((instruction) => instruction.getKeyword())).not.toContain('ADD');
  });

  test('never has what is not the program in its context', () => {
    const others = [
      '.git/config',
      'data/longshore.db',
      'longshore.yaml',
      'node_modules/got/package.json',
      'test/e2e/wire.ts',
      '.env',
    ];
    expect(others.filter(isAdmitted)).toEqual([]);
    expect(['src/main.ts', 'adapters/http-202/poll.ts', '.npmrc'].filter(isAdmitted).length).toBe(3);
  });
});
