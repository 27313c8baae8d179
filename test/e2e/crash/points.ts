// Crash points: where this process kills itself, as by kill -9. The folder `CRASH_FOLDER` holds `point`, which names the one that
// is armed (`after append submit_started`), and gets `passed`, every point that was passed.

import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.env['CRASH_FOLDER'] ?? '.';

function pass(when: 'before' | 'after', step: string): void {
  const point = `${when} ${step}`;
  appendFileSync(join(folder, 'passed'), `${point}\n`);
  if (readFileSync(join(folder, 'point'), 'utf8') === point) process.kill(process.pid, 'SIGKILL');
}

/** The name of the step that a call is; `undefined` where it is none. `answer` is there once it was given. */
export type NameOf = (args: readonly unknown[], answer?: unknown) => string | undefined;

/** The same thing, whose calls named in `steps` pass a crash point before and after. */
export const stepping = <T extends object>(target: T, steps: Readonly<Record<string, NameOf>>): T =>
  new Proxy(target, {
    get(_target, name) {
      const member: unknown = Reflect.get(target, name, target);
      const nameOf = typeof name === 'string' ? steps[name] : undefined;
      if (typeof member !== 'function' || nameOf === undefined) return member;
      return (...args: unknown[]) => {
        const before = nameOf(args);
        if (before !== undefined) pass('before', before);
        return (member.apply(target, args) as Promise<unknown>).then((answer) => {
          const after = nameOf(args, answer);
          if (after !== undefined) pass('after', after);
          return answer;
        });
      };
    },
  });
