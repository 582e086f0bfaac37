import type { Instance } from '../container.ts';
import { notifierOf } from '../messaging-ports.ts';
import type { IdempotencyRecord, PeerServices } from './peer.ts';

/** What one world keeps for a peer. */
export interface PeerState {
  readonly records: Map<string, IdempotencyRecord>;
  /** Business writes by event: the messages whose content was written, in order. */
  readonly written: Map<string, string[]>;
}

/** A peer's services on the simulated AWS. Every call meets the faults that ours meet. */
export function servicesOf(host: Instance, state: PeerState): PeerServices {
  const { world } = host;
  const { records, written } = state;
  return {
    putRecord: (key, value, mayReplace, signal) =>
      host.raw<'put' | IdempotencyRecord | 'failed'>(
        'commit',
        signal,
        `put record ${key}`,
        () => {
          const old = records.get(key);
          if (old !== undefined && !mayReplace(old)) return old;
          records.set(key, value);
          return 'put';
        },
        'failed',
      ),
    updateRecord: (key, value, signal) =>
      host.raw('mark', signal, `complete record ${key}`, () => records.set(key, value) !== undefined, false),
    deleteRecord: (key, signal) =>
      host.raw('mark', signal, `delete record ${key}`, () => records.delete(key) || true, false),
    writeBusiness: (event, writes, signal) =>
      host.raw(
        'commit',
        signal,
        `write ${event.eventId}`,
        () => {
          const done = world.db.writeItems(writes, world.loop.now);
          if (done) written.set(event.eventId, [...(written.get(event.eventId) ?? []), event.messageId]);
          return done;
        },
        false,
      ),
    publish: async (notifications, signal) => {
      for (const notification of notifications) {
        const [outcome] = await notifierOf(host).publish(notification.topicArn, [{ notification }], signal);
        if (outcome?.kind !== 'published') return false;
      }
      return true;
    },
  };
}
