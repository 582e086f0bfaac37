import type { AttributeMap } from '../../functions/src/core/attribute-value.ts';
import {
  createPipeline,
  type BatchAnswer,
  type Pipeline,
  type PipelineDeps,
} from '../../functions/src/core/pipeline.ts';
import { parseRow } from '../../functions/src/core/row.ts';
import type { Row, SourceRecord } from '../../functions/src/core/types.ts';
import type {
  Clock,
  CommitEvent,
  CommitOutcome,
  EventStore,
  Notifier,
  PublishOutcome,
  Read,
  RelayStore,
  RowUpdate,
  RowUpdateOutcome,
  SourceQueue,
  Telemetry,
} from '../../functions/src/ports.ts';
import type { CallFate, Coverage, Operation, OtherFault } from './coverage.ts';
import type { Code, Transaction } from './dynamodb.ts';
import { textOf } from './dynamodb.ts';
import type { Version } from './meaning.ts';
import { meaningOf } from './meaning.ts';
import { mix, Rng } from './rng.ts';
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

/** Picks what happens to a call; `fine` when nothing does. */
type Fate = CallFate | 'fine' | 'retried_after_lost_answer' | 'retried_while_late';

/** What an operation is made of. `execute` happens in the service, once, at its time. */
interface Call<T> {
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
            this.#hit('function: killed by its message');
            this.kill('the message kills the process');
          },
          endless: () => this.#hit('function: handler never returns'),
          throws: (eventId) => {
            const times = (world.thrown.get(eventId) ?? 0) + 1;
            world.thrown.set(eventId, times);
            if (times > 1) return false;
            this.#hit('function: handler throws');
            return true;
          },
        }),
        store: this.store(),
        notifier: this.notifier(),
        queue: this.sourceQueue(),
        clock: this.clock,
        random: rng,
        telemetry: this.#telemetry(),
      },
      this,
    );
  }

  get #coverage(): Coverage {
    return this.world.coverage;
  }

  #hit(point: OtherFault): void {
    this.#coverage.hit(point);
  }

  // Life ---------------------------------------------------------------------------------------------------------------

  begin(invocation: Invocation): void {
    this.invocation = invocation;
    this.#frozen = false;
    if (this.#waiting.length > 0) this.#hit('function: frozen with work left, resumed later');
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
    this.world.died(this);
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

  #call<T>(signal: AbortSignal, call: Call<T>): Promise<T> {
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
        if (!open) return;
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
            this.#hit('commit: executed after its caller had answered');
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
    return this.#call<T>(signal, {
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
    // Calls that are rarely made meet trouble more often, so that every point is hit.
    const chance = this.world.weather.calls * (RARE.has(call.operations[0] as Operation) ? 3 : 1);
    if (strikes >= chance || this.world.muted(`${invocation.ordinal}.${index}`)) return 'fine';
    this.world.faults.push(`${invocation.ordinal}.${index}`);
    let fate: Fate = this.world.weather.only ?? pickWeighted(which);
    if (call.retry !== undefined && sdk < 0.3 && this.world.weather.only === undefined)
      fate = sdk < 0.15 ? 'retried_after_lost_answer' : 'retried_while_late';
    if (fate === 'retried_after_lost_answer') this.#hit('commit: SDK retry after a lost answer');
    else if (fate === 'retried_while_late') this.#hit('commit: SDK retry while the first try executes later');
    else for (const operation of call.operations) this.#coverage.hit(`${operation}: ${fate}`);
    return fate;
  }

  // DynamoDB -----------------------------------------------------------------------------------------------------------

  store(): EventStore {
    const { world } = this;
    const { db } = world;
    return {
      commit: (events, signal) => {
        const own = events.map((event) => this.#ownVersion(event));
        world.token += 1;
        const token = `t${world.token}`;
        return this.#call<CommitOutcome>(signal, {
          operations: ['commit'],
          execute: (dice) => this.#transact(own, token, dice, false),
          retry: (dice) => this.#transact(own, token, dice, true),
          refused: (dice) =>
            dice.chance(0.5)
              ? { kind: 'throttled', name: 'ThrottlingException', retried: false }
              : { kind: 'refused', name: 'AccessDeniedException', permanent: false, retried: false },
          unknown: () => ({ kind: 'unknown', name: 'TimeoutError' }),
          describe: () => `commit ${own.map(({ row }) => textOf(row.event_id)).join(' ')}`,
          outcome: describeCommit,
          flying: own.map(({ row }) => textOf(row.event_id)),
        });
      },
      readRows: (eventIds, signal) =>
        this.#call<readonly Read<Row>[]>(signal, {
          operations: ['read_rows'],
          execute: (dice) =>
            eventIds.map((eventId) => {
              if (this.#strikes(dice)) {
                this.#hit('read: some keys unprocessed');
                return { kind: 'failed', name: 'UnprocessedKeys' };
              }
              const item = db.row(eventId);
              return item === undefined ? { kind: 'absent' } : { kind: 'found', value: this.#parse(item) };
            }),
          refused: () => eventIds.map(() => ({ kind: 'failed', name: 'ThrottlingException' })),
          unknown: () => eventIds.map(() => ({ kind: 'failed', name: 'TimeoutError' })),
          describe: () => `read ${eventIds.join(' ')}`,
          outcome: (reads) => reads.map(describeRead).join(' '),
        }),
      readItems: (keys, signal) =>
        this.#call<readonly Read<AttributeMap>[]>(signal, {
          operations: ['read_items'],
          execute: (dice) =>
            keys.map(({ table, key }) => {
              if (this.#strikes(dice)) return { kind: 'failed', name: 'UnprocessedKeys' };
              const item = db.item(table, key);
              return item === undefined ? { kind: 'absent' } : { kind: 'found', value: item };
            }),
          refused: () => keys.map(() => ({ kind: 'failed', name: 'ThrottlingException' })),
          unknown: () => keys.map(() => ({ kind: 'failed', name: 'TimeoutError' })),
          describe: () => `read items ${keys.map(({ key }) => textOf(key.pk)).join(', ')}`,
          outcome: (reads) => reads.map(({ kind }) => kind).join(' '),
        }),
      update: (updates, signal) =>
        this.#call<readonly RowUpdateOutcome[]>(signal, {
          operations: [...new Set(updates.map(({ kind }) => kind))],
          execute: (dice) => updates.map((update) => this.#update(update, dice, updates.length > 1)),
          refused: () => updates.map(() => ({ kind: 'failed', name: 'ThrottlingException' })),
          unknown: () => updates.map(() => ({ kind: 'failed', name: 'TimeoutError' })),
          describe: () => updates.map(({ kind, eventId }) => `${kind} ${eventId}`).join(', '),
          outcome: (outcomes) => outcomes.map(({ kind }) => kind).join(' '),
        }),
    };
  }

  relayStore(): RelayStore {
    const { rows } = this.world.db;
    const fails = (): never => {
      throw new Error('ThrottlingException');
    };
    const call = async <T>(
      operation: Operation,
      signal: AbortSignal,
      describe: string,
      execute: (dice: Rng) => T,
    ): Promise<T> => {
      const result = await this.#call<{ value: T } | undefined>(signal, {
        operations: [operation],
        execute: (dice) => ({ value: execute(dice) }),
        refused: () => undefined,
        unknown: () => undefined,
        describe: () => describe,
        outcome: (value) => (value === undefined ? 'failed' : JSON.stringify(value.value)),
      });
      return result === undefined ? fails() : result.value;
    };
    return {
      ...this.store(),
      queryTroubled: (shard, beforeMs, limit, from, signal) =>
        call('relay_query', signal, `query ${shard}`, (dice) => {
          const after =
            from === undefined ? undefined : `${numberOf(from.lease_expires_at_ms)}|${textOf(from.event_id)}`;
          const all = [...rows.values()]
            .filter((row) => textOf(row.relay_shard) === shard && Number(numberOf(row.lease_expires_at_ms)) < beforeMs)
            // The index is eventually consistent: some of it is not there yet.
            .filter(() => !this.#strikes(dice))
            .map((row) => ({
              row,
              place: `${numberOf(row.lease_expires_at_ms).padStart(16, '0')}|${textOf(row.event_id)}`,
            }))
            .sort((a, b) => (a.place < b.place ? -1 : 1))
            .filter(({ place }) => after === undefined || place > after.padStart(0));
          // A page may be shorter than asked.
          const size = Math.min(limit, 4);
          const page = all.slice(0, size);
          const last = page.at(-1)?.row;
          for (const { row } of page) this.world.indexed.add(textOf(row.event_id));
          return {
            eventIds: page.map(({ row }) => textOf(row.event_id)),
            ...(page[0] !== undefined && { oldestExpiresAtMs: Number(numberOf(page[0].row.lease_expires_at_ms)) }),
            ...(all.length > size &&
              last !== undefined && {
                next: {
                  event_id: { S: textOf(last.event_id) },
                  lease_expires_at_ms: { N: numberOf(last.lease_expires_at_ms).padStart(16, '0') },
                },
              }),
          };
        }),
      countTroubled: (shard, signal) =>
        call('relay_count', signal, `count ${shard}`, () => ({
          rows: [...rows.values()].filter((row) => textOf(row.relay_shard) === shard).length,
        })),
      scanPending: (segment, segments, from, signal) =>
        call('relay_scan', signal, `scan ${segment}/${segments}`, () => {
          const mine = [...rows.values()].filter((row) => segmentOf(textOf(row.event_id), segments) === segment);
          const start = from === undefined ? 0 : Number(numberOf(from.place));
          const page = mine.slice(start, start + 6);
          return {
            rows: page.filter((row) => textOf(row.status) === 'pending').map((row) => this.#parse(row)),
            ...(mine.length > start + 6 && { next: { place: { N: String(start + 6) } } }),
          };
        }),
    };
  }

  #strikes(dice: Rng): boolean {
    return dice.next() < this.world.weather.answers * 0.5;
  }

  /** The next release of the consumer writes rows of a newer shape. */
  #ownVersion(event: CommitEvent): CommitEvent {
    return this.version.row === 1 ? event : { ...event, row: { ...event.row, v: { N: '2' } } };
  }

  #parse(item: AttributeMap): Row {
    return parseRow(this.version.row === 1 ? item : { ...item, v: { N: '1' } });
  }

  #transact(events: readonly CommitEvent[], token: string, dice: Rng, retried: boolean): CommitOutcome {
    const { world } = this;
    const injected = this.#injectCancellation(events, dice, retried);
    if (injected !== undefined) return injected;
    return this.#toOutcome(events, world.db.transact(events, token, world.loop.now), dice, retried);
  }

  /** A reason that has nothing to do with any condition, beside whatever the conditions say. */
  #injectCancellation(events: readonly CommitEvent[], dice: Rng, retried: boolean): CommitOutcome | undefined {
    const [strikes, which, where] = [dice.next(), dice.next(), dice.next()];
    if (strikes >= this.world.weather.answers * 2) return undefined;
    const judged = this.world.db.judge(events, this.world.loop.now);
    if (judged.kind === 'refused') return undefined;
    if (which < 0.15) {
      this.#hit('commit: cancelled without reasons');
      return { kind: 'cancelled', reasons: [], retried };
    }
    const code =
      which < 0.6
        ? 'TransactionConflict'
        : which < 0.75
          ? 'ThrottlingError'
          : which < 0.9
            ? 'ProvisionedThroughputExceeded'
            : 'SomethingNew';
    this.#hit(
      which < 0.6
        ? 'commit: conflict injected'
        : which < 0.9
          ? 'commit: throttling among the reasons'
          : 'commit: unknown reason',
    );
    const flat = judged.codes.flatMap((codes, event) => codes.map((_, action) => ({ event, action })));
    const hit = flat[Math.floor(where * flat.length)];
    const codes = judged.codes.map((all, event) =>
      all.map((own, action): Code => (hit?.event === event && hit.action === action ? { code } : own)),
    );
    return this.#toOutcome(events, { kind: 'cancelled', codes }, dice, retried);
  }

  #toOutcome(events: readonly CommitEvent[], transaction: Transaction, dice: Rng, retried: boolean): CommitOutcome {
    switch (transaction.kind) {
      case 'committed':
        return { kind: 'committed', writeUnits: events.length * 4 };
      case 'refused':
        this.#hit('commit: refused as invalid');
        return {
          kind: 'refused',
          name: transaction.name,
          permanent: transaction.name === 'ValidationException',
          retried,
        };
      case 'cancelled':
        return {
          kind: 'cancelled',
          reasons: transaction.codes.map((codes) =>
            codes.map(({ code, item }, index) => {
              if (code === 'TransactionConflict') this.#hit('commit: real conflict between transactions');
              if (code === 'ConditionalCheckFailed' && index > 0) this.#hit('commit: business condition failed');
              if (item === undefined) return { code };
              this.#hit('commit: cancelled by an existing row');
              if (this.#strikes(dice)) {
                this.#hit('commit: existing row left out of the reason');
                return { code };
              }
              return { code, row: this.#parse(item) };
            }),
          ),
          retried,
        };
    }
  }

  #update(update: RowUpdate, dice: Rng, several: boolean): RowUpdateOutcome {
    const { world } = this;
    if (this.#strikes(dice)) {
      if (several) this.#hit('update: one statement of several failed');
      return { kind: 'failed', name: 'ThrottlingError' };
    }
    const updated = world.db.update(update, world.loop.now);
    switch (updated.kind) {
      case 'done':
        if (update.kind === 'takeover') world.tookOver(this, update.eventId);
        return { kind: 'done' };
      case 'conflict':
        return { kind: 'failed', name: 'TransactionConflict' };
      case 'condition_failed':
        if (this.#strikes(dice)) {
          this.#hit('update: row left out of a failed condition');
          return { kind: 'condition_failed', row: undefined };
        }
        return { kind: 'condition_failed', row: updated.item === undefined ? null : this.#parse(updated.item) };
    }
  }

  // SNS and SQS --------------------------------------------------------------------------------------------------------

  notifier(): Notifier {
    const { world } = this;
    return {
      publish: (topicArn, entries, signal) =>
        this.#call<readonly PublishOutcome[]>(signal, {
          operations: ['publish'],
          execute: (dice) =>
            entries.map(({ notification }): PublishOutcome => {
              const [strikes, which] = [this.#strikes(dice), dice.next()];
              if (strikes && which < 0.6) {
                this.#hit('publish: partial failure');
                return { kind: 'failed', name: 'InternalError', unknown: false };
              }
              const taken = !strikes || which < 0.8;
              const snsMessageId = taken ? world.sns.publish(notification, world.loop.now) : '';
              if (snsMessageId === undefined) return { kind: 'failed', name: 'InvalidParameter', unknown: false };
              if (!strikes) return { kind: 'published', snsMessageId };
              this.#hit('publish: entry in neither list');
              return { kind: 'failed', name: 'NoResultEntry', unknown: true };
            }),
          refused: () => entries.map(() => ({ kind: 'failed', name: 'ThrottledException', unknown: false })),
          unknown: () => entries.map(() => ({ kind: 'failed', name: 'TimeoutError', unknown: true })),
          describe: () =>
            `publish ${entries.map(({ notification }) => notification.attributes.event_id?.value).join(' ')} to ${topicArn.split(':').pop()}`,
          outcome: (outcomes) =>
            outcomes.map((outcome) => (outcome.kind === 'published' ? 'ok' : outcome.name)).join(' '),
        }),
    };
  }

  sourceQueue(): SourceQueue {
    const { world } = this;
    const failed = (outcomes: readonly boolean[]): string => outcomes.map((each) => (each ? 'failed' : 'ok')).join(' ');
    return {
      changeVisibility: (entries, signal) =>
        this.#call<readonly boolean[]>(signal, {
          operations: ['visibility'],
          execute: (dice) =>
            entries.map(({ receiptHandle, seconds }) => {
              if (this.#strikes(dice)) return true;
              const changed = world.queue.changeVisibility(receiptHandle, seconds, world.loop.now);
              world.schedulePoll();
              return !changed;
            }),
          refused: () => entries.map(() => true),
          unknown: () => entries.map(() => true),
          describe: () =>
            `hide ${entries.map(({ receiptHandle, seconds }) => `${receiptHandle} ${seconds}s`).join(', ')}`,
          outcome: failed,
        }),
      delete: (handles, signal) =>
        this.#call<readonly boolean[]>(signal, {
          operations: ['delete'],
          execute: (dice) =>
            handles.map((handle) => this.#strikes(dice) || !world.queue.delete(handle, world.loop.now)),
          refused: () => handles.map(() => true),
          unknown: () => handles.map(() => true),
          describe: () => `delete ${handles.join(' ')}`,
          outcome: failed,
        }),
      quarantine: (messages, signal) => {
        const by = this.invocation as Invocation;
        return this.#call<readonly boolean[]>(signal, {
          operations: ['quarantine'],
          execute: (dice) =>
            messages.map((message) => {
              if (this.#strikes(dice)) {
                this.#hit('quarantine: partial failure');
                return true;
              }
              this.#hit('message quarantined');
              world.queue.quarantine(message, by);
              return false;
            }),
          refused: () => messages.map(() => true),
          unknown: () => messages.map(() => true),
          describe: () =>
            `quarantine ${messages.map(({ messageId, attributes }) => `${messageId} ${attributes.error_type?.value}`).join(', ')}`,
          outcome: failed,
        });
      },
    };
  }

  #telemetry(): Telemetry {
    const { world } = this;
    const log = (message: string, fields?: object): void =>
      world.trace(() => `${this.name} logs: ${message} ${JSON.stringify(fields ?? {})}`);
    return {
      info: log,
      warn: (message, fields) => {
        log(message, fields);
        if (message === 'failed: comes back' && fields?.reason !== undefined && fields.message_id !== undefined)
          world.returned(fields.message_id, fields.receive_count ?? 0, fields.reason);
      },
      error: log,
      count: (metric) => {
        if (metric === 'BreakerOpen') this.#hit('breaker opened');
      },
    };
  }
}

