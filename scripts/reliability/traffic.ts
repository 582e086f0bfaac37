import type { Rng } from '../../test/simulation/rng.ts';

/** One message as a producer sends it. */
export interface Sending {
  readonly body: string;
  /** Null for a body in which nobody finds an id. */
  readonly eventId: string | null;
}

export interface Mixture {
  /** Distinct events. */
  readonly events: number;
  /** How many of them are sent twice, as a share. */
  readonly duplicates: number;
  /** Messages that no consumer can accept, as a share of the events. */
  readonly poison: number;
}

/**
 * Orders as `examples/orders` wants them, in calls of ten. Of the duplicates half are in the same call, half come later.
 * Poison is of three kinds: no JSON, no id, and an id that another order has.
 *
 * @param runId Prefix of every id, so that runs on one stack don't meet.
 */
export function createTraffic(runId: string, { events, duplicates, poison }: Mixture, rng: Rng): readonly Sending[][] {
  const orders = Array.from({ length: events }, (_, index) => order(runId, index + 1, rng));
  const sendings: Sending[] = [];
  const later: { readonly at: number; readonly sending: Sending }[] = [];
  for (const [index, sending] of orders.entries()) {
    sendings.push(sending);
    const sentAt = rng.int(index + 1, events);
    if (rng.chance(duplicates)) {
      if (rng.chance(0.5)) sendings.push(sending);
      else later.push({ at: sentAt, sending });
    }
    if (rng.chance(poison)) later.push({ at: sentAt, sending: spoilt(runId, index + 1, sending, rng) });
    for (let i = later.length - 1; i >= 0; i -= 1) {
      const due = later[i];
      if (due === undefined || due.at > index + 1) continue;
      sendings.push(due.sending);
      later.splice(i, 1);
    }
  }
  const calls: Sending[][] = [];
  for (let at = 0; at < sendings.length; at += 10) calls.push(sendings.slice(at, at + 10));
  return calls;
}

function order(runId: string, number: number, rng: Rng): Sending {
  const eventId = `${runId}-${String(number).padStart(5, '0')}`;
  const body = { event_id: eventId, order_id: `order-${eventId}`, status: 'placed', amount: 1 + rng.int(1, 99_999) };
  return { body: JSON.stringify(body), eventId };
}

/** No two are alike: a message that died is known by its body, when a redrive has given it another id. */
function spoilt(runId: string, number: number, { body, eventId }: Sending, rng: Rng): Sending {
  switch (rng.int(1, 3)) {
    case 1:
      return { body: `order ${runId}-${number}, by fax, partly unreadab`, eventId: null };
    case 2:
      return { body: JSON.stringify({ order_id: `no-id-${runId}-${number}` }), eventId: null };
    default:
      return { body: JSON.stringify({ ...JSON.parse(body), amount: 0 }), eventId };
  }
}
