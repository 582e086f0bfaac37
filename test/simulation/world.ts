import type { AttributeMap } from '../../functions/src/core/attribute-value.ts';
import type { BatchAnswer } from '../../functions/src/core/pipeline.ts';
import { createRelay } from '../../functions/src/core/relay.ts';
import type { PipelineSettings } from '../../functions/src/core/settings.ts';
import type { SourceRecord } from '../../functions/src/core/types.ts';
import { type ConsumerFactory, createRealConsumer, Instance, type Invocation } from './container.ts';
import { Coverage } from './coverage.ts';
import { DynamoDb } from './dynamodb.ts';
import { Broken, Ledger, type Witness } from './ledger.ts';
import { Loop } from './loop.ts';
import { BUSINESS_TABLE, ROW_TABLE, type Version } from './meaning.ts';
import { notifierOf } from './messaging-ports.ts';
import { relayStoreOf } from './relay-port.ts';
import { mix, Rng } from './rng.ts';
import { SABOTAGE, type Scenario, scenarioOf, type Weather } from './scenario.ts';
import { Sns } from './sns.ts';
import { type DeadLettered, type Message, Sqs } from './sqs.ts';

export interface RunOptions {
  readonly trace?: boolean;
  /** Faults that are taken away, by the name under which `faults` lists them. */
  readonly muted?: ReadonlySet<string>;
  /** Messages that the producer does not send, by origin. */
  readonly dropped?: ReadonlySet<number>;
  readonly consumer?: ConsumerFactory;
  /** False: leases end at once. */
  readonly lease?: boolean;
  readonly relay?: boolean;
  /** Instead of what the seed says. */
  readonly weather?: Weather;
  /** Counts broken promises instead of stopping at the first; for the peers and for tests of the services alone. */
  readonly lenient?: boolean;
  /** False: nobody receives from the queue but the test. */
  readonly polling?: boolean;
}

export interface RunResult {
  readonly seed: number;
  readonly broken: { readonly promise: string; readonly message: string } | undefined;
  /** Messages of the producer. */
  readonly sent: number;
  /** Deliveries to an invocation. */
  readonly records: number;
  readonly faults: readonly string[];
  readonly coverage: Readonly<Record<string, number>>;
  readonly duplicateNotifications: number;
  readonly published: number;
  readonly virtualMs: number;
  readonly timeline: readonly string[];
}

const START_MS = 1_700_000_000_000;
/** Everything must have come to rest this long after the last fault. */
const PATIENCE_MS = 12 * 3_600_000;
const CALM: Weather = { calls: 0, answers: 0, queue: 0 };

interface Running {
  readonly instance: Instance;
  readonly invocation: Invocation;
  readonly batch: readonly Message[];
}

/** One run: services, hosts, the producer, the poller and the relay, under one seed. */
export class World implements Witness {
  readonly scenario: Scenario;
  readonly settings: PipelineSettings;
  readonly loop = new Loop(START_MS);
  readonly coverage = new Coverage();
  readonly ledger: Ledger;
  readonly db: DynamoDb;
  readonly sns: Sns;
  readonly queue: Sqs;
  readonly consumer: ConsumerFactory;
  readonly faults: string[] = [];
  readonly thrown = new Map<string, number>();
  /** Events that a query of the relay's index named. */
  readonly indexed = new Set<string>();
  readonly breaches: { readonly promise: string; readonly message: string }[] = [];
  weather: Weather;
  /** Calls that are still to be executed. */
  inFlight = 0;
  token = 0;
  readonly #options: RunOptions;
  readonly #rng: Rng;
  readonly #twins: Rng;
  readonly #timeline: string[] = [];
  readonly #idle: Instance[] = [];
  readonly #running = new Set<Running>();
  readonly #latest = new Map<string, Invocation>();
  /** Receive counts by attempt. */
  readonly #attempts = new Map<string, number>();
  #broken: Broken | undefined;
  #ended = false;
  #ordinal = 0;
  #instances = 0;
  #records = 0;
  #pollAtMs = Number.POSITIVE_INFINITY;
  #unsent: number;
  #redrives = 0;
  #relayRunning = false;

