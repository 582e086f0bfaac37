import type { WorldKind } from './meaning.ts';
import type { Rng } from './rng.ts';
import type { Deploy } from './scenario.ts';

/** One message of the producer. */
export interface Sent {
  readonly origin: number;
  readonly atMs: number;
  readonly body: string;
  readonly groupId: string | undefined;
  readonly nature: Nature;
  /** Visible at once, also in a standard queue: received together with what was sent at the same time. */
  readonly together?: true;
  /** Ids that can be read from it, with what tells two events under one id apart. */
  readonly events: readonly {
    readonly eventId: string;
    readonly content: string;
    readonly good: boolean;
    readonly key: string;
    readonly version: number;
    readonly silent: boolean;
    readonly legacy: boolean;
  }[];
}

export type Nature =
  | 'good'
  | 'sent_twice'
  | 'several_events'
  | 'shared_event'
  | 'one_event_twice'
  | 'one_bad_of_several'
  | 'legacy'
  | 'not_json'
  | 'no_id'
  | 'bad_schema'
  | 'refused_by_dynamodb'
  | 'not_ours'
  | 'same_id_other_payload'
  | 'same_key'
  | 'killer'
  | 'endless'
  | 'throws_at_first';

/** What the producer sends in the storm. */
export function traffic(
  rng: Rng,
  startMs: number,
  kind: WorldKind,
  fifo: boolean,
  versions: readonly Deploy[],
): Sent[] {
  const count = rng.int(14, 26);
  const spreadMs = rng.pick([200, 20_000, 60_000]);
  const groups = rng.int(2, 5);
  const trouble = rng.pick([0.1, 0.25, 0.45]);
  const judging = versions.some(({ version }) => version.schema === 'strict' || version.filter === 'strict');
  const sent: Sent[] = [];
  let keys = 0;
  for (let origin = 0; origin < count; origin += 1) {
    let nature = rng.chance(trouble) ? rng.pick(NATURES) : 'good';
    // A deploy that judges otherwise must meet events of which it thinks otherwise.
    if (judging && nature === 'good' && rng.chance(0.3)) nature = 'legacy';
    // One a run: of two nobody can tell which one stops the others.
    if (SABOTAGE.has(nature) && sent.some((other) => SABOTAGE.has(other.nature))) nature = 'good';
    const atMs = startMs + Math.floor((spreadMs * origin) / count);
    const groupId = fifo || rng.chance(0.1) ? `g${rng.int(1, groups)}` : undefined;
    const id = `e${origin}`;
    const shared = kind === 'reject' ? `k${origin}` : `k${rng.int(1, 4)}`;
    keys += 1;
    const event = (eventId: string, more: object = {}): Payload => ({
      id: eventId,
      type: 'order',
      note: `n${origin}`,
      order: { key: kind === 'reject' ? `k-${eventId}` : shared, amount: origin, version: keys },
      ...(rng.chance(0.08) && kind === 'handler' && { silent: true }),
      ...more,
    });
    sent.push(message(rng, origin, atMs, groupId, nature, id, event, sent, kind));
  }
  return sent;
}

/** What stands in a body, or in a part of it. */
export interface Payload {
  readonly id?: string;
  readonly type: string;
  readonly note: string;
  readonly order: {
    readonly key?: string;
    readonly amount?: number;
    readonly version?: number;
    readonly aws_refuses?: boolean;
  };
  readonly legacy?: boolean;
  readonly silent?: boolean;
  readonly kill?: boolean;
  readonly endless?: boolean;
  readonly throws?: boolean;
}

/** Natures that stop the process, or an invocation. */
export const SABOTAGE: ReadonlySet<string> = new Set(['killer', 'endless']);

const NATURES: readonly Nature[] = [
  'sent_twice',
  'sent_twice',
  'sent_twice',
  'several_events',
  'several_events',
  'shared_event',
  'shared_event',
  'one_event_twice',
  'one_bad_of_several',
  'one_bad_of_several',
  'legacy',
  'legacy',
  'legacy',
  'not_json',
  'no_id',
  'bad_schema',
  'refused_by_dynamodb',
  'not_ours',
  'same_id_other_payload',
  'same_id_other_payload',
  'same_key',
  'killer',
  'endless',
  'throws_at_first',
];

