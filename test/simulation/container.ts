import {
  type BatchAnswer,
  createPipeline,
  type Pipeline,
  type PipelineDeps,
} from '../../functions/src/core/pipeline.ts';
import type { SourceRecord } from '../../functions/src/core/types.ts';
import type { Clock } from '../../functions/src/ports.ts';
import type { Operation, OtherFault } from './coverage.ts';
import { type Fate, pickWeighted, troubleOf } from './fates.ts';
import { meaningOf, type Version } from './meaning.ts';
import { notifierOf, sourceQueueOf } from './messaging-ports.ts';
import { mix, Rng } from './rng.ts';
import { storeOf } from './store-port.ts';
import { telemetryOf } from './telemetry-port.ts';
import type { World } from './world.ts';

/** One invocation of a function. Its dice are its own, so that taking a fault away leaves the other invocations alone. */
export interface Invocation {
  readonly ordinal: number;
  readonly requestId: string;
  readonly startedMs: number;
  readonly deadlineMs: number;
  readonly dice: Rng;
  calls: number;
  /** Events of commits that may be executed later. */
  readonly flying: Map<string, number>;
  done: boolean;
}

export type ConsumerFactory = (deps: PipelineDeps, host: Instance) => Pipeline;

/** What an operation is made of. `execute` happens in the service, once, at its time. */
export interface Call<T> {
  readonly operations: readonly Operation[];
  readonly execute: (dice: Rng) => T;
  /** The service refused it: nothing happened. */
  readonly refused: (dice: Rng) => T;
  /** No answer. */
  readonly unknown: () => T;
  readonly describe: () => string;
  readonly outcome: (answer: T) => string;
  /** Only for commits: another try of the same call by the SDK, with the same token. */
  readonly retry?: (dice: Rng) => T;
  readonly flying?: readonly string[];
}

/**
 * One container: a process on a host with a clock of its own. Everything that reaches it goes through `deliver`, so a
 * process that is dead hears nothing, a frozen one hears it when it is thawed by its next invocation, and a paused one
 * hears it late.
 */
export class Instance {
  readonly name: string;
  readonly world: World;
  readonly version: Version;
  readonly skewMs: number;
  readonly pipeline: Pipeline;
  readonly clock: Clock;
  dead = false;
  invocation: Invocation | undefined;
  #frozen = false;
  #waiting: (() => void)[] = [];
  /** A pause that a call of an earlier invocation began can reach into the next one. */
  pausedUntilMs = 0;
  readonly #listeners = new WeakMap<AbortSignal, Set<() => void>>();

  constructor(world: World, name: string, version: Version, skewMs: number) {
    this.world = world;
    this.name = name;
    this.version = version;
    this.skewMs = skewMs;
    this.clock = this.#createClock();
    const { scenario } = world;
    const rng = new Rng(mix(scenario.seed, 7, name.length, name.charCodeAt(name.length - 1)));
    this.pipeline = world.consumer(
      {
        settings: world.settings,
        meaning: meaningOf(scenario.kind, version, scenario.topicFifo, {
          kill: () => {
            this.hit('function: killed by its message');
            this.kill('the message kills the process');
          },
          endless: () => this.hit('function: handler never returns'),
          throws: (eventId) => {
            const times = (world.thrown.get(eventId) ?? 0) + 1;
            world.thrown.set(eventId, times);
            if (times > 1) return false;
            this.hit('function: handler throws');
            return true;
          },
        }),
        store: storeOf(this),
        notifier: notifierOf(this),
        queue: sourceQueueOf(this),
        clock: this.clock,
        random: rng,
        telemetry: telemetryOf(this),
      },
      this,
    );
  }

  hit(point: OtherFault): void {
    this.world.coverage.hit(point);
  }

  /** Whether a part of an answer is bad. */
  strikes(dice: Rng): boolean {
    return dice.next() < this.world.weather.answers * 0.5;
  }

  // Life ---------------------------------------------------------------------------------------------------------------

  begin(invocation: Invocation): void {
    this.invocation = invocation;
    this.#frozen = false;
    if (this.#waiting.length > 0) this.hit('function: frozen with work left, resumed later');
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const fn of waiting) this.world.loop.after(0, () => this.deliver(fn));
  }

