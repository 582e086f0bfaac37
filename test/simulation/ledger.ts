import type { AttributeMap } from '../../functions/src/core/attribute-value.ts';
import { parseRow } from '../../functions/src/core/row.ts';
import type { Notification } from '../../functions/src/core/types.ts';
import type { CommitEvent, QuarantinedMessage, RowUpdate } from '../../functions/src/ports.ts';
import { Broken } from './broken.ts';
import type { Observer } from './dynamodb.ts';
import { numberText, textOf } from './dynamodb.ts';
import type { Scenario } from './scenario.ts';
import type { Published } from './sns.ts';
import type { Message, Quarantiner, Sqs, SqsObserver } from './sqs.ts';
import { SABOTAGE, type Sent } from './traffic.ts';
import { Truth } from './truth.ts';

/** What the ledger must know of the world to judge a call. */
export interface Witness {
  readonly nowMs: number;
  row(eventId: string): AttributeMap | undefined;
  /** How often a message had been received when it was given to an attempt, `request id/message id`. */
  receiveCountOf(attempt: string): number;
  /** When the latest invocation began that was given this message. */
  invocationBegan(messageId: string): number;
  trace(text: () => string): void;
}

/**
 * Keeps the books and compares them with the promises after every step. It looks at what is executed in the services,
 * never at what the consumer says about itself.
 */
export class Ledger implements Observer, SqsObserver {
  readonly commits = new Map<string, number>();
  /** When an event was committed. */
  readonly committedAt = new Map<string, number>();
  /** The notifications stored with an event, and how often each was published. */
  readonly #owed = new Map<string, { readonly notification: Notification; count: number }[]>();
  readonly #firstPublished = new Map<string, number>();
  readonly scenario: Scenario;
  readonly #witness: Witness;
  readonly truth: Truth;
  /** Messages that the producer does not send in this run. */
  readonly dropped: ReadonlySet<number>;
  /** Messages of each FIFO group, in order. */
  readonly #lanes = new Map<string, Message[]>();
  queue: Sqs | undefined;
  duplicateNotifications = 0;

  constructor(scenario: Scenario, witness: Witness, dropped: ReadonlySet<number>) {
    this.dropped = dropped;
    this.scenario = scenario;
    this.#witness = witness;
    this.truth = new Truth(
      scenario,
      (eventId) => witness.row(eventId),
      (messageId) => this.queue?.originOf(messageId),
    );
  }

  sent(message: Message): void {
    if (message.groupId === undefined || !this.#fifo) return;
    const lane = this.#lanes.get(message.groupId);
    if (lane === undefined) this.#lanes.set(message.groupId, [message]);
    else lane.push(message);
  }

  // What DynamoDB executes ---------------------------------------------------------------------------------------------

  committing(event: CommitEvent): void {
    const eventId = textOf(event.row.event_id);
    const count = (this.commits.get(eventId) ?? 0) + 1;
    this.commits.set(eventId, count);
    if (count > 1) throw new Broken('G1', `event ${eventId} is committed a second time`);
    this.committedAt.set(eventId, this.#witness.nowMs);
    this.#checkWrites(eventId, event);
    if (this.#fifo) this.#checkLane(eventId, 'committed', textOf(event.row.message_id));
  }

  rowChanged(
    eventId: string,
    before: AttributeMap | undefined,
    after: AttributeMap,
    by: RowUpdate['kind'] | 'commit',
  ): void {
    const pending = textOf(after.status) === 'pending';
    if (pending && after.expires_at !== undefined)
      throw new Broken('rule 8', `the pending row of ${eventId} carries the TTL attribute`);
    if (!pending && numberText(after.expires_at) === '')
      throw new Broken('rule 8', `the sent row of ${eventId} is kept for ever`);
    if (pending && (by === 'takeover' || by === 'release') && textOf(after.relay_shard) === '')
      throw new Broken('rule 9', `${by} of ${eventId} leaves the row out of the relay's index`);
    if (before !== undefined && textOf(before.status) === 'sent' && pending)
      throw new Broken('G2', `${eventId} goes back from sent to pending`);
    if (by === 'commit' && pending) this.#checkTrouble(eventId, after);
    if (by === 'commit') this.#owe(eventId, after);
    if (!pending) {
      for (const { count } of this.#owed.get(eventId) ?? []) {
        if (count === 0) throw new Broken('G2', `${eventId} is marked as sent before it was published`);
      }
    }
  }

  /** Rule 9: the commit of a delivery that may be the last one is in the relay's index from the start. */
  #checkTrouble(eventId: string, row: AttributeMap): void {
    const attempt = textOf(row.lease_owner);
    const receives = this.#witness.receiveCountOf(attempt);
    if (receives <= 1 && this.scenario.maxReceiveCount > 1) return;
    if (textOf(row.relay_shard) === '')
      throw new Broken(
        'rule 9',
        `${attempt} commits ${eventId} at receive ${receives} and leaves it out of the relay's index`,
      );
  }

  #owe(eventId: string, row: AttributeMap): void {
    const parsed = parseRow({ ...row, v: { N: '1' } });
    if ('unknown' in parsed) throw new Broken('G2', `the row of ${eventId} cannot be read back`);
    this.#owed.set(
      eventId,
      parsed.notifications.map((notification) => ({ notification, count: 0 })),
    );
  }

