// The services of one history, each with its own dialect, origin, tool and budget. All number their jobs from one, so that
// one's job can be told from another's by the service alone, as it is in life.

import type { Traits } from '../../src/core/descriptor.ts';
import type { Operation } from '../../src/core/operation.ts';
import type { Ending } from '../../src/core/outcome.ts';
import type { JobTool } from '../../src/core/tool.ts';
import { type Dialect, dialectOf, toolOf } from './dialects.ts';
import type { History } from './history.ts';
import type { Given } from './rounds.ts';
import { type Job, Service, type Truth } from './service.ts';

export interface Upstream {
  readonly index: number;
  readonly name: string;
  readonly dialect: Dialect;
  readonly tool: JobTool;
  readonly traits: Traits;
  readonly service: Service;
}

export class Upstreams {
  readonly all: readonly Upstream[];
  readonly #byCall = new Map<number, Upstream>();
  readonly #byName: ReadonlyMap<string, Upstream>;
  readonly #byOrigin: ReadonlyMap<string, Upstream>;

  constructor({ dialect, others = [], actions }: History) {
    this.all = [dialect, ...others].map((name, index) => {
      const starts = actions.filter((action) => action.do === 'start').filter(({ upstream = 0 }) => upstream === index);
      const spoken = dialectOf(name);
      const tool = toolOf(spoken, index);
      const service = new Service(spoken, new Map(starts.map(({ call, job }) => [call, job])));
      const upstream = { index, name: tool.upstream, dialect: spoken, tool, traits: tool.descriptor.traits, service };
      for (const { call } of starts) this.#byCall.set(call, upstream);
      return upstream;
    });
    this.#byName = new Map(this.all.map((upstream) => [upstream.name, upstream]));
    this.#byOrigin = new Map(this.all.map((upstream) => [upstream.tool.descriptor.submit.server, upstream]));
  }

  get haveCallbacks(): boolean {
    return this.all.some(({ dialect }) => dialect.calls !== undefined);
  }

  /** That an operation belongs to. */
  of({ upstream }: Pick<Operation, 'upstream'>): Upstream {
    return this.#known(this.#byName.get(upstream), upstream);
  }

  /** That a request goes to. */
  at(url: string): Upstream {
    return this.#known(this.#byOrigin.get(new URL(url).origin), url);
  }

  /** That a call is made of. */
  ofCall(call: number): Upstream {
    return this.#known(this.#byCall.get(call), `call ${call}`);
  }

  traitsOf(row: Pick<Operation, 'upstream'>): Traits {
    return this.of(row).traits;
  }

  truth(call: number): Truth {
    return this.ofCall(call).service.truth(call);
  }

  /** The service gave the id of this job to another one, too. */
  isShared({ call, id }: Job): boolean {
    return this.namesAnother(id, call);
  }

  /** What names the job of a call, its id or a name that ends with it, names the job of another call of the service, too. */
  namesAnother(name: string | undefined, call: number): boolean {
    return [...this.ofCall(call).service.truths.values()]
      .flatMap(({ jobs }) => jobs)
      .some((job) => job.call !== call && name?.endsWith(job.id) === true);
  }

  /** The same call, or one whose job was given the same id. */
  haveOneId(one: number, other: number): boolean {
    const id = this.truth(one).jobs[0]?.id;
    return (
      one === other || (this.ofCall(one) === this.ofCall(other) && id !== undefined && id === this.truth(other).jobs[0]?.id)
    );
  }

  /** How many requests were answered: what is true changes by nothing else than these and time. */
  get answered(): number {
    return this.all.reduce((sum, { service }) => sum + service.answered, 0);
  }

  /** What is true of each call that reached its service. */
  get truths(): readonly (readonly [call: number, truth: Truth])[] {
    return this.all.length === 1
      ? [...(this.all[0]?.service.truths ?? [])]
      : this.all.flatMap(({ service }) => [...service.truths]);
  }

  /** Answers that a service took. */
  get given(): readonly Given[] {
    return this.all.length === 1 ? (this.all[0]?.service.given ?? []) : this.all.flatMap(({ service }) => service.given);
  }

  endingOf(job: Job, now: number): Ending | undefined {
    return this.ofCall(job.call).service.endingOf(job, now);
  }

  #known(found: Upstream | undefined, what: string): Upstream {
    if (found === undefined) throw new Error(`no service of this history is ${what}`);
    return found;
  }
}