  /** Between invocations Lambda freezes the process: what is under way goes on when it is thawed. */
  freeze(): void {
    this.#frozen = true;
  }

  kill(why: string): void {
    if (this.dead) return;
    this.dead = true;
    this.world.trace(() => `${this.name} dies: ${why}`);
    this.world.source.died(this);
  }

  deliver(fn: () => void): void {
    if (this.dead) return;
    if (this.#frozen) this.#waiting.push(fn);
    else if (this.pausedUntilMs > this.world.loop.now) this.world.loop.at(this.pausedUntilMs, () => this.deliver(fn));
    else fn();
  }

  run(records: readonly SourceRecord[], invocation: Invocation): Promise<BatchAnswer> {
    return this.pipeline.run(records, {
      requestId: invocation.requestId,
      deadlineMs: invocation.deadlineMs + this.skewMs,
    });
  }

  #createClock(): Clock {
    const { loop } = this.world;
    return {
      now: () => Math.floor(loop.now) + this.skewMs,
      sleep: (ms, signal) =>
        new Promise((resolve) => {
          if (signal?.aborted === true) return resolve();
          const cancel = loop.after(ms, () => this.deliver(resolve));
          if (signal !== undefined) {
            this.#onAbort(signal, () => {
              cancel();
              resolve();
            });
          }
        }),
      alarm: (atMs, callback) => loop.at(atMs - this.skewMs, () => this.deliver(callback)),
    };
  }

  /** One listener a signal, however many calls it watches. */
  #onAbort(signal: AbortSignal, fn: () => void): () => void {
    let fns = this.#listeners.get(signal);
    if (fns === undefined) {
      const all = new Set<() => void>();
      fns = all;
      this.#listeners.set(signal, all);
      signal.addEventListener('abort', () => {
        for (const each of [...all]) each();
      });
    }
    const mine = fns;
    mine.add(fn);
    return () => mine.delete(fn);
  }

  // A call -------------------------------------------------------------------------------------------------------------

  /** Makes a call, and what the dice say of it. */
  call<T>(signal: AbortSignal, call: Call<T>): Promise<T> {
    const { loop, scenario } = this.world;
    const invocation = this.invocation;
    if (this.dead || invocation === undefined) return new Promise(() => {});
    const index = invocation.calls;
    invocation.calls += 1;
    const dice = new Rng(mix(scenario.seed, invocation.ordinal, index, 11));
    const fate = this.#fateOf(call, invocation, index, dice);
    const slow = fate === 'slow';
    const thereMs = 1 + dice.next() * (slow ? 2_000 : 8);
    const backMs = 1 + dice.next() * (slow ? 2_500 : 8);
    const timeOutMs = 1_000 + dice.next() * 8_000;
    const lateMs = timeOutMs + dice.next() ** 3 * 900_000;
    const happensAnyway = dice.chance(0.5);
    // A connection or a credential provider may hang where the SDK does not look at the signal. The relay has nobody to
    // answer to, so its time-out is all that comes of it; a consumer must answer all the same.
    const deaf = fate === 'hang' && dice.chance(0.3) && !this.name.startsWith('relay');
    const inner = new Rng(mix(scenario.seed, invocation.ordinal, index, 13));
    const id = `${this.name} ${invocation.requestId}.${index}`;
    this.world.trace(() => `${id} ${call.describe()}${fate === 'fine' ? '' : ` [${fate}]`}`);

    if (fate === 'crash_before') {
      this.kill(`before ${call.operations[0]}`);
      return new Promise(() => {});
    }

    return new Promise<T>((resolve) => {
      let open = true;
      const answer = (value: T, how = ''): void => {
        this.deliver(() => {
          if (!open) return;
          open = false;
          forget();
          this.world.trace(() => `${id} <- ${how}${call.outcome(value)}`);
          resolve(value);
          if (fate === 'crash_after') loop.after(0, () => this.kill(`after ${call.operations[0]}`));
        });
      };
      const forget = this.#onAbort(signal, () => {
        if (!open || deaf) return;
        open = false;
        this.world.trace(() => `${id} <- aborted`);
        resolve(call.unknown());
      });
      const executeAt = (atMs: number, then: (value: T) => void, run = call.execute): void => {
        for (const eventId of call.flying ?? [])
          invocation.flying.set(eventId, (invocation.flying.get(eventId) ?? 0) + 1);
        this.world.inFlight += 1;
        loop.at(atMs, () => {
          this.world.inFlight -= 1;
          for (const eventId of call.flying ?? [])
            invocation.flying.set(eventId, (invocation.flying.get(eventId) ?? 1) - 1);
          if ((this.dead || invocation.done) && call.operations[0] === 'commit')
            this.hit('commit: executed after its caller had answered');
          const value = run(inner);
          if (!open) this.world.trace(() => `${id} is executed: ${call.outcome(value)}`);
          then(value);
        });
      };
      const replies = (value: T): void => {
        loop.after(backMs, () => answer(value));
      };
      switch (fate) {
        case 'fine':
        case 'slow':
        case 'crash_after':
          return executeAt(loop.now + thereMs, replies);
        case 'refused':
          loop.after(thereMs + backMs, () => answer(call.refused(inner)));
          return;
        case 'lost_unexecuted':
          loop.after(timeOutMs, () => answer(call.unknown(), 'no answer, not executed: '));
          return;
        case 'lost_executed':
          executeAt(loop.now + thereMs, () => {});
          loop.after(timeOutMs, () => answer(call.unknown(), 'no answer, executed: '));
          return;
        case 'executed_late':
          executeAt(loop.now + lateMs, () => {});
          loop.after(timeOutMs, () => answer(call.unknown(), 'no answer, not executed yet: '));
          return;
        case 'hang':
          if (happensAnyway) executeAt(loop.now + thereMs, () => {});
          return;
        case 'pause':
          executeAt(loop.now + thereMs, replies);
          this.pausedUntilMs = loop.now + thereMs + 2_000 + inner.next() * 30_000;
          return;
        case 'crash_in_flight':
          executeAt(loop.now + thereMs, () => {});
          loop.after(happensAnyway ? thereMs / 2 : thereMs + backMs / 2, () =>
            this.kill(`while ${call.operations[0]} is under way`),
          );
          return;
        case 'retried_after_lost_answer':
          executeAt(loop.now + thereMs, () => {});
          executeAt(loop.now + thereMs + 3_000, replies, call.retry ?? call.execute);
          return;
        case 'retried_while_late':
          executeAt(loop.now + lateMs + 3_000, () => {});
          executeAt(loop.now + thereMs + 3_000, replies, call.retry ?? call.execute);
          return;
      }
    });
  }

  /** A call of a consumer that is not ours, under the same faults. */
  raw<T>(operation: Operation, signal: AbortSignal, describe: string, execute: () => T, failed: T): Promise<T> {
    return this.call<T>(signal, {
      operations: [operation],
      execute,
      refused: () => failed,
      unknown: () => failed,
      describe: () => describe,
      outcome: (value) => JSON.stringify(value),
    });
  }

  #fateOf<T>(call: Call<T>, invocation: Invocation, index: number, dice: Rng): Fate {
    const [strikes, which, sdk] = [dice.next(), dice.next(), dice.next()];
    const chance = this.world.weather.calls * troubleOf(call.operations[0]);
    if (strikes >= chance || this.world.muted(`${invocation.ordinal}.${index}`)) return 'fine';
    this.world.faults.push(`${invocation.ordinal}.${index}`);
    let fate: Fate = this.world.weather.only ?? pickWeighted(which);
    if (call.retry !== undefined && sdk < 0.3 && this.world.weather.only === undefined)
      fate = sdk < 0.15 ? 'retried_after_lost_answer' : 'retried_while_late';
    if (fate === 'retried_after_lost_answer') this.hit('commit: SDK retry after a lost answer');
    else if (fate === 'retried_while_late') this.hit('commit: SDK retry while the first try executes later');
    else for (const operation of call.operations) this.world.coverage.hit(`${operation}: ${fate}`);
    return fate;
  }
}

export function createRealConsumer(deps: PipelineDeps): Pipeline {
  return createPipeline(deps);
}