/** What the books must know of an event. */
export function eventOf(payload: Payload, good: boolean): Sent['events'][number] {
  return {
    eventId: payload.id ?? '',
    content: JSON.stringify(payload),
    good,
    key: payload.order.key ?? '',
    version: payload.order.version ?? 0,
    silent: payload.silent === true,
    legacy: payload.legacy === true,
  };
}

/** Orders of one message, each under a business key of its own. */
export function ownOrder(origin: number, version: number): (eventId: string, more?: object) => Payload {
  return (eventId, more = {}) => ({
    id: eventId,
    type: 'order',
    note: `n${origin}`,
    order: { key: `k-${eventId}`, amount: origin, version },
    ...more,
  });
}

/** One message of a nature; some natures are made from messages that were sent before. */
export function message(
  rng: Rng,
  origin: number,
  atMs: number,
  groupId: string | undefined,
  nature: Nature,
  id: string,
  event: (eventId: string, more?: object) => Payload,
  before: readonly Sent[],
  kind: WorldKind,
): Sent {
  const base = { origin, atMs, groupId, nature };
  const single = (payload: Payload, good: boolean): Sent => ({
    ...base,
    body: JSON.stringify(payload),
    events: payload.id === undefined ? [] : [eventOf(payload, good)],
  });
  const earlier = before.filter((other) => other.events.length === 1 && ['good', 'legacy'].includes(other.nature));
  switch (nature) {
    case 'good':
      return single(event(id), true);
    case 'sent_twice': {
      if (earlier.length === 0) return { ...single(event(id), true), nature: 'good' };
      const several = before.filter((other) => other.nature === 'several_events');
      const other = rng.pick([...earlier, ...several].slice(-6));
      return { ...base, groupId: other.groupId, body: other.body, events: other.events };
    }
    case 'several_events': {
      const parts = Array.from({ length: rng.int(2, 3) }, (_, index) => event(`${id}.${index}`));
      return { ...base, body: JSON.stringify({ batch: parts }), events: parts.map((part) => eventOf(part, true)) };
    }
    case 'shared_event': {
      // Two messages of several events have one of them in common, as two notifications about one object have.
      const other = earlier.at(-1)?.events[0];
      if (other === undefined) return { ...single(event(id), true), nature: 'good' };
      const fresh = event(`${id}.0`);
      const parts = [JSON.parse(other.content) as Payload, fresh];
      if (rng.chance(0.5)) parts.reverse();
      return { ...base, body: JSON.stringify({ batch: parts }), events: parts.map((part) => eventOf(part, true)) };
    }
    case 'one_event_twice': {
      const payload = event(id);
      return { ...base, body: JSON.stringify({ batch: [payload, payload] }), events: [eventOf(payload, true)] };
    }
    case 'one_bad_of_several': {
      const fine = event(`${id}.0`);
      const bad: Payload = { ...event(`${id}.1`), order: { key: `k-${id}.1` } };
      return {
        ...base,
        body: JSON.stringify({ batch: [fine, bad] }),
        events: [eventOf(fine, true), eventOf(bad, false)],
      };
    }
    case 'legacy':
      return single(event(id, { legacy: true }), true);
    case 'not_json':
      return { ...base, body: `{"id": "${id}", `, events: [] };
    case 'no_id': {
      const { id: _, ...rest } = event(id);
      return single(rest, false);
    }
    case 'bad_schema':
      return single({ ...event(id), order: { key: `k-${id}` } }, false);
    case 'refused_by_dynamodb': {
      const payload = event(id);
      return single({ ...payload, order: { ...payload.order, aws_refuses: true } }, false);
    }
    case 'not_ours':
      return single({ ...event(id), type: 'other' }, false);
    case 'same_id_other_payload': {
      if (earlier.length === 0) return { ...single(event(id), true), nature: 'good' };
      const other = rng.pick(earlier.slice(-6)).events[0] as Sent['events'][number];
      const payload = event(other.eventId);
      return single({ ...payload, note: 'another', order: { ...payload.order, amount: 1_000_000 + origin } }, true);
    }
    case 'same_key': {
      const other = earlier.at(-1)?.events[0];
      if (other === undefined || kind !== 'reject') return { ...single(event(id), true), nature: 'good' };
      const payload = event(id);
      return single({ ...payload, order: { ...payload.order, key: other.key } }, true);
    }
    case 'killer':
      return single(event(id, { kill: true }), false);
    case 'endless':
      return single(event(id, { endless: true }), false);
    case 'throws_at_first':
      return single(event(id, { throws: true }), true);
  }
}
