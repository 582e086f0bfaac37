import type { Failed, Notifier, PublishOutcome, SourceQueue } from '../../functions/src/ports.ts';
import type { Instance, Invocation } from './container.ts';

/** SNS as a container sees it. */
export function notifierOf(host: Instance): Notifier {
  const { world } = host;
  return {
    publish: (topicArn, entries, signal) =>
      host.call<readonly PublishOutcome[]>(signal, {
        operations: ['publish'],
        execute: (dice) =>
          entries.map(({ notification }): PublishOutcome => {
            const [strikes, which] = [host.strikes(dice), dice.next()];
            if (strikes && which < 0.6) {
              host.hit('publish: partial failure');
              return { kind: 'failed', name: 'InternalError', unknown: false };
            }
            const taken = !strikes || which < 0.8;
            const snsMessageId = taken ? world.sns.publish(notification, world.loop.now) : '';
            if (snsMessageId === undefined) return { kind: 'failed', name: 'InvalidParameter', unknown: false };
            if (!strikes) return { kind: 'published', snsMessageId };
            host.hit('publish: entry in neither list');
            return { kind: 'failed', name: 'NoResultEntry', unknown: true };
          }),
        refused: () => entries.map(() => ({ kind: 'failed', name: 'ThrottledException', unknown: false })),
        unknown: () => entries.map(() => ({ kind: 'failed', name: 'TimeoutError', unknown: true })),
        describe: () =>
          `publish ${entries.map(({ notification }) => notification.attributes.event_id?.value).join(' ')} to ${topicArn.split(':').pop()}`,
        outcome: (outcomes) =>
          outcomes.map((outcome) => (outcome.kind === 'published' ? 'ok' : outcome.name)).join(' '),
      }),
  };
}

/** SQS as a container sees it. */
export function sourceQueueOf(host: Instance): SourceQueue {
  const { world } = host;
  const outcome = (outcomes: readonly Failed[]): string => outcomes.map((each) => each || 'ok').join(' ');
  const stale: Failed = 'ReceiptHandleIsInvalid';
  return {
    changeVisibility: (entries, signal) =>
      host.call<readonly Failed[]>(signal, {
        operations: ['visibility'],
        execute: (dice) =>
          entries.map(({ receiptHandle, seconds }) => {
            if (host.strikes(dice)) return 'InternalError';
            const changed = world.queue.changeVisibility(receiptHandle, seconds, world.loop.now);
            world.source.schedulePoll();
            return !changed && stale;
          }),
        refused: () => entries.map(() => 'ThrottlingException'),
        unknown: () => entries.map(() => 'TimeoutError'),
        describe: () =>
          `hide ${entries.map(({ receiptHandle, seconds }) => `${receiptHandle} ${seconds}s`).join(', ')}`,
        outcome,
      }),
    delete: (handles, signal) =>
      host.call<readonly Failed[]>(signal, {
        operations: ['delete'],
        execute: (dice) =>
          handles.map((handle) => {
            if (host.strikes(dice)) return 'InternalError';
            return !world.queue.delete(handle, world.loop.now) && stale;
          }),
        refused: () => handles.map(() => 'ThrottlingException'),
        unknown: () => handles.map(() => 'TimeoutError'),
        describe: () => `delete ${handles.join(' ')}`,
        outcome,
      }),
    quarantine: (messages, signal) => {
      const invocation = host.invocation as Invocation;
      const before = [...invocation.flying].filter(([, commits]) => commits > 0);
      return host.call<readonly Failed[]>(signal, {
        operations: ['quarantine'],
        execute: (dice) => {
          // Executed late, it may meet a commit of another copy that began afterwards: that is a duplicate, and no harm.
          const flying = new Map(before.map(([eventId]) => [eventId, invocation.flying.get(eventId) ?? 0]));
          const by = { startedMs: invocation.startedMs, invocation, flying };
          return messages.map((message) => {
            if (host.strikes(dice)) {
              host.hit('quarantine: partial failure');
              return 'InternalError';
            }
            host.hit('message quarantined');
            world.queue.quarantine(message, by);
            return false;
          });
        },
        refused: () => messages.map(() => 'ThrottlingException'),
        unknown: () => messages.map(() => 'TimeoutError'),
        describe: () =>
          `quarantine ${messages.map(({ messageId, attributes }) => `${messageId} ${attributes.error_type?.value}`).join(', ')}`,
        outcome,
      });
    },
  };
}
