import type { AttributeMap } from '../../functions/src/core/attribute-value.ts';
import type { PipelineSettings } from '../../functions/src/core/settings.ts';
import { Breaker } from './breaker.ts';
import { Broken } from './broken.ts';
import { type ConsumerFactory, createRealConsumer, type Instance, type Invocation } from './container.ts';
import { Coverage } from './coverage.ts';
import { DynamoDb } from './dynamodb.ts';
import { Ending } from './ending.ts';
import { EventSource } from './event-source.ts';
import { Fleet } from './fleet.ts';
import { Ledger, type Witness } from './ledger.ts';
import { Loop } from './loop.ts';
import { BUSINESS_TABLE, ROW_TABLE } from './meaning.ts';
import { RelayRuns } from './relay-runs.ts';
import { mix, Rng } from './rng.ts';
import { type Scenario, scenarioOf, type Weather } from './scenario.ts';
import { Sns } from './sns.ts';
import { Sqs } from './sqs.ts';

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
const CALM: Weather = { calls: 0, answers: 0, queue: 0 };

/** One run: services, hosts, the producer, the poller and the relay, under one seed. */
export class World implements Witness {
  readonly scenario: Scenario;
  readonly settings: PipelineSettings;
  readonly loop = new Loop(START_MS);
  readonly coverage = new Coverage();
  readonly ledger: Ledger;
  readonly breaker = new Breaker();
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
  readonly options: RunOptions;
  readonly rng: Rng;
  readonly fleet: Fleet;
  readonly source: EventSource;
  readonly relay: RelayRuns;
  /** Messages that the producer has yet to send. */
  unsent: number;
  readonly #timeline: string[] = [];
  #broken: Broken | undefined;
  #ended = false;

  constructor(seed: number, options: RunOptions) {
    this.scenario = scenarioOf(seed, START_MS);
    this.options = options;
    this.consumer = options.consumer ?? createRealConsumer;
    this.rng = new Rng(mix(seed, 3));
    this.fleet = new Fleet(this);
    this.source = new EventSource(this);
    this.relay = new RelayRuns(this);
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
        quarantined: (message, by) =>
          look(() => {
            this.ledger.quarantined(message, by);
            this.breaker.quarantined(message.attributes.source_message_id?.value ?? message.messageId, by.invocation);
          }),
      },
    );
    this.ledger.queue = this.queue;
    this.unsent = this.scenario.messages.length - (options.dropped?.size ?? 0);
  }

  async run(): Promise<RunResult> {
    const { scenario, loop } = this;
    for (const sent of scenario.messages) {
      // Drawn for a message that is left out too, so that the others meet the same fate.
      const late = this.rng.next();
      if (this.options.dropped?.has(sent.origin) === true) continue;
      if (sent.nature === 'sent_twice') this.coverage.hit('message sent twice by the producer');
      loop.at(sent.atMs, () => {
        this.unsent -= 1;
        // A standard queue keeps no order.
        const delayMs = scenario.settings.source === 'sqs' && sent.together !== true ? late * 2_000 : 0;
        this.ledger.sent(this.queue.send(sent.body, {}, sent.groupId, sent.origin, loop.now, loop.now + delayMs));
        this.trace(
          () =>
            `producer sends ${sent.nature} ${sent.events.map(({ eventId }) => eventId).join(' ')}${sent.groupId === undefined ? '' : ` in ${sent.groupId}`}`,
        );
        this.source.schedulePoll();
      });
    }
    this.fleet.announceDeploys();
    loop.at(scenario.quietAtMs, () => {
      this.trace(() => 'all faults end');
      this.weather = CALM;
    });
    if (this.options.relay !== false) loop.after(60_000, () => this.relay.start());
    const ending = new Ending(this);
    ending.scheduleRedrives();
    loop.at(scenario.quietAtMs + 1_000, () => ending.watch());
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
      records: this.source.records,
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
    return this.options.muted?.has(fault) === true;
  }

  trace(text: () => string): void {
    if (this.options.trace === true)
      this.#timeline.push(`${((this.loop.now - START_MS) / 1000).toFixed(3).padStart(10)}  ${text()}`);
  }

  row(eventId: string): AttributeMap | undefined {
    return this.db.row(eventId);
  }

  receiveCountOf(attempt: string): number {
    return this.source.receiveCountOf(attempt);
  }

  invocationBegan(messageId: string): number {
    return this.source.invocationBegan(messageId);
  }

  returned(messageId: string, receiveCount: number, reason: string, by: Invocation | undefined): void {
    if (by !== undefined) this.guard(() => this.breaker.returned(messageId, reason, by));
    if (reason === 'lease_held') this.coverage.hit('lease: held by another');
    if (receiveCount >= this.scenario.maxReceiveCount)
      this.guard(() => this.ledger.failedOnLastReceive(messageId, reason));
  }

  tookOver(instance: Instance, eventId: string): void {
    if (!instance.name.startsWith('relay')) this.coverage.hit('lease: taken over');
    else
      this.coverage.hit(
        this.indexed.has(eventId) ? 'relay: took a row from the index' : 'relay: took a row by the sweep alone',
      );
  }

  /** Shows the books what happens in a service; a broken promise stops the run, or is counted. */
  #look(fn: () => void): void {
    if (this.options.lenient !== true) return fn();
    try {
      fn();
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      this.breaches.push({ promise: error.promise, message: error.message });
    }
  }

  /** A check that fails outside of the loop's own step. */
  guard(fn: () => void): void {
    try {
      fn();
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      this.fail(error);
    }
  }

  end(): void {
    this.#ended = true;
  }

  fail(error: Broken): void {
    this.#break(error);
    this.end();
  }

  #break(error: Broken): void {
    this.#broken ??= error;
    this.trace(() => `BROKEN ${error.promise}: ${error.message}`);
  }
}

export function simulate(seed: number, options: RunOptions = {}): Promise<RunResult> {
  return new World(seed, options).run();
}