const RARE: ReadonlySet<Operation> = new Set([
  'takeover',
  'release',
  'delete',
  'quarantine',
  'relay_query',
  'relay_scan',
]);

const WEIGHTS: readonly (readonly [CallFate, number])[] = [
  ['refused', 12],
  ['lost_unexecuted', 9],
  ['lost_executed', 14],
  ['executed_late', 12],
  ['slow', 10],
  ['hang', 7],
  ['pause', 5],
  ['crash_before', 10],
  ['crash_in_flight', 12],
  ['crash_after', 9],
];
const TOTAL = WEIGHTS.reduce((sum, [, weight]) => sum + weight, 0);

function pickWeighted(at: number): CallFate {
  let rest = at * TOTAL;
  for (const [fate, weight] of WEIGHTS) {
    rest -= weight;
    if (rest < 0) return fate;
  }
  return 'refused';
}

export function createRealConsumer(deps: PipelineDeps): Pipeline {
  return createPipeline(deps);
}

function describeCommit(outcome: CommitOutcome): string {
  if (outcome.kind === 'cancelled')
    return `cancelled${outcome.retried ? ' (retried)' : ''}: ${outcome.reasons.map((codes) => codes.map(({ code, row }) => code + (row === undefined ? '' : `(${describeRow(row)})`)).join('+')).join(' ')}`;
  return outcome.kind === 'committed' ? 'committed' : `${outcome.kind} ${outcome.name}`;
}

function describeRead(read: Read<Row>): string {
  return read.kind === 'found' ? describeRow(read.value) : read.kind;
}

function describeRow(row: Row): string {
  return 'unknown' in row ? 'unknown' : `${row.status} by ${row.leaseOwner} until ${row.leaseExpiresAtMs}`;
}

function numberOf(value: unknown): string {
  return typeof value === 'object' && value !== null && 'N' in value ? String(value.N) : '';
}

function segmentOf(eventId: string, segments: number): number {
  let sum = 7;
  for (let index = 0; index < eventId.length; index += 1) sum = (sum * 33 + eventId.charCodeAt(index)) >>> 0;
  return sum % segments;
}
