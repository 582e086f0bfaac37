import type { PublishEntry, PublishOutcome } from '../ports.ts';
import { retryJitterMs } from './backoff.ts';
import type { DeliveryContext } from './context.ts';
import { PUBLISH_BATCH_MAX_ENTRIES } from './limits.ts';
import { inParallel } from './parallel.ts';
import { notificationBytes } from './size.ts';
import type { Notification } from './types.ts';

/** Tries of one notification within one invocation; the SDK's own retries of a call come on top. */
const TRIES = 2;

type Answers = Map<PublishEntry, PublishOutcome>;

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
  const entries = events.map(entriesOf);
  const answers: Answers = new Map();
  let open: readonly PublishEntry[] = entries.flat();
  for (let tried = 0; tried < TRIES && open.length > 0 && ctx.deadline.hasTime(); tried += 1) {
    if (tried > 0) await ctx.clock.sleep(retryJitterMs(tried, ctx.random), ctx.deadline.signal);
    await publishOnce(ctx, open, answers);
    open = unpublished(open, answers);
  }
  reportFailures(ctx, answers);
  const published: Published[] = [];
  for (const own of entries) published.push(summarise(own, answers));
  return published;
}

function entriesOf(notifications: readonly Notification[]): PublishEntry[] {
  const entries: PublishEntry[] = [];
  for (const notification of notifications) entries.push({ notification });
  return entries;
}

function unpublished(entries: readonly PublishEntry[], answers: Answers): PublishEntry[] {
  const open: PublishEntry[] = [];
  for (const entry of entries) if (answers.get(entry)?.kind !== 'published') open.push(entry);
  return open;
}

/** Once for each name: an outage fails every entry alike, and the name tells a missing topic from a missing permission. */
function reportFailures(ctx: DeliveryContext, answers: Answers): void {
  const names = new Map<string, number>();
  for (const answer of answers.values()) {
    if (answer.kind === 'failed') names.set(answer.name, (names.get(answer.name) ?? 0) + 1);
  }
  for (const [error_name, count] of names) ctx.telemetry.warn('notifications not published', { error_name, count });
}

async function publishOnce(ctx: DeliveryContext, entries: readonly PublishEntry[], answers: Answers): Promise<void> {
  const stopped = new Set<Lane>();
  let waiting = entries;
  while (waiting.length > 0 && ctx.deadline.hasTime()) {
    const { now, later } = nextRound(waiting);
    const calls = packCalls(now, ctx.settings.topicMaxBytes);
    await inParallel(ctx.settings.concurrency, calls, (call) => publishCall(ctx, call, answers, stopped));
    // On a FIFO topic a later message of a group must not overtake one that failed.
    waiting = later.filter((entry) => !stopped.has(laneOf(entry)));
  }
}

async function publishCall(ctx: DeliveryContext, call: Call, answers: Answers, stopped: Set<Lane>): Promise<void> {
  const outcomes = await ctx.notifier.publish(call.topicArn, call.entries, ctx.deadline.signal);
  for (const [position, entry] of call.entries.entries()) {
    const answer = outcomes[position] ?? { kind: 'failed', name: 'MissingFromAnswer', unknown: true };
    answers.set(entry, answer);
    if (answer.kind === 'failed') stopped.add(laneOf(entry));
  }
}

/** Within what order counts: a topic and group; on a standard topic, which promises none, the entry alone. */
type Lane = string | PublishEntry;

function laneOf(entry: PublishEntry): Lane {
  const { topicArn, groupId } = entry.notification;
  // AWS requires the suffix of every FIFO topic: https://docs.aws.amazon.com/sns/latest/api/API_CreateTopic.html
  return topicArn.endsWith('.fifo') ? `${topicArn} ${groupId}` : entry;
}

/** One entry a lane, the first. */
function nextRound(waiting: readonly PublishEntry[]): { now: PublishEntry[]; later: PublishEntry[] } {
  const taken = new Set<Lane>();
  const now: PublishEntry[] = [];
  const later: PublishEntry[] = [];
  for (const entry of waiting) {
    const lane = laneOf(entry);
    (taken.has(lane) ? later : now).push(entry);
    taken.add(lane);
  }
  return { now, later };
}

interface Call {
  readonly topicArn: string;
  readonly entries: PublishEntry[];
  bytes: number;
}

/** Packs entries into calls: one topic, at most ten entries, within the topic's byte limit. */
function packCalls(entries: readonly PublishEntry[], maxBytes: number): Call[] {
  const calls: Call[] = [];
  const open = new Map<string, Call>();
  for (const entry of entries) {
    const bytes = notificationBytes(entry.notification);
    const { topicArn } = entry.notification;
    const current = open.get(topicArn);
    if (
      current !== undefined &&
      current.entries.length < PUBLISH_BATCH_MAX_ENTRIES &&
      current.bytes + bytes <= maxBytes
    ) {
      current.entries.push(entry);
      current.bytes += bytes;
    } else {
      const call = { topicArn, entries: [entry], bytes };
      calls.push(call);
      open.set(topicArn, call);
    }
  }
  return calls;
}

function summarise(entries: readonly PublishEntry[], answers: Answers): Published {
  const snsMessageIds: string[] = [];
  let reason: 'publish_failed' | 'publish_unknown' | 'deadline' | undefined;
  for (const entry of entries) {
    const outcome = answers.get(entry);
    if (outcome?.kind === 'published') snsMessageIds.push(outcome.snsMessageId);
    else if (outcome === undefined) reason ??= 'deadline';
    else reason = outcome.unknown ? 'publish_unknown' : 'publish_failed';
  }
  return reason === undefined ? { kind: 'published', snsMessageIds } : { kind: 'failed', reason };
}
