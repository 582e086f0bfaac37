import { Broken } from './broken.ts';
import { textOf } from './dynamodb.ts';
import { BUSINESS_TABLE } from './meaning.ts';
import { checkBusiness, checkRest } from './rest.ts';
import { mix, Rng } from './rng.ts';
import type { DeadLettered } from './sqs.ts';
import { SABOTAGE } from './traffic.ts';
import type { World } from './world.ts';

/** Everything must have come to rest this long after the last fault. */
const PATIENCE_MS = 12 * 3_600_000;
/** The relay has published everything: three segments of a sweep, five minutes each, after the latest commit. */
const RELAY_MS = 60 * 60_000;
/** Rounds in which a person redrives the dead-letter queue. */
const REDRIVES = 3;

/** The end of a run: all faults are over, dead letters are redriven, and everything must come to rest. */
export class Ending {
  readonly world: World;
  #redrives = 0;

  constructor(world: World) {
    this.world = world;
  }

  /** From the last fault on: redrives what is in the dead-letter queue once, and ends when nothing is left to do. */
  watch(): void {
    const { loop, queue } = this.world;
    if (loop.now > this.world.scenario.quietAtMs + PATIENCE_MS)
      return this.world.fail(new Broken('progress', this.#unrest()));
    loop.after(20_000, () => this.watch());
    if (this.world.unsent > 0 || this.world.source.busy > 0 || this.world.inFlight > 0 || this.world.relay.running)
      return;
    if (queue.inQueue > 0) return this.world.source.schedulePoll();
    const owed = [...this.world.db.rows.values()].some((row) => textOf(row.status) === 'pending');
    const relayed = this.world.options.relay !== false;
    // Under every other seed nobody redrives before the relay has published what is owed: it needs no help.
    if (owed && relayed && this.world.scenario.seed % 2 === 1) {
      if (loop.now > this.world.scenario.quietAtMs + RELAY_MS) this.world.fail(new Broken('G2', this.#unrest()));
      return;
    }
    if (this.#redrives < REDRIVES) {
      this.#redrives += 1;
      if (this.#redrive((dead) => this.#worthRedriving(dead)) > 0) return this.world.source.schedulePoll();
    }
    if (owed && relayed) return;
    this.world.end();
    if (this.world.options.lenient === true) return;
    checkRest(this.world.ledger, this.world, queue.deadLetters);
    checkBusiness(this.world.ledger, (key) => this.world.db.item(BUSINESS_TABLE, { pk: { S: key } }));
  }

  /** In the middle of the storm somebody redrives everything, as people do. */
  scheduleRedrives(): void {
    const { scenario, loop } = this.world;
    const dice = new Rng(mix(scenario.seed, 31));
    for (let count = dice.int(0, 2); count > 0; count -= 1) {
      loop.after(dice.next() * 200_000, () => {
        if (loop.now >= scenario.quietAtMs) return;
        this.#redrive((dead) => !SABOTAGE.has(this.world.ledger.truth.specOf(dead.origin)?.nature ?? ''));
        this.world.source.schedulePoll();
      });
    }
  }

  #redrive(chosen: (dead: DeadLettered) => boolean): number {
    const { queue, loop, coverage, ledger } = this.world;
    const waiting = queue.deadLetters.filter((dead) => !dead.redriven && chosen(dead));
    for (const dead of waiting) {
      coverage.hit('message redriven');
      const message = queue.redrive(dead, loop.now);
      ledger.sent(message);
      this.world.trace(() => `redrive of ${dead.messageId} as ${message.messageId}`);
    }
    return waiting.length;
  }

  /** Everything once; what is not known to be bad again, since a handler may still have thrown. */
  #worthRedriving(dead: DeadLettered): boolean {
    const spec = this.world.ledger.truth.specOf(dead.origin);
    if (spec === undefined) return false;
    if (SABOTAGE.has(spec.nature)) return this.#redrives === 1;
    return this.#redrives === 1 || !this.world.ledger.truth.isHopeless(spec) || spec.nature === 'one_bad_of_several';
  }

  #unrest(): string {
    const pending = [...this.world.db.rows.values()]
      .filter((row) => textOf(row.status) === 'pending')
      .map((row) => textOf(row.event_id));
    return `no rest ${Math.round((this.world.loop.now - this.world.scenario.quietAtMs) / 60_000)} minutes after the last fault: ${this.world.queue.inQueue} messages in the queue, ${this.world.source.busy} invocations, pending: ${pending.join(' ')}`;
  }
}
