import {
  type DeadMessage,
  type Evidence,
  eventIdOf,
  type OrderRow,
  RECEIVED_TOO_OFTEN,
  type SentMessage,
} from './evidence.ts';

export interface Verdict {
  readonly promise: string;
  readonly meaning: string;
  /** What speaks against it; the promise is kept when there is nothing. */
  readonly against: readonly string[];
}

export interface Judgement {
  readonly sent: number;
  readonly distinctEvents: number;
  readonly rows: number;
  readonly missing: readonly string[];
  readonly deliveries: number;
  readonly distinctDeliveries: number;
  readonly deadByReason: ReadonlyMap<string, number>;
  readonly verdicts: readonly Verdict[];
}

/** Judges the promises of the pipeline from what is in tables and queues, and from what was sent. */
export function judge(evidence: Evidence, left: number): Judgement {
  const { sent, events, orders, deliveries, dead, commits } = evidence;
  const eventIds = distinct(sent.map(({ eventId }) => eventId).filter((eventId) => eventId !== null));
  const announced = distinct(deliveries.map(eventIdOf).filter((eventId) => eventId !== undefined));
  const statusOf = new Map(events.map(({ eventId, status }) => [eventId, status]));
  const missing = eventIds.filter((eventId) => !statusOf.has(eventId));
  const verdicts = [
    {
      promise: 'G1',
      meaning: 'exactly once in the database',
      against: [
        ...missing.map((eventId) => `${eventId} has no row`),
        ...events.filter(({ eventId }) => !eventIds.includes(eventId)).map(({ eventId }) => `nobody sent ${eventId}`),
        ...wrongOrders(sent, orders),
        ...[...(commits ?? [])]
          .filter(([, count]) => count > 1)
          .map(([eventId, count]) => `${eventId} was committed ${count} times`),
      ],
    },
    {
      promise: 'G2',
      meaning: 'at least once on the topic',
      against: events
        .filter(({ eventId }) => !announced.includes(eventId))
        .map(({ eventId }) => `${eventId} is committed and was never announced`),
    },
    {
      promise: 'G3',
      meaning: 'nothing lost',
      against: left > 0 ? [`${left} messages are still in the queue`] : unaccounted(evidence),
    },
    {
      promise: 'G4',
      meaning: 'done implies sent',
      // Nothing is in the queue any more, so every message counts as done, or is dead.
      against: events
        .filter(({ eventId, status }) => status !== 'sent' && !isDead(evidence, eventId))
        .map(({ eventId, status }) => `${eventId} is ${status}, and its message is gone`),
    },
    {
      promise: 'G5',
      meaning: 'one bad message harms no other',
      against: condemned(evidence).map(({ reason, body }) => `quarantined as ${reason}, and nothing is wrong: ${body}`),
    },
  ];
  return {
    sent: sent.length,
    distinctEvents: eventIds.length,
    rows: events.length,
    missing,
    deliveries: deliveries.length,
    distinctDeliveries: announced.length,
    deadByReason: tally(dead.map(({ reason }) => reason)),
    verdicts,
  };
}

/** Each distinct event has one order, holding what one message of the event said and nothing else. */
function wrongOrders(sent: readonly SentMessage[], orders: readonly OrderRow[]): readonly string[] {
  const bodies = new Map<string, string[]>();
  for (const { body, eventId } of sent) {
    if (eventId === null) continue;
    const { order_id } = JSON.parse(body);
    bodies.set(order_id, [...(bodies.get(order_id) ?? []), canonical(JSON.parse(body))]);
  }
  const found = new Map(orders.map((row) => [row.order_id as string, canonical(row)]));
  return [
    ...[...bodies.keys()].filter((orderId) => !found.has(orderId)).map((orderId) => `${orderId} is not in the table`),
    ...[...found]
      .filter(([orderId, row]) => !bodies.get(orderId)?.includes(row))
      .map(([orderId]) => `${orderId} is not what was sent`),
  ];
}

/** Quarantined messages that say what is stored of their event: they were to be acknowledged as duplicates, or as done. */
function condemned({ orders, dead }: Evidence): readonly DeadMessage[] {
  const stored = new Set(orders.map(canonical));
  return dead.filter(({ reason, body }) => reason !== RECEIVED_TOO_OFTEN && stored.has(canonicalBody(body)));
}

/** Messages that are neither done, their event being stored and sent as they told it, nor in the dead-letter queue. */
function unaccounted({ sent, events, orders, dead }: Evidence): readonly string[] {
  const sentEvents = new Set(events.filter(({ status }) => status === 'sent').map(({ eventId }) => eventId));
  const stored = new Set(orders.map(canonical));
  const deadIds = new Set(dead.map(({ sourceMessageId }) => sourceMessageId));
  return sent
    .filter(({ eventId, body, messageId }) => {
      const isDone = eventId !== null && sentEvents.has(eventId) && stored.has(canonical(JSON.parse(body)));
      return !isDone && !deadIds.has(messageId);
    })
    .map(({ messageId, eventId }) => `message ${messageId} (${eventId ?? 'unreadable'}) is nowhere`);
}

function isDead({ sent, dead }: Evidence, eventId: string): boolean {
  const messageIds = sent.filter((message) => message.eventId === eventId).map(({ messageId }) => messageId);
  return dead.some(({ sourceMessageId }) => messageIds.includes(sourceMessageId));
}

function canonicalBody(body: string): string {
  try {
    return canonical(JSON.parse(body));
  } catch {
    return '';
  }
}

/** The columns of a flat object in one order, all values as text. */
function canonical(row: Readonly<Record<string, unknown>>): string {
  const columns = Object.entries(row).map(([name, value]) => [name, String(value)] as const);
  return JSON.stringify(columns.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function distinct<T>(items: readonly T[]): readonly T[] {
  return [...new Set(items)];
}

export function tally(items: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}