  constructor(seed: number, options: RunOptions) {
    this.scenario = scenarioOf(seed, START_MS);
    this.#options = options;
    this.consumer = options.consumer ?? createRealConsumer;
    this.#rng = new Rng(mix(seed, 3));
    this.#twins = new Rng(mix(seed, 19));
    this.weather = options.weather ?? this.scenario.weather;
    this.settings =
      options.lease === false
        ? { ...this.scenario.settings, leaseMarginMs: -this.scenario.settings.functionTimeoutMs }
        : this.scenario.settings;
    this.ledger = new Ledger(this.scenario, this, options.dropped ?? new Set());
    const look = (fn: () => void): void => this.#look(fn);
    this.db = new DynamoDb(
      ROW_TABLE,
      { [BUSINESS_TABLE]: 'pk' },
      {
        committing: (event) => look(() => this.ledger.committing(event)),
        rowChanged: (eventId, before, after, by) => look(() => this.ledger.rowChanged(eventId, before, after, by)),
      },
    );
    this.sns = new Sns((published) => look(() => this.ledger.published(published)));
    this.queue = new Sqs(
      {
        fifo: this.scenario.settings.source === 'sqs_fifo',
        visibilityMs: this.scenario.visibilityMs,
        maxReceiveCount: this.scenario.maxReceiveCount,
      },
      {
        deleting: (message) => look(() => this.ledger.deleting(message)),
        moved: (message) => {
          this.coverage.hit('message moved to the dead-letter queue by SQS');
          look(() => this.ledger.moved(message));
        },
        quarantined: (message, by) => look(() => this.ledger.quarantined(message, by)),
      },
    );
    this.ledger.queue = this.queue;
    this.#unsent = this.scenario.messages.length - (options.dropped?.size ?? 0);
  }