  /** All business writes of an event, or none where a newer event has won. */
  #checkWrites(eventId: string, event: CommitEvent): void {
    const expected = this.scenario.kind === 'handler' ? 2 : 1;
    if (event.writes.length === expected) return;
    if (event.writes.length === 0 && this.scenario.kind === 'newer') return;
    throw new Broken(
      'G1',
      `event ${eventId} is committed with ${event.writes.length} of its ${expected} business writes`,
    );
  }

  // What SNS takes -----------------------------------------------------------------------------------------------------

  published({ notification }: Published): void {
    const eventId = notification.attributes.event_id?.value ?? '';
    const owed = this.#owed.get(eventId);
    if (owed === undefined) throw new Broken('G1', `${eventId} is published before it is committed`);
    const place = owed.find((entry) => entry.notification.message === notification.message);
    if (place === undefined) throw new Broken('G2', `what is published for ${eventId} is not what its commit stored`);
    place.count += 1;
    if (place.count > 1) this.duplicateNotifications += 1;
    if (this.#firstPublished.has(eventId)) return;
    this.#firstPublished.set(eventId, this.#witness.nowMs);
    if (this.scenario.topicFifo) this.#checkLane(eventId, 'published', textOf(this.#witness.row(eventId)?.message_id));
  }

  isPublished(eventId: string): boolean {
    return (this.#owed.get(eventId) ?? []).every(({ count }) => count > 0);
  }

  // What SQS does ------------------------------------------------------------------------------------------------------

  /** G3 and G4: a message leaves the queue because its events are sent, or is in the dead-letter queue. */
  deleting(message: Message): void {
    const { queue } = this;
    const dead = queue?.deadLetters.some((other) => other.messageId === message.messageId && other.by === 'quarantine');
    const spec = this.truth.specOf(message.origin);
    if (dead === true || spec === undefined) return;
    for (const { eventId, good, legacy } of spec.events) {
      const row = this.#witness.row(eventId);
      const status = textOf(row?.status);
      if (status === 'sent') continue;
      // An excluded event is acknowledged for what its row said: another copy may commit it a moment later.
      const began = this.#witness.invocationBegan(message.messageId);
      const excluded = legacy && this.truth.everFiltered() && (this.committedAt.get(eventId) ?? 0) >= began;
      if (status === 'pending' && !excluded)
        throw new Broken('G4', `${message.messageId} is acknowledged while ${eventId} is pending`);
      if (spec.nature === 'not_ours') continue;
      if (legacy && this.truth.everFiltered()) continue;
      throw new Broken(
        'G3',
        `${message.messageId} is acknowledged although ${eventId} ${good ? 'was never committed' : 'is bad and not in the dead-letter queue'}`,
      );
    }
    if (spec.events.length === 0)
      throw new Broken(
        'G3',
        `${message.messageId} cannot be read and is acknowledged without a copy in the dead-letter queue`,
      );
    if (this.truth.isOtherPayload(spec) && !(this.truth.everFiltered() && spec.events.some(({ legacy }) => legacy)))
      throw new Broken(
        'G3',
        `${message.messageId} carries another payload under a used id and is acknowledged as a duplicate`,
      );
  }

  /** G5: when all faults are over, one message that kills the process takes nobody of another group along. */
  moved(message: Message): void {
    this.#witness.trace(
      () => `SQS moves ${message.messageId} to the dead-letter queue after ${message.receiveCount} receives`,
    );
    const { scenario } = this;
    const spec = this.truth.specOf(message.origin);
    // A killer is suspected from its third receive on; with fewer than four receives its neighbours have no chance to pass it.
    if (spec === undefined || scenario.maxReceiveCount < 4) return;
    // A lease that a crash left behind is waited for, and the waiting takes receives.
    if (message.sentAtMs < scenario.calmAtMs) return;
    if (
      this.truth.mayBeQuarantined(spec) ||
      this.truth.looksLikeAnother(spec, message.messageId) ||
      SABOTAGE.has(spec.nature)
    )
      return;
    const killer = scenario.messages.find(({ nature }) => SABOTAGE.has(nature));
    // What is behind a killer or a bad message in its group waits for it: only what is ahead, and other groups, are
    // promised anything. Under another fingerprint any redriven head may be bad.
    if (this.#fifo && scenario.versions.some(({ version }) => version.fingerprint === 'order')) return;
    if (spec.nature === 'throws_at_first') return;
    if (this.#aheadOf(message).some((other) => this.#mayBlock(this.truth.specOf(other.origin), killer))) return;
    throw new Broken(
      'G5',
      `${message.messageId} (${spec.nature}) is dead-lettered with no fault around${killer === undefined ? '' : ', beside a message that kills the process'}`,
    );
  }

  /** What was sent before it in its FIFO group. */
  #aheadOf(message: Message): readonly Message[] {
    const lane = this.#lanes.get(message.groupId ?? '') ?? [];
    return lane.slice(0, Math.max(0, lane.indexOf(message)));
  }

  #mayBlock(spec: Sent | undefined, killer: Sent | undefined): boolean {
    if (spec === undefined) return false;
    return spec === killer || spec.nature === 'throws_at_first' || this.truth.mayBeQuarantined(spec);
  }

  /** Rule 10 and G5: only what is bad, and never what is committed and unsent. */
  quarantined(message: QuarantinedMessage, by: Quarantiner): void {
    const messageId = message.attributes.source_message_id?.value ?? message.messageId;
    const spec = this.truth.specOfBody(message.body);
    if (spec === undefined) throw new Broken('G3', `the quarantined copy of ${messageId} has another body`);
    if (!this.truth.mayBeQuarantined(spec) && !this.truth.looksLikeAnother(spec, messageId))
      throw new Broken(
        'G5',
        `${messageId} (${spec.nature}) is quarantined as ${message.attributes.error_type?.value}, though nothing is wrong with it`,
      );
    for (const { eventId } of spec.events) {
      const pending = textOf(this.#witness.row(eventId)?.status) === 'pending';
      if (pending && (this.committedAt.get(eventId) ?? Number.POSITIVE_INFINITY) < by.startedMs)
        throw new Broken(
          'rule 10',
          `${messageId} is quarantined while ${eventId}, committed before this attempt, is pending`,
        );
      if (this.#witness.row(eventId) === undefined && (by.flying.get(eventId) ?? 0) > 0)
        throw new Broken(
          'rule 10',
          `${messageId} is quarantined while a commit of ${eventId} by this attempt may still be executed`,
        );
    }
  }

  // Order --------------------------------------------------------------------------------------------------------------

  get #fifo(): boolean {
    return this.scenario.settings.source === 'sqs_fifo';
  }

  /**
   * An event of a FIFO group is committed (published) after everything before it in its group is: committed (published),
   * gone to the dead-letter queue, acknowledged, or returned on its last receive.
   */
  #checkLane(eventId: string, what: 'committed' | 'published', messageId: string): void {
    for (const lane of this.#lanes.values()) {
      const place = lane.findIndex((message) => message.messageId === messageId);
      if (place < 0) continue;
      for (const earlier of lane.slice(0, place)) {
        if (earlier.state !== 'queued' || earlier.receiveCount >= this.scenario.maxReceiveCount) continue;
        const open = this.truth
          .specOf(earlier.origin)
          ?.events.find(
            (event) =>
              event.eventId !== eventId &&
              !(what === 'committed'
                ? this.commits.has(event.eventId)
                : this.#firstPublished.has(event.eventId) || this.isSentSilently(event.eventId)),
          );
        if (open === undefined) continue;
        if (this.queue?.deadLetters.some((dead) => dead.messageId === earlier.messageId) === true) continue;
        if (this.truth.specOf(earlier.origin)?.nature === 'not_ours' || open.legacy) continue;
        throw new Broken(
          'order',
          `${eventId} is ${what} before ${open.eventId} of ${earlier.messageId}, which is ahead in its group`,
        );
      }
      return;
    }
  }

  isSentSilently(eventId: string): boolean {
    return this.commits.has(eventId) && (this.#owed.get(eventId)?.length ?? 0) === 0;
  }

  /** The lane of a head that fails on its last receive goes on; nobody follows it into the dead-letter queue untried. */
  failedOnLastReceive(messageId: string, reason: string): void {
    if (reason === 'lane_blocked')
      throw new Broken(
        'untried',
        `${messageId} is returned untried on its last receive, because of the head of its group`,
      );
  }
}
