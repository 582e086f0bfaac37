import { type ConsumerFactory, createRealConsumer } from '../container.ts';
import { textOf } from '../dynamodb.ts';
import { scenarioOf } from '../scenario.ts';
import { SABOTAGE } from '../traffic.ts';
import { World } from '../world.ts';
import { createNaive } from './naive.ts';
import { createPowertoolsLike } from './powertools.ts';
import { type PeerState, servicesOf } from './services.ts';

export type Peer = 'ours' | 'naive' | 'powertools' | 'powertools, unconditional write';

/** What became of the good events of one run, after all faults were over and the dead letters were redriven. */
export interface Account {
  events: number;
  /** Business writes that were executed more than once. */
  doubleWrites: number;
  /** Written, and never announced. */
  lostNotifications: number;
  /** Never written, and in no queue any more. */
  lostMessages: number;
  /** Of two events under one id: taken for a duplicate and acknowledged, its payload in no queue and in no table. */
  droppedRivals: number;
  /** Never written or announced, and in the dead-letter queue: a person must look. */
  stuck: number;
  duplicateNotifications: number;
}

export function emptyAccount(): Account {
  return {
    events: 0,
    doubleWrites: 0,
    lostNotifications: 0,
    lostMessages: 0,
    droppedRivals: 0,
    stuck: 0,
    duplicateNotifications: 0,
  };
}

/** Only seeds whose business counts: a second write shows. */
export function isUsable(seed: number): boolean {
  return scenarioOf(seed, 0).kind === 'handler';
}

export async function accountOf(seed: number, peer: Peer): Promise<Account> {
  const state: PeerState = { records: new Map(), written: new Map() };
  const consumer: ConsumerFactory = (deps, host) => {
    if (peer === 'ours') return createRealConsumer(deps);
    const more = { ...deps, services: servicesOf(host, state) };
    return peer === 'naive' ? createNaive(more) : createPowertoolsLike(more, peer === 'powertools');
  };
  const world = new World(seed, { consumer, lenient: true, relay: peer === 'ours' });
  await world.run();

  const account = emptyAccount();
  const published = new Map<string, number>();
  for (const { notification } of world.sns.published) {
    const key = notification.message;
    published.set(key, (published.get(key) ?? 0) + 1);
  }
  const announced = new Set(world.sns.published.map(({ notification }) => notification.attributes.event_id?.value));
  const waiting = new Set(world.queue.deadLetters.filter(({ redriven }) => !redriven).map(({ origin }) => origin));
  for (const count of published.values()) account.duplicateNotifications += count - 1;
  const seen = new Set<string>();
  for (const message of world.scenario.messages) {
    for (const event of message.events) {
      if (!event.good || SABOTAGE.has(message.nature) || event.legacy) continue;
      const writers = peer.startsWith('powertools')
        ? (state.written.get(event.eventId) ?? [])
        : Array.from({ length: world.ledger.commits.get(event.eventId) ?? 0 }, () =>
            textOf(world.row(event.eventId)?.message_id),
          );
      const origin = world.queue.originOf(writers[0] ?? '');
      const stored =
        origin === undefined
          ? undefined
          : world.ledger.truth.specOf(origin)?.events.find(({ eventId }) => eventId === event.eventId);
      const mine = stored?.content === event.content;
      if (!mine && !waiting.has(message.origin)) {
        if (writers.length > 0) account.droppedRivals += 1;
        else account.lostMessages += 1;
      }
      if (!mine && waiting.has(message.origin) && writers.length === 0) account.stuck += 1;
      if (seen.has(event.eventId)) continue;
      seen.add(event.eventId);
      account.events += 1;
      if (writers.length > 1) account.doubleWrites += 1;
      if (stored !== undefined && !stored.silent && !announced.has(event.eventId)) account.lostNotifications += 1;
    }
  }
  return account;
}
