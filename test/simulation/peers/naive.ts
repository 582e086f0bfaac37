import type { Pipeline } from '../../../functions/src/core/pipeline.ts';
import { rowItem } from '../../../functions/src/core/row.ts';
import type { DecodedEvent } from '../../../functions/src/core/types.ts';
import { type PeerDeps, planOf, recordByRecord } from './peer.ts';

/**
 * The pattern as it was first published, message by message: one transaction for the row and the business write; a
 * cancelled transaction means that the event exists, then its status is read; `sent` ends, `pending` is published and
 * marked. Given here what the article leaves to the reader: partial batch answers, a time-out before the function's own,
 * a strongly consistent read and a conditional mark. There is no lease, no relay, no comparison of payloads, and every
 * cancellation means the same.
 */
export function createNaive(deps: PeerDeps): Pipeline {
  return {
    run: (records, invocation) =>
      recordByRecord(deps, records, invocation.deadlineMs, (event, signal) =>
        handle(deps, event, signal, invocation.requestId),
      ),
  };
}

async function handle(deps: PeerDeps, event: DecodedEvent, signal: AbortSignal, requestId: string): Promise<void> {
  if (event.excluded === true) return;
  const planned = await planOf(deps, event, signal);
  if (planned?.kind !== 'plan') throw new Error('not planned');
  const { plan } = planned;
  const row = rowItem({
    event,
    source: 'sqs',
    notifications: plan.notifications,
    leaseOwner: requestId,
    leaseExpiresAtMs: 0,
    nowMs: deps.clock.now(),
    retentionDays: 30,
    inTrouble: false,
  });
  const outcome = await deps.store.commit([{ row, writes: plan.writes }], signal);
  if (outcome.kind !== 'committed' && outcome.kind !== 'cancelled') throw new Error(outcome.kind);
  if (outcome.kind === 'cancelled') {
    const [read] = await deps.store.readRows([event.eventId], signal);
    if (read?.kind !== 'found' || 'unknown' in read.value) throw new Error('no item');
    if (read.value.status === 'sent') return;
  }
  if (!(await deps.services.publish(plan.notifications, signal))) throw new Error('not published');
  const [marked] = await deps.store.update(
    [
      {
        kind: 'mark',
        eventId: event.eventId,
        sentAt: new Date(deps.clock.now()).toISOString(),
        expiresAtSeconds: 1,
        snsMessageIds: [],
      },
    ],
    signal,
  );
  if (marked?.kind === 'failed') throw new Error('not marked');
}
