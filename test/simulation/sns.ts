import type { Notification } from '../../functions/src/core/types.ts';

export interface Published {
  readonly atMs: number;
  readonly notification: Notification;
  /** False for a copy that a FIFO topic dropped within its five minutes. */
  readonly delivered: boolean;
}

/** What reached the topic. A FIFO topic drops a second message with one de-duplication id for five minutes. */
export class Sns {
  readonly published: Published[] = [];
  readonly #deduplicated = new Map<string, number>();
  readonly #onPublish: (published: Published) => void;
  #next = 0;

  constructor(onPublish: (published: Published) => void) {
    this.#onPublish = onPublish;
  }

  /** Undefined when SNS refuses the entry: https://docs.aws.amazon.com/sns/latest/api/API_Publish.html */
  publish(notification: Notification, nowMs: number): string | undefined {
    if (isRefused(notification)) return undefined;
    this.#next += 1;
    const id = notification.deduplicationId;
    const fifo = notification.topicArn.endsWith('.fifo');
    const last = fifo && id !== undefined ? this.#deduplicated.get(id) : undefined;
    const delivered = last === undefined || nowMs - last >= 300_000;
    if (fifo && id !== undefined && delivered) this.#deduplicated.set(id, nowMs);
    const published = { atMs: nowMs, notification, delivered };
    this.published.push(published);
    this.#onPublish(published);
    return `sns-${this.#next}`;
  }
}

function isRefused({ message, attributes, groupId }: Notification): boolean {
  const values = Object.entries(attributes);
  const bytes = values.reduce(
    (sum, [name, { type, value }]) => sum + Buffer.byteLength(name + type + value),
    Buffer.byteLength(message),
  );
  return (
    bytes > 262_144 || message === '' || values.some(([, { value }]) => value === '') || (groupId?.length ?? 0) > 128
  );
}
