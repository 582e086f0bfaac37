import type { BatchAnswer } from '../../functions/src/core/pipeline.ts';
import type { SourceRecord } from '../../functions/src/core/types.ts';
import { Broken } from './broken.ts';
import type { Instance, Invocation } from './container.ts';
import { mix, Rng } from './rng.ts';
import type { Message } from './sqs.ts';
import type { World } from './world.ts';

interface Running {
  readonly instance: Instance;
  readonly invocation: Invocation;
  readonly batch: readonly Message[];
}

/**
 * Lambda's event source mapping: receives batches, invokes warm or new containers, deletes what an answer does not name,
 * and leaves everything of a failed invocation to its visibility timeout.
 */
export class EventSource {
  readonly world: World;
  /** Deliveries to an invocation. */
  records = 0;
  readonly #twins: Rng;
  readonly #idle: Instance[] = [];
  readonly #running = new Set<Running>();
  readonly #latest = new Map<string, Invocation>();
  /** Receive counts by attempt. */
  readonly #attempts = new Map<string, number>();
  #pollAtMs = Number.POSITIVE_INFINITY;

  constructor(world: World) {
    this.world = world;
    this.#twins = new Rng(mix(world.scenario.seed, 19));
  }

  /** Invocations under way. */
  get busy(): number {
    return this.#running.size;
  }

  invocationBegan(messageId: string): number {
    return this.#latest.get(messageId)?.startedMs ?? Number.NEGATIVE_INFINITY;
  }

  receiveCountOf(attempt: string): number {
    return this.#attempts.get(attempt) ?? 0;
  }

