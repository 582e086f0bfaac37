import { systemClock } from '../../functions/src/aws/clock.ts';
import type { ConsumerConfig } from '../../functions/src/config.ts';
import { prepareWork } from '../../functions/src/core/plan.ts';
import { type PermanentReason, type Reason, reasonText } from '../../functions/src/core/reasons.ts';
import type { DecodedEvent, Meaning, Notification, Plan, SourceRecord } from '../../functions/src/core/types.ts';
import { newWork, verdictOf } from '../../functions/src/core/work.ts';

/** What would become of one event of a message, as far as it can be known without AWS. */
export type Tried =
  | { readonly kind: 'commit'; readonly event: DecodedEvent; readonly plan: Plan }
  | { readonly kind: 'quarantine'; readonly reason: PermanentReason; readonly eventId: string | undefined }
  | { readonly kind: 'not_ours'; readonly reason: Reason };

/** Runs a body through the pipeline's own decoding, planning and checks: everything that comes before the first call. */
export function tryMessage(meaning: Meaning, config: ConsumerConfig, body: string): Tried[] {
  const record: SourceRecord = { id: 'try', body, attributes: {}, receiveCount: 1, groupId: 'try' };
  const decoded = meaning.decode(record);
  if (decoded.kind === 'not_ours') return [{ kind: 'not_ours', reason: decoded.reason }];
  return [
    ...decoded.events.map((event) => tryEvent(meaning, config, event)),
    ...decoded.issues.map(({ reason, eventId }): Tried => ({ kind: 'quarantine', reason, eventId })),
  ];
}

function tryEvent(meaning: Meaning, config: ConsumerConfig, event: DecodedEvent): Tried {
  if (event.excluded === true) return { kind: 'not_ours', reason: 'filtered' };
  const result = meaning.plan(event, []);
  if (result instanceof Promise) throw new Error('only a handler plans asynchronously');
  if (result.kind === 'rejected') return { kind: 'quarantine', reason: result.reason, eventId: event.eventId };
  const { settings } = config;
  const work = newWork(event, { receiveCount: 1, owner: 'try' });
  const leaseExpiresAtMs = systemClock.now() + settings.functionTimeoutMs;
  prepareWork({ settings, clock: systemClock, leaseExpiresAtMs }, work, result.plan, 'committed');
  const verdict = verdictOf(work);
  return verdict.kind === 'permanent'
    ? { kind: 'quarantine', reason: verdict.reason, eventId: event.eventId }
    : { kind: 'commit', event, plan: result.plan };
}

/** Lines for people, with values of the message: the point here, and what the functions never log. */
export function describeMessage(tried: Tried): string[] {
  switch (tried.kind) {
    case 'commit':
      return [
        `event ${tried.event.eventId}`,
        ...tried.plan.writes.map(
          // As DynamoDB would show it: with every digit.
          (write) =>
            `  ${write.kind} in ${write.table}: ${JSON.stringify(write.kind === 'put' ? write.item : write.key)}`,
        ),
        ...tried.plan.notifications.map((notification) => `  publish: ${describeNotification(notification)}`),
      ];
    case 'quarantine':
      return [
        `${tried.eventId === undefined ? '' : `event ${tried.eventId}: `}quarantine, ${tried.reason}: ${reasonText(tried.reason)}`,
      ];
    case 'not_ours':
      return [`acknowledged, ${tried.reason}: ${reasonText(tried.reason)}`];
  }
}

function describeNotification({ message, subject, attributes, groupId }: Notification): string {
  const beside = {
    ...(subject === undefined ? {} : { subject }),
    ...(groupId === undefined ? {} : { groupId }),
    attributes: Object.fromEntries(Object.entries(attributes).map(([name, { value }]) => [name, value])),
  };
  return `${message} with ${JSON.stringify(beside)}`;
}
