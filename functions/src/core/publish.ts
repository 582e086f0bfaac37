import type { PublishOutcome } from '../ports.ts';
import { retryJitterMs } from './backoff.ts';
import type { DeliveryContext } from './context.ts';
import { PUBLISH_BATCH_MAX_ENTRIES } from './limits.ts';
import { inParallel } from './parallel.ts';
import { notificationBytes } from './size.ts';
import type { Notification } from './types.ts';

/** Tries of one notification within one invocation; the SDK's own retries of a call come on top. */
const TRIES = 2;

/** One notification on its way to the topic. */
interface Entry {
  readonly notification: Notification;
  /** Index of the event in the list that was asked for, and of the notification in the event. */
  readonly event: number;
  readonly index: number;
}

/** All of the event's notifications are on the topic, or at least one is not. */
export type Published =
  | { readonly kind: 'published'; readonly snsMessageIds: readonly string[] }
  | { readonly kind: 'failed'; readonly reason: 'publish_failed' | 'publish_unknown' | 'deadline' };

/**
 * Publishes the stored bytes of many events with as few calls as SNS allows. Only what an answer lists as successful is
 * published. Nothing here is permanent: the event is committed, and its notification is owed.
 */
export async function publishAll(
  ctx: DeliveryContext,
  events: readonly (readonly Notification[])[],
): Promise<Published[]> {
  const outcomes: (PublishOutcome | undefined)[][] = events.map((notifications) => notifications.map(() => undefined));
  let open: Entry[] = events.flatMap((notifications, event) =>
    notifications.map((notification, index) => ({ notification, event, index })),
  );
  for (let tried = 0; tried < TRIES && open.length > 0 && ctx.deadline.hasTime(); tried += 1) {
    if (tried > 0) await ctx.clock.sleep(retryJitterMs(tried, ctx.random), ctx.deadline.signal);
    await publishOnce(ctx, open, outcomes);
    open = open.filter((entry) => outcomes[entry.event]?.[entry.index]?.kind !== 'published');
  }
  reportFailures(ctx, outcomes.flat());
  return outcomes.map(summarise);
}

/** Once for each name: an outage fails every entry alike, and the name tells a missing topic from a missing permission. */
function reportFailures(ctx: DeliveryContext, outcomes: readonly (PublishOutcome | undefined)[]): void {
  const names = new Map<string, number>();
  for (const outcome of outcomes) {
    if (outcome?.kind === 'failed') names.set(outcome.name, (names.get(outcome.name) ?? 0) + 1);
  }
  for (const [error_name, count] of names) ctx.telemetry.warn('notifications not published', { error_name, count });
}

async function publishOnce(
  ctx: DeliveryContext,
  entries: readonly Entry[],
  outcomes: (PublishOutcome | undefined)[][],
): Promise<void> {
  const stopped = new Set<string>();
  let waiting = entries;
  while (waiting.length > 0 && ctx.deadline.hasTime()) {
    const { now, later } = nextRound(waiting);
    await inParallel(ctx.settings.concurrency, packCalls(now, ctx.settings.topicMaxBytes), async (call) => {
      const topicArn = call[0]?.notification.topicArn ?? '';
      const answers = await ctx.notifier.publish(
        topicArn,
        call.map(({ notification }) => ({ notification })),
        ctx.deadline.signal,
      );
      for (const [position, entry] of call.entries()) {
        const answer = answers[position] ?? { kind: 'failed', name: 'MissingFromAnswer', unknown: true };
        const places = outcomes[entry.event];
        if (places !== undefined) places[entry.index] = answer;
        const lane = laneOf(entry.notification);
        if (answer.kind === 'failed' && lane !== undefined) stopped.add(lane);
      }
    });
    // On a FIFO topic a later message of a group must not overtake one that failed.
    waiting = later.filter(({ notification }) => !stopped.has(laneOf(notification) ?? ''));
  }
}

/** The topic and group within which order counts; undefined on a standard topic, which promises none. */
function laneOf(notification: Notification): string | undefined {
  // AWS requires the suffix of every FIFO topic: https://docs.aws.amazon.com/sns/latest/api/API_CreateTopic.html
  return notification.topicArn.endsWith('.fifo') ? `${notification.topicArn} ${notification.groupId ?? ''}` : undefined;
}

/** One entry a lane, the first; everything on standard topics. */
function nextRound(waiting: readonly Entry[]): { now: Entry[]; later: Entry[] } {
  const taken = new Set<string>();
  const now: Entry[] = [];
  const later: Entry[] = [];
  for (const entry of waiting) {
    const lane = laneOf(entry.notification);
    if (lane === undefined || !taken.has(lane)) now.push(entry);
    else later.push(entry);
    if (lane !== undefined) taken.add(lane);
  }
  return { now, later };
}

/** Packs entries into calls: one topic, at most ten entries, within the topic's byte limit. */
function packCalls(entries: readonly Entry[], maxBytes: number): Entry[][] {
  const calls: Entry[][] = [];
  const open = new Map<string, { call: Entry[]; bytes: number }>();
  for (const entry of entries) {
    const bytes = notificationBytes(entry.notification);
    const topic = entry.notification.topicArn;
    const current = open.get(topic);
    if (current !== undefined && current.call.length < PUBLISH_BATCH_MAX_ENTRIES && current.bytes + bytes <= maxBytes) {
      current.call.push(entry);
      current.bytes += bytes;
    } else {
      const call = [entry];
      calls.push(call);
      open.set(topic, { call, bytes });
    }
  }
  return calls;
}

function summarise(outcomes: readonly (PublishOutcome | undefined)[]): Published {
  const snsMessageIds: string[] = [];
  let reason: 'publish_failed' | 'publish_unknown' | 'deadline' | undefined;
  for (const outcome of outcomes) {
    if (outcome?.kind === 'published') snsMessageIds.push(outcome.snsMessageId);
    else if (outcome === undefined) reason ??= 'deadline';
    else reason = outcome.unknown ? 'publish_unknown' : 'publish_failed';
  }
  return reason === undefined ? { kind: 'published', snsMessageIds } : { kind: 'failed', reason };
}
