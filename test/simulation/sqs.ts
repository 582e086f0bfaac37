import type { MessageAttribute } from '../../functions/src/core/types.ts';
import type { QuarantinedMessage } from '../../functions/src/ports.ts';

export interface Message {
  readonly messageId: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, MessageAttribute>>;
  readonly groupId: string | undefined;
  readonly sentAtMs: number;
  /** Place in the queue; it decides the order of a FIFO group. */
  readonly position: number;
  /** Which message of the producer this is; it stays through redrives. */
  readonly origin: number;
  receiveCount: number;
  visibleAtMs: number;
  /** Receipt handles that still delete it. */
  readonly handles: Set<string>;
  /** Visibility of the handle that counts; an older one changes nothing. */
  handle: string;
  state: 'queued' | 'deleted' | 'moved';
}

export interface DeadLettered {
  readonly messageId: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, MessageAttribute>>;
  readonly groupId: string | undefined;
  readonly origin: number;
  readonly by: 'quarantine' | 'receives';
  redriven: boolean;
}

export interface SqsRules {
  readonly fifo: boolean;
  readonly visibilityMs: number;
  readonly maxReceiveCount: number;
}

/** The attempt that quarantines a message. */
export interface Quarantiner {
  readonly startedMs: number;
  readonly invocation: object;
  /** Commits that this attempt began before it sent the message, and that may still be executed, by event. */
  readonly flying: ReadonlyMap<string, number>;
}

export interface SqsObserver {
  deleting(message: Message): void;
  moved(message: Message): void;
  quarantined(message: QuarantinedMessage, by: Quarantiner): void;
}

/**
 * A queue with its dead-letter queue.
 *
 * - A received message is hidden for the visibility timeout, and comes back when nobody deleted it.
 * - A message that was received as often as allowed is moved at its next receive, untried, with its id kept.
 * - A redrive sends a copy with a new message id and a receive count of zero, at the end of its group.
 * - FIFO: while one message of a group is in flight, no other of it is delivered; a batch takes the group in order.
 * - A stale receipt handle still deletes on a standard queue, and is refused by a FIFO queue once visibility ran out.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/using-messagegroupid-property.html
 */
export class Sqs {
  readonly messages = new Map<string, Message>();
  readonly deadLetters: DeadLettered[] = [];
  readonly rules: SqsRules;
  readonly #observer: SqsObserver;
  readonly #byHandle = new Map<string, Message>();
  readonly #quarantinedIds = new Set<string>();
  readonly #origins = new Map<string, number>();
  #next = 0;

  constructor(rules: SqsRules, observer: SqsObserver) {
    this.rules = rules;
    this.#observer = observer;
  }

  send(
    body: string,
    attributes: Readonly<Record<string, MessageAttribute>>,
    groupId: string | undefined,
    origin: number,
    nowMs: number,
    visibleAtMs = nowMs,
  ): Message {
    this.#next += 1;
    const message: Message = {
      messageId: `m${this.#next}`,
      body,
      attributes,
      groupId,
      sentAtMs: nowMs,
      position: this.#next,
      origin,
      receiveCount: 0,
      visibleAtMs,
      handles: new Set(),
      handle: '',
      state: 'queued',
    };
    this.messages.set(message.messageId, message);
    this.#origins.set(message.messageId, origin);
    return message;
  }

  /** `order` shuffles a standard queue; a FIFO queue keeps its own. */
  receive(most: number, nowMs: number, order: (messages: Message[]) => Message[]): Message[] {
    const visible = this.rules.fifo
      ? this.#visibleGroups(nowMs)
      : order([...this.messages.values()].filter((message) => message.visibleAtMs <= nowMs));
    const batch: Message[] = [];
    for (const message of visible) {
      if (message.receiveCount >= this.rules.maxReceiveCount) {
        this.#move(message);
        continue;
      }
      if (batch.length === most) continue;
      message.receiveCount += 1;
      message.visibleAtMs = nowMs + this.rules.visibilityMs;
      message.handle = `${message.messageId}#${message.receiveCount}`;
      message.handles.add(message.handle);
      this.#byHandle.set(message.handle, message);
      batch.push(message);
    }
    return batch;
  }

