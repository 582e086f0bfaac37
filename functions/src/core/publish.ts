import type { PublishEntry, PublishOutcome } from '../ports.ts';
import { retryJitterMs } from './backoff.ts';
import type { DeliveryContext } from './context.ts';
import { inRounds } from './group.ts';
import { PUBLISH_BATCH_MAX_ENTRIES } from './limits.ts';
import { inParallel } from './parallel.ts';
import { failureNames, NOT_ANSWERED, reportFailures } from './report-failures.ts';
import { notificationBytes } from './size.ts';
import type { Notification } from './types.ts';

/** Tries of one notification within one invocation; the SDK's own retries of a call come on top. */
const TRIES = 2;

type Answers = Map<PublishEntry, PublishOutcome>;

const UNKNOWN: PublishOutcome = { ...NOT_ANSWERED, unknown: true };

/** All of the event's notifications are on the topic, or at least one is not. */
export type Published =
  | { readonly kind: 'published'; readonly snsMessageIds: readonly string[] }
  | { readonly kind: 'failed'; readonly reason: 'publish_failed' | 'publish_unknown' | 'deadline' };

/**
 * Publishes the stored bytes of many events with as few calls as SNS allows. Only what an answer lists as successful is
 * published. Nothing here is permanent: the event is committed, and its notification is owed.
 *
 * @param held the lanes in which something earlier is not published. Nothing is published to them, and what is not
 *   published now adds to them.
 */
export async function publishAll(
  ctx: DeliveryContext,
  events: readonly (readonly Notification[])[],
  held = new Set<Lane>(),
): Promise<Published[]> {
  const entries = events.map(entriesOf);
  const answers: Answers = new Map();
  let open = entries.flat().filter((entry) => !held.has(laneOf(entry)));
  for (let tried = 0; tried < TRIES && open.length > 0 && ctx.deadline.hasTime(); tried += 1) {
    if (tried > 0) await ctx.clock.sleep(retryJitterMs(tried, ctx.random), ctx.deadline.signal);
    await publishOnce(ctx, open, answers);
    open = unpublished(open, answers);
  }
  for (const entry of open) held.add(laneOf(entry));
  reportFailures(ctx, 'notifications not published', failureNames(answers.values()));
  // With time left, what was not begun stands behind a failure of its FIFO group.
  const unbegun = ctx.deadline.hasTime() ? 'publish_failed' : 'deadline';
  const published: Published[] = [];
  for (const own of entries) published.push(summarise(own, answers, unbegun));
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

async function publishOnce(ctx: DeliveryContext, entries: readonly PublishEntry[], answers: Answers): Promise<void> {
  const stopped = new Set<Lane>();
  for (const round of inRounds(entries, lanesOf)) {
    // On a FIFO topic a later message of a group must not overtake one that failed.
    const going = round.filter((entry) => !stopped.has(laneOf(entry)));
    const calls = packCalls(going, ctx.settings.topicMaxBytes);
    await inParallel(ctx.settings.concurrency, calls, (call) => publishCall(ctx, call, answers, stopped));
  }
}

async function publishCall(ctx: DeliveryContext, call: Call, answers: Answers, stopped: Set<Lane>): Promise<void> {
  if (!ctx.deadline.hasTime()) return;
  const outcomes = await ctx.notifier.publish(call.topicArn, call.entries, ctx.deadline.publishSignal);
  for (const [position, entry] of call.entries.entries()) {
    const answer = outcomes[position] ?? UNKNOWN;
    answers.set(entry, answer);
    if (answer.kind === 'failed') stopped.add(laneOf(entry));
  }
}

/** Within what order counts: a topic and group; on a standard topic, which promises none, the entry alone. */
export type Lane = string | PublishEntry;

function laneOf(entry: PublishEntry): Lane {
  return topicGroupOf(entry.notification) ?? entry;
}

function lanesOf(entry: PublishEntry): readonly Lane[] {
  return [laneOf(entry)];
}

/** The group of a FIFO topic, within which order counts; undefined on a standard topic. */
export function topicGroupOf({ topicArn, groupId }: Notification): string | undefined {
  // AWS requires the suffix of every FIFO topic: https://docs.aws.amazon.com/sns/latest/api/API_CreateTopic.html
  return topicArn.endsWith('.fifo') ? `${topicArn} ${groupId}` : undefined;
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

type PublishFailure = Extract<Published, { kind: 'failed' }>['reason'];

function summarise(entries: readonly PublishEntry[], answers: Answers, unbegun: PublishFailure): Published {
  const snsMessageIds: string[] = [];
  let reason: PublishFailure | undefined;
  for (const entry of entries) {
    const outcome = answers.get(entry);
    if (outcome?.kind === 'published') snsMessageIds.push(outcome.snsMessageId);
    else if (outcome === undefined) reason ??= unbegun;
    else reason = outcome.unknown ? 'publish_unknown' : 'publish_failed';
  }
  return reason === undefined ? { kind: 'published', snsMessageIds } : { kind: 'failed', reason };
}