  async run(): Promise<RunResult> {
    const { scenario, loop } = this;
    for (const sent of scenario.messages) {
      // Drawn for a message that is left out too, so that the others meet the same fate.
      const late = this.#rng.next();
      if (this.#options.dropped?.has(sent.origin) === true) continue;
      if (sent.nature === 'sent_twice') this.coverage.hit('message sent twice by the producer');
      loop.at(sent.atMs, () => {
        this.#unsent -= 1;
        // A standard queue keeps no order.
        const delayMs = scenario.settings.source === 'sqs' ? late * 2_000 : 0;
        this.ledger.sent(this.queue.send(sent.body, {}, sent.groupId, sent.origin, loop.now, loop.now + delayMs));
        this.trace(
          () =>
            `producer sends ${sent.nature} ${sent.events.map(({ eventId }) => eventId).join(' ')}${sent.groupId === undefined ? '' : ` in ${sent.groupId}`}`,
        );
        this.schedulePoll();
      });
    }
    this.#announceDeploys();
    loop.at(scenario.quietAtMs, () => {
      this.trace(() => 'all faults end');
      this.weather = CALM;
    });
    if (this.#options.relay !== false) loop.after(60_000, () => this.#relay());
    loop.at(scenario.quietAtMs + 1_000, () => this.#watch());
    try {
      await loop.run(() => this.#ended);
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      this.#break(error);
    }
    return {
      seed: scenario.seed,
      broken: this.#broken === undefined ? undefined : { promise: this.#broken.promise, message: this.#broken.message },
      sent: scenario.messages.length,
      records: this.#records,
      faults: this.faults,
      coverage: this.coverage.counts,
      duplicateNotifications: this.ledger.duplicateNotifications,
      published: this.sns.published.length,
      virtualMs: loop.now - START_MS,
      timeline: this.#timeline,
    };
  }

  get nowMs(): number {
    return this.loop.now;
  }

  muted(fault: string): boolean {
    return this.#options.muted?.has(fault) === true;
  }

  trace(text: () => string): void {
    if (this.#options.trace === true)
      this.#timeline.push(`${((this.loop.now - START_MS) / 1000).toFixed(3).padStart(10)}  ${text()}`);
  }

  row(eventId: string): AttributeMap | undefined {
    return this.db.row(eventId);
  }

  receiveCountOf(attempt: string): number {
    return this.#attempts.get(attempt) ?? 0;
  }

  returned(messageId: string, receiveCount: number, reason: string): void {
    if (reason === 'lease_held') this.coverage.hit('lease: held by another');
    if (receiveCount >= this.scenario.maxReceiveCount)
      this.#guard(() => this.ledger.failedOnLastReceive(messageId, reason));
  }

  tookOver(instance: Instance, eventId: string): void {
    if (!instance.name.startsWith('relay')) this.coverage.hit('lease: taken over');
    else
      this.coverage.hit(
        this.indexed.has(eventId) ? 'relay: took a row from the index' : 'relay: took a row by the sweep alone',
      );
  }

  // Polling ------------------------------------------------------------------------------------------------------------

  schedulePoll(): void {
    const next = this.queue.nextVisibleMs();
    if (next === undefined || this.#options.polling === false) return;
    const atMs = Math.max(next, this.loop.now) + 1;
    if (atMs >= this.#pollAtMs) return;
    this.#pollAtMs = atMs;
    this.loop.at(atMs, () => {
      if (this.#pollAtMs !== atMs) return;
      this.#pollAtMs = Number.POSITIVE_INFINITY;
      this.#poll();
    });
  }

  #poll(): void {
    while (this.#running.size < this.scenario.concurrency) {
      const batch = this.queue.receive(this.scenario.batchSize, this.loop.now, (messages) =>
        messages
          .map((message) => ({ message, at: this.#rng.next() }))
          .sort((a, b) => a.at - b.at)
          .map(({ message }) => message),
      );
      if (batch.length === 0) break;
      this.#invoke(batch);
    }
    if (this.#running.size < this.scenario.concurrency) this.schedulePoll();
  }

  #invoke(batch: readonly Message[]): void {
    const { loop, scenario } = this;
    const version = this.#currentVersion();
    let instance = this.#rng.chance(0.7) ? this.#idle.find((idle) => idle.version === version) : undefined;
    if (instance === undefined) instance = this.#start('fn', version);
    else this.#idle.splice(this.#idle.indexOf(instance), 1);
    const invocation = this.#newInvocation(scenario.settings.functionTimeoutMs);
    const running: Running = { instance, invocation, batch };
    this.#running.add(running);
    if (this.#running.size > 1) this.coverage.hit('function: overlapping invocations');
    if (this.#relayRunning) this.coverage.hit('relay: overlapped by a consumer');
    this.#records += batch.length;
    for (const message of batch) {
      this.#latest.set(message.messageId, invocation);
      this.#attempts.set(`${invocation.requestId}/${message.messageId}`, message.receiveCount);
    }
    this.trace(
      () =>
        `${running.instance.name} ${invocation.requestId} receives ${batch
          .map(
            ({ messageId, receiveCount, origin }) =>
              `${messageId}(${this.ledger.specOf(origin)?.nature} ${this.ledger
                .specOf(origin)
                ?.events.map(({ eventId }) => eventId)
                .join(' ')})x${receiveCount}`,
          )
          .join(', ')}`,
    );
    instance.begin(invocation);
    const records = batch.map((message) => toRecord(message));
    const twice = batch[this.#twins.int(0, batch.length - 1)];
    if (twice !== undefined && !this.queue.rules.fifo && this.#twins.chance(this.weather.queue * 0.5)) {
      this.coverage.hit('message delivered twice in one batch');
      records.push({ ...toRecord(twice), receiptHandle: this.queue.secondHandle(twice) });
    }
    const handles = records.map(({ receiptHandle }) => receiptHandle ?? '');
    loop.at(invocation.deadlineMs, () => this.#timeOut(running));
    for (const message of batch) this.#mayShowAgain(message);
    // Through the instance: a process that dies in its first step hears of nothing more.
    loop.after(0, () => {
      if (running.instance.dead) return;
      running.instance.run(records, invocation).then(
        (answer) => running.instance.deliver(() => this.#answered(running, answer, handles)),
        (error: unknown) => {
          this.trace(() => `${running.instance.name} throws ${String(error)}`);
          this.#fail(
            new Broken(
              'answer',
              `the consumer throws: ${error instanceof Error ? `${error.name} ${error.message} ${error.stack?.split('\n')[1]}` : String(error)}`,
            ),
          );
        },
      );
    });
  }

  #start(prefix: string, version: Version): Instance {
    this.#instances += 1;
    const { scenario } = this;
    const big = scenario.bigSkew && this.#rng.chance(0.3);
    if (big) this.coverage.hit('clock skew above the lease');
    const range = big ? 180_000 : scenario.skewMs;
    return new Instance(this, `${prefix}${this.#instances}`, version, Math.round((this.#rng.next() * 2 - 1) * range));
  }

  #newInvocation(timeoutMs: number): Invocation {
    this.#ordinal += 1;
    return {
      ordinal: this.#ordinal,
      requestId: `r${this.#ordinal}`,
      startedMs: this.loop.now,
      deadlineMs: Math.ceil(this.loop.now) + timeoutMs,
      dice: new Rng(mix(this.scenario.seed, this.#ordinal, 5)),
      calls: 0,
      flying: new Map(),
      done: false,
    };
  }

  #currentVersion(): Version {
    const { versions, quietAtMs } = this.scenario;
    let current = versions[0]?.version as Version;
    for (const { atMs, version } of versions) if (atMs <= this.loop.now) current = version;
    if (this.loop.now < quietAtMs) return current;
    // In the end the newest release runs: rows of a newer shape wait for it.
    if (this.#last === undefined) {
      const last = versions.at(-1)?.version as Version;
      this.#last = versions.some(({ version }) => version.row === 2) ? { ...last, row: 2 } : last;
    }
    return this.#last;
  }

  #last: Version | undefined;

  #announceDeploys(): void {
    const { versions } = this.scenario;
    for (const [index, { atMs, version }] of versions.entries()) {
      const before = versions[index - 1]?.version;
      if (before === undefined) continue;
      if (version.schema === 'strict' && before.schema === 'lenient') this.coverage.hit('deploy: stricter schema');
      if (version.fingerprint !== before.fingerprint) this.coverage.hit('deploy: other fingerprint');
      if (version.filter === 'strict' && before.filter === 'lenient') this.coverage.hit('deploy: stricter filter');
      if (version.row > before.row) this.coverage.hit('deploy: newer row version');
      if (version.row < before.row) this.coverage.hit('deploy: rollback to an older row version');
      this.loop.at(atMs, () => this.trace(() => `deploy ${JSON.stringify(version)}`));
    }
  }

  // Ends of an invocation ----------------------------------------------------------------------------------------------

  #answered(running: Running, answer: BatchAnswer, handles: readonly string[]): void {
    const { instance, invocation, batch } = running;
    if (invocation.done) return;
    invocation.done = true;
    this.#running.delete(running);
    instance.freeze();
    this.#idle.push(instance);
    const failed = answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
    this.trace(() => `${instance.name} ${invocation.requestId} answers: failed ${failed.join(' ') || 'nothing'}`);
    const ids = new Set(batch.map(({ messageId }) => messageId));
    if (new Set(failed).size < failed.length || failed.some((id) => !ids.has(id)))
      return this.#fail(new Broken('answer', `the answer names ${failed.join(' ')} for ${[...ids].join(' ')}`));
    const lost = this.#fault(invocation, 'ack', this.weather.queue);
    this.loop.after(5 + invocation.dice.next() * 40, () => {
      for (const handle of handles) {
        if (failed.includes(this.queue.messageIdOf(handle))) continue;
        if (lost && invocation.dice.chance(0.5)) this.coverage.hit('acknowledgement lost');
        else this.#guard(() => this.queue.delete(handle, this.loop.now));
      }
      this.schedulePoll();
    });
    this.#poll();
  }

  #timeOut(running: Running): void {
    const { instance, invocation } = running;
    if (invocation.done || instance.dead) return;
    this.coverage.hit('function: killed at its timeout');
    const excused = instance.pausedUntilMs > invocation.startedMs || this.#options.lenient === true;
    if (!excused) return this.#fail(new Broken('time-out', `${invocation.requestId} runs into the function's timeout`));
    instance.kill('killed at its timeout');
  }

  died(instance: Instance): void {
    for (const running of this.#running) {
      if (running.instance !== instance) continue;
      running.invocation.done = true;
      this.#running.delete(running);
    }
    const idle = this.#idle.indexOf(instance);
    if (idle >= 0) this.#idle.splice(idle, 1);
    this.schedulePoll();
  }

  #mayShowAgain(message: Message): void {
    const { invocation } = { invocation: this.#latest.get(message.messageId) as Invocation };
    if (this.queue.rules.fifo || !this.#fault(invocation, `again ${message.messageId}`, this.weather.queue * 0.7))
      return;
    const handle = message.handle;
    this.loop.after(invocation.dice.next() * 3_000, () => {
      if (message.handle !== handle || message.visibleAtMs <= this.loop.now) return;
      this.coverage.hit('message shown twice');
      if (!invocation.done) this.coverage.hit('visibility ran out while the message was worked on');
      this.trace(() => `SQS shows ${message.messageId} again`);
      this.queue.showAgain(message, this.loop.now);
      this.schedulePoll();
    });
  }

  #fault(invocation: Invocation, name: string, probability: number): boolean {
    const strikes = invocation.dice.chance(probability);
    const id = `${invocation.ordinal}.${name}`;
    if (!strikes || this.muted(id)) return false;
    this.faults.push(id);
    return true;
  }

  // The relay ----------------------------------------------------------------------------------------------------------

  #relay(): void {
    const { loop, scenario } = this;
    loop.after(scenario.relay.intervalMinutes * 60_000, () => this.#relay());
    const instance = this.#start('relay', this.#currentVersion());
    const invocation = this.#newInvocation(60_000);
    instance.begin(invocation);
    this.#relayRunning = true;
    const relay = createRelay({
      settings: { ...scenario.relay, leaseMarginMs: this.settings.leaseMarginMs },
      store: relayStoreOf(instance),
      notifier: notifierOf(instance),
      clock: instance.clock,
      random: new Rng(mix(scenario.seed, invocation.ordinal, 17)),
      telemetry: { info: () => {}, warn: () => {}, error: () => {}, count: () => {} },
    });
    loop.at(invocation.deadlineMs, () => {
      invocation.done = true;
      instance.kill('the relay ends');
      this.#relayRunning = false;
    });
    const end = (): void => {
      invocation.done = true;
      this.#relayRunning = false;
    };
    relay.run({ requestId: invocation.requestId, deadlineMs: invocation.deadlineMs + instance.skewMs }).then(end, end);
  }

  // The end ------------------------------------------------------------------------------------------------------------

  /** From the last fault on: redrives what is in the dead-letter queue once, and ends when nothing is left to do. */
  #watch(): void {
    const { loop, queue } = this;
    if (loop.now > this.scenario.quietAtMs + PATIENCE_MS) return this.#fail(new Broken('progress', this.#unrest()));
    loop.after(20_000, () => this.#watch());
    if (this.#unsent > 0 || this.#running.size > 0 || this.inFlight > 0 || this.#relayRunning) return;
    if (queue.inQueue > 0) return this.schedulePoll();
    if (this.#redrives < 3) {
      this.#redrives += 1;
      const waiting = queue.deadLetters.filter((dead) => !dead.redriven && this.#worthRedriving(dead));
      for (const dead of waiting) {
        this.coverage.hit('message redriven');
        const message = queue.redrive(dead, loop.now);
        this.ledger.sent(message);
        this.trace(() => `redrive of ${dead.messageId} as ${message.messageId}`);
      }
      if (waiting.length > 0) return this.schedulePoll();
    }
    for (const row of this.db.rows.values())
      if ('S' in (row.status ?? {}) && (row.status as { S: string }).S === 'pending' && this.#options.relay !== false)
        return;
    this.#ended = true;
    if (this.#options.lenient === true) return;
    this.ledger.atRest(queue.deadLetters);
    this.ledger.checkBusiness((key) => this.db.item(BUSINESS_TABLE, { pk: { S: key } }));
  }

  /** Everything once; what is not known to be bad again, since a handler may still have thrown. */
  #worthRedriving(dead: DeadLettered): boolean {
    const spec = this.ledger.specOf(dead.origin);
    if (spec === undefined) return false;
    if (SABOTAGE.has(spec.nature)) return this.#redrives === 1;
    return this.#redrives === 1 || !this.ledger.isHopeless(spec) || spec.nature === 'one_bad_of_several';
  }

  #unrest(): string {
    const pending = [...this.db.rows.values()]
      .filter((row) => JSON.stringify(row.status).includes('pending'))
      .map((row) => JSON.stringify(row.event_id));
    return `no rest ${PATIENCE_MS / 3_600_000} h after the last fault: ${this.queue.inQueue} messages in the queue, ${this.#running.size} invocations, pending: ${pending.join(' ')}`;
  }

  /** Shows the books what happens in a service; a broken promise stops the run, or is counted. */
  #look(fn: () => void): void {
    if (this.#options.lenient !== true) return fn();
    try {
      fn();
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      this.breaches.push({ promise: error.promise, message: error.message });
    }
  }

  /** A check that fails outside of the loop's own step. */
  #guard(fn: () => void): void {
    try {
      fn();
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      this.#fail(error);
    }
  }

  #fail(error: Broken): void {
    this.#break(error);
    this.#ended = true;
  }

  #break(error: Broken): void {
    this.#broken ??= error;
    this.trace(() => `BROKEN ${error.promise}: ${error.message}`);
  }
}

export function toRecord(message: Message): SourceRecord {
  return {
    id: message.messageId,
    body: message.body,
    attributes: message.attributes,
    receiveCount: message.receiveCount,
    receiptHandle: message.handle,
    ...(message.groupId !== undefined && { groupId: message.groupId }),
    sentAtMs: message.sentAtMs,
  };
}

export function simulate(seed: number, options: RunOptions = {}): Promise<RunResult> {
  return new World(seed, options).run();
}