  schedulePoll(): void {
    const next = this.world.queue.nextVisibleMs();
    if (next === undefined || this.world.options.polling === false) return;
    const atMs = Math.max(next, this.world.loop.now) + 1;
    if (atMs >= this.#pollAtMs) return;
    this.#pollAtMs = atMs;
    this.world.loop.at(atMs, () => {
      if (this.#pollAtMs !== atMs) return;
      this.#pollAtMs = Number.POSITIVE_INFINITY;
      this.#poll();
    });
  }

  #poll(): void {
    while (this.#running.size < this.world.scenario.concurrency) {
      const batch = this.world.queue.receive(this.world.scenario.batchSize, this.world.loop.now, (messages) =>
        messages
          .map((message) => ({ message, at: this.world.rng.next() }))
          .sort((a, b) => a.at - b.at)
          .map(({ message }) => message),
      );
      if (batch.length === 0) break;
      this.#invoke(batch);
    }
    if (this.#running.size < this.world.scenario.concurrency) this.schedulePoll();
  }

  #invoke(batch: readonly Message[]): void {
    const { loop, scenario } = this.world;
    const version = this.world.fleet.currentVersion();
    let instance = this.world.rng.chance(0.7) ? this.#idle.find((idle) => idle.version === version) : undefined;
    if (instance === undefined) instance = this.world.fleet.start('fn', version);
    else this.#idle.splice(this.#idle.indexOf(instance), 1);
    const invocation = this.world.fleet.newInvocation(scenario.settings.functionTimeoutMs);
    const running: Running = { instance, invocation, batch };
    this.#running.add(running);
    if (this.#running.size > 1) this.world.coverage.hit('function: overlapping invocations');
    if (this.world.relay.running) this.world.coverage.hit('relay: overlapped by a consumer');
    this.records += batch.length;
    for (const message of batch) {
      this.#latest.set(message.messageId, invocation);
      this.#attempts.set(`${invocation.requestId}/${message.messageId}`, message.receiveCount);
    }
    this.world.trace(
      () =>
        `${running.instance.name} ${invocation.requestId} receives ${batch
          .map(
            ({ messageId, receiveCount, origin }) =>
              `${messageId}(${this.world.ledger.truth.specOf(origin)?.nature} ${this.world.ledger.truth
                .specOf(origin)
                ?.events.map(({ eventId }) => eventId)
                .join(' ')})x${receiveCount}`,
          )
          .join(', ')}`,
    );
    instance.begin(invocation);
    const records = batch.map((message) => toRecord(message));
    const twice = batch[this.#twins.int(0, batch.length - 1)];
    if (twice !== undefined && !this.world.queue.rules.fifo && this.#twins.chance(this.world.weather.queue * 0.5)) {
      this.world.coverage.hit('message delivered twice in one batch');
      records.push({ ...toRecord(twice), receiptHandle: this.world.queue.secondHandle(twice) });
    }
    this.world.breaker.began(invocation, records.length, batch, this.world.queue.rules.fifo);
    const handles = records.map(({ receiptHandle }) => receiptHandle ?? '');
    loop.at(invocation.deadlineMs, () => this.#timeOut(running));
    for (const message of batch) this.#mayShowAgain(message);
    // Through the instance: a process that dies in its first step hears of nothing more.
    loop.after(0, () => {
      if (running.instance.dead) return;
      running.instance.run(records, invocation).then(
        (answer) => running.instance.deliver(() => this.#answered(running, answer, handles)),
        (error: unknown) => {
          this.world.trace(() => `${running.instance.name} throws ${String(error)}`);
          this.world.fail(
            new Broken(
              'answer',
              `the consumer throws: ${error instanceof Error ? `${error.name} ${error.message} ${error.stack?.split('\n')[1]}` : String(error)}`,
            ),
          );
        },
      );
    });
  }

  #answered(running: Running, answer: BatchAnswer, handles: readonly string[]): void {
    const { instance, invocation, batch } = running;
    if (invocation.done) return;
    invocation.done = true;
    this.#running.delete(running);
    instance.freeze();
    this.#idle.push(instance);
    this.world.guard(() => this.world.breaker.answered(invocation));
    const failed = answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
    this.world.trace(() => `${instance.name} ${invocation.requestId} answers: failed ${failed.join(' ') || 'nothing'}`);
    const ids = new Set(batch.map(({ messageId }) => messageId));
    if (new Set(failed).size < failed.length || failed.some((id) => !ids.has(id)))
      return this.world.fail(new Broken('answer', `the answer names ${failed.join(' ')} for ${[...ids].join(' ')}`));
    const lost = this.#fault(invocation, 'ack', this.world.weather.queue);
    this.world.loop.after(5 + invocation.dice.next() * 40, () => {
      for (const handle of handles) {
        if (failed.includes(this.world.queue.messageIdOf(handle))) continue;
        if (lost && invocation.dice.chance(0.5)) this.world.coverage.hit('acknowledgement lost');
        else this.world.guard(() => this.world.queue.delete(handle, this.world.loop.now));
      }
      this.schedulePoll();
    });
    this.#poll();
  }

  #timeOut(running: Running): void {
    const { instance, invocation } = running;
    if (invocation.done || instance.dead) return;
    this.world.coverage.hit('function: killed at its timeout');
    const excused = instance.pausedUntilMs > invocation.startedMs || this.world.options.lenient === true;
    if (!excused)
      return this.world.fail(new Broken('time-out', `${invocation.requestId} runs into the function's timeout`));
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
    if (
      this.world.queue.rules.fifo ||
      !this.#fault(invocation, `again ${message.messageId}`, this.world.weather.queue * 0.7)
    )
      return;
    const handle = message.handle;
    this.world.loop.after(invocation.dice.next() * 3_000, () => {
      if (message.handle !== handle || message.visibleAtMs <= this.world.loop.now) return;
      this.world.coverage.hit('message shown twice');
      if (!invocation.done) this.world.coverage.hit('visibility ran out while the message was worked on');
      this.world.trace(() => `SQS shows ${message.messageId} again`);
      this.world.queue.showAgain(message, this.world.loop.now);
      this.schedulePoll();
    });
  }

  #fault(invocation: Invocation, name: string, probability: number): boolean {
    const strikes = invocation.dice.chance(probability);
    const id = `${invocation.ordinal}.${name}`;
    if (!strikes || this.world.muted(id)) return false;
    this.world.faults.push(id);
    return true;
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
