import { randomBytes } from 'node:crypto';

/** One message as a producer sends it. */
export interface Sending {
  readonly body: string;
  /** Null for a body that nobody can read. */
  readonly eventId: string | null;
}

/** What a run of the demo sends, call by call: the messages of one call tend to arrive in one batch. */
export interface Traffic {
  readonly runId: string;
  readonly calls: readonly (readonly Sending[])[];
  /** The batch whose function is killed between its commit and its publish. */
  readonly crash: readonly Sending[];
}

export const counts = { orders: 60, crash: 10, sentAgain: 8, twiceInOneBatch: 4, unreadable: 2, reusedIds: 1 } as const;

/**
 * 60 orders and everything that producers do to them: some are sent again later, which gives the copy another
 * messageId; some are sent twice in one batch; one id is used for another order; two bodies are not JSON.
 *
 * Ids carry the run, so that runs on one stack don't meet.
 */
export function createTraffic(runId = randomBytes(3).toString('hex')): Traffic {
  const orders = Array.from({ length: counts.orders }, (_, index) => order(runId, index + 1));
  const crash = orders.slice(0, counts.crash);
  const others = orders.slice(counts.crash);
  const twice = others.slice(0, counts.twiceInOneBatch);
  const again = others.slice(counts.twiceInOneBatch, counts.twiceInOneBatch + counts.sentAgain);
  const reused = others.slice(-counts.reusedIds).map((sending) => ({ ...sending, body: withAmount(sending.body, 1) }));
  const unreadable = Array.from({ length: counts.unreadable }, (_, index) => ({
    body: `order ${runId}-${index + 1}, by fax, partly unreadab`,
    eventId: null,
  }));
  const first = [...twice, ...twice];
  return {
    runId,
    crash,
    calls: [first, ...tens(others.slice(twice.length)), again, [...reused, ...unreadable]],
  };
}

function order(runId: string, number: number): Sending {
  const eventId = `${runId}-${String(number).padStart(3, '0')}`;
  const body = {
    event_id: eventId,
    order_id: `order-${eventId}`,
    correlation_id: `cart-${eventId}`,
    status: 'placed',
    amount: 1000 + number,
  };
  return { body: JSON.stringify(body), eventId };
}

function withAmount(body: string, amount: number): string {
  return JSON.stringify({ ...JSON.parse(body), amount });
}

function tens<T>(items: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / 10) }, (_, index) => items.slice(index * 10, index * 10 + 10));
}
