import { Broken } from './broken.ts';

/** A batch smaller than this says nothing about a deploy. */
const SMALLEST = 5;

/** What is known of one invocation. */
interface Batch {
  readonly requestId: string;
  readonly records: number;
  readonly messages: ReadonlySet<string>;
  readonly fifo: boolean;
  /** The first message of each lane; on a standard queue each message is a lane. */
  readonly heads: ReadonlySet<string>;
  readonly quarantined: Set<string>;
  readonly heldBack: Set<string>;
}

/**
 * The breaker: a bad deploy must not empty the queue into the dead-letter queue. In a batch of at least five
 *
 * - on a standard queue nothing is quarantined when more than half of the records are permanent;
 * - on a FIFO queue at most one is, when every record is the head of a lane and all of them are permanent. Suspects are tried
 *   one by one, and a single permanent one says nothing: to hold its lane until a killer behind it is tried would leave
 *   that lane untried for ever. What stands behind a head may be tried only after the head was judged;
 * - never more than half is quarantined, whatever comes in which order.
 *
 * Permanent is what an invocation quarantined, as the dead-letter queue saw it, or held back for the breaker, as it says.
 */
export class Breaker {
  readonly #batches = new WeakMap<object, Batch>();

  /** `records` can be one more than the messages: a standard queue may deliver one twice. */
  began(
    invocation: { readonly requestId: string },
    records: number,
    messages: readonly { readonly messageId: string; readonly groupId: string | undefined }[],
    fifo: boolean,
  ): void {
    const heads = new Map<string, string>();
    for (const { messageId, groupId } of messages) {
      const lane = fifo ? (groupId ?? '') : messageId;
      if (!heads.has(lane)) heads.set(lane, messageId);
    }
    this.#batches.set(invocation, {
      requestId: invocation.requestId,
      records,
      fifo,
      messages: new Set(messages.map(({ messageId }) => messageId)),
      heads: new Set(heads.values()),
      quarantined: new Set(),
      heldBack: new Set(),
    });
  }

  quarantined(messageId: string, by: object): void {
    const batch = this.#batches.get(by);
    // A process that was frozen may send what an earlier invocation of it decided.
    if (batch === undefined || !batch.messages.has(messageId)) return;
    batch.quarantined.add(messageId);
    checkHeads(batch);
  }

  returned(messageId: string, reason: string, by: object): void {
    const batch = this.#batches.get(by);
    if (batch === undefined) return;
    if (reason !== 'breaker_open') return;
    batch.heldBack.add(messageId);
    checkHeads(batch);
  }

  answered(by: object): void {
    const batch = this.#batches.get(by);
    if (batch === undefined || batch.records < SMALLEST || batch.quarantined.size * 2 <= batch.records) return;
    throw new Broken('breaker', `${batch.requestId} quarantines ${batch.quarantined.size} of ${batch.records} records`);
  }
}

function checkHeads({ requestId, records, fifo, heads, quarantined, heldBack }: Batch): void {
  const permanent = [...heads].filter((head) => quarantined.has(head) || heldBack.has(head)).length;
  const bad = fifo ? permanent === records : permanent * 2 > records;
  if (records < SMALLEST || !bad || quarantined.size <= (fifo ? 1 : 0)) return;
  throw new Broken(
    'breaker',
    `${requestId} quarantines ${quarantined.size} of ${records} records, although ${permanent} lanes have a permanent head`,
  );
}