  /** A standard queue may deliver a message twice in one batch; the second copy has a receipt handle of its own. */
  secondHandle(message: Message): string {
    const handle = `${message.handle}+`;
    message.handles.add(handle);
    this.#byHandle.set(handle, message);
    message.handle = handle;
    return handle;
  }

  messageIdOf(handle: string): string {
    return this.#byHandle.get(handle)?.messageId ?? '';
  }

  /** True when it is gone. */
  delete(handle: string, nowMs: number): boolean {
    const message = this.#byHandle.get(handle);
    if (message === undefined || message.state !== 'queued') return message?.state === 'deleted';
    if (this.rules.fifo && (message.handle !== handle || message.visibleAtMs <= nowMs)) return false;
    this.#observer.deleting(message);
    message.state = 'deleted';
    this.messages.delete(message.messageId);
    return true;
  }

  changeVisibility(handle: string, seconds: number, nowMs: number): boolean {
    const message = this.#byHandle.get(handle);
    if (
      message === undefined ||
      message.state !== 'queued' ||
      message.handle !== handle ||
      message.visibleAtMs <= nowMs
    )
      return false;
    message.visibleAtMs = nowMs + seconds * 1000;
    return true;
  }

  /** SQS shows a hidden message a second time: at-least-once delivery, which a standard queue may always do. */
  showAgain(message: Message, nowMs: number): void {
    if (message.state === 'queued') message.visibleAtMs = nowMs;
  }

  quarantine(message: QuarantinedMessage, by: Quarantiner): void {
    this.#observer.quarantined(message, by);
    const source = message.attributes.source_message_id?.value ?? message.messageId;
    // A FIFO dead-letter queue takes one of several copies with the same de-duplication id.
    if (this.rules.fifo && this.#quarantinedIds.has(message.deduplicationId ?? '')) return;
    this.#quarantinedIds.add(message.deduplicationId ?? '');
    const origin = this.#origins.get(source) ?? -1;
    this.deadLetters.push({
      messageId: source,
      body: message.body,
      attributes: message.attributes,
      groupId: message.groupId,
      origin,
      by: 'quarantine',
      redriven: false,
    });
  }

  /** StartMessageMoveTask, one message: a new id, and its receive count starts again. */
  redrive(dead: DeadLettered, nowMs: number): Message {
    dead.redriven = true;
    return this.send(dead.body, dead.attributes, dead.groupId, dead.origin, nowMs);
  }

  get inQueue(): number {
    return this.messages.size;
  }

  /** When the next message can be received; undefined for an empty queue. A group waits for all of its own in flight. */
  nextVisibleMs(): number | undefined {
    let next: number | undefined;
    const groups = new Map<string, number>();
    for (const { groupId, visibleAtMs } of this.messages.values()) {
      if (this.rules.fifo) groups.set(groupId ?? '', Math.max(groups.get(groupId ?? '') ?? 0, visibleAtMs));
      else if (next === undefined || visibleAtMs < next) next = visibleAtMs;
    }
    for (const visibleAtMs of groups.values()) if (next === undefined || visibleAtMs < next) next = visibleAtMs;
    return next;
  }

  originOf(messageId: string): number | undefined {
    return this.#origins.get(messageId);
  }

  #visibleGroups(nowMs: number): Message[] {
    const blocked = new Set<string>();
    for (const message of this.messages.values()) if (message.visibleAtMs > nowMs) blocked.add(message.groupId ?? '');
    return [...this.messages.values()].filter((message) => !blocked.has(message.groupId ?? ''));
  }

  #move(message: Message): void {
    message.state = 'moved';
    this.messages.delete(message.messageId);
    this.deadLetters.push({
      messageId: message.messageId,
      body: message.body,
      attributes: message.attributes,
      groupId: message.groupId,
      origin: message.origin,
      by: 'receives',
      redriven: false,
    });
    this.#observer.moved(message);
  }
}
