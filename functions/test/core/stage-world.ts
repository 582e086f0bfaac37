import { type Adaptive, createAdaptive } from '../../src/core/adaptive.ts';
import { startDeadline } from '../../src/core/deadline.ts';
import { declarativeMeaning } from '../../src/core/mapping.ts';
import type { PipelineContext } from '../../src/core/pipeline-context.ts';
import { rowItem } from '../../src/core/row.ts';
import type { PipelineSettings } from '../../src/core/settings.ts';
import type { DecodedEvent, Meaning, Notification, ProcessedEvent, SourceRecord } from '../../src/core/types.ts';
import type { EventWork, RecordWork, Verdict } from '../../src/core/work.ts';
import { Harness, MAPPING, record, START_MS, TOPIC } from './harness.ts';

/** One stage alone: the parts of a harness, and the context that `createPipeline` would give to its stages. */
export interface StageWorld {
  readonly h: Harness;
  readonly ctx: PipelineContext;
  /** Milliseconds of every sleep. */
  readonly sleeps: number[];
  /** Calls of the adaptive size, in words. */
  readonly learned: string[];
}

export interface WorldOptions {
  readonly settings?: Partial<PipelineSettings>;
  readonly meaning?: Meaning;
  readonly looksUpAll?: boolean;
  readonly deadlineMs?: number;
}

export function world(options: WorldOptions = {}): StageWorld {
  const h = new Harness({ settings: options.settings ?? {} });
  const sleeps: number[] = [];
  const learned: string[] = [];
  const sleep = h.clock.sleep.bind(h.clock);
  h.clock.sleep = (ms) => {
    sleeps.push(ms);
    return sleep(ms);
  };
  const real = createAdaptive(h.settings.grouping);
  const adaptive: Adaptive = {
    ...real,
    looksUpAll: () => options.looksUpAll ?? false,
    groupCommitted: (events) => learned.push(`committed ${events}`),
    groupCancelled: (events, avoidable) =>
      learned.push(`cancelled ${events}, ${avoidable ? 'avoidable' : 'by an existing row'}`),
  };
  const deadlineMs = options.deadlineMs ?? START_MS + 30_000;
  const ctx: PipelineContext = {
    settings: h.settings,
    meaning: options.meaning ?? declarativeMeaning(MAPPING),
    store: h.store,
    notifier: h.topic,
    queue: h.queue,
    clock: h.clock,
    random: h.random,
    telemetry: h.telemetry,
    adaptive,
    deadline: startDeadline(h.clock, deadlineMs, h.settings.deadlineMarginMs),
    requestId: 'request',
    leaseExpiresAtMs: deadlineMs + h.settings.leaseMarginMs,
    unknownCommits: new Set(),
    deletes: { failing: false },
  };
  return { h, ctx, sleeps, learned };
}

export const hashOf = (digit: string): string => `v1:${digit.repeat(64)}`;

export function notification(eventId = 'o-1'): Notification {
  return { topicArn: TOPIC, message: JSON.stringify({ event_id: eventId }), attributes: {} };
}

export function event(eventId = 'o-1', more: Partial<DecodedEvent> = {}): DecodedEvent {
  return {
    eventId,
    payload: { id: eventId },
    payloadHash: hashOf('a'),
    attributes: {},
    messageId: 'm1',
    ...more,
  };
}

/** An event of message `m1`, tried by `us`. */
export function work(eventId = 'o-1', more: Partial<EventWork> = {}): EventWork {
  return {
    event: event(eventId),
    receiveCount: 1,
    owner: 'us',
    stage: { at: 'new' },
    twin: false,
    contested: false,
    items: [],
    ...more,
  };
}

/** Pending, committed by message `m0` of somebody else, whose lease lasts ten more seconds. */
export function row(more: Partial<ProcessedEvent> = {}): ProcessedEvent {
  const eventId = more.eventId ?? 'o-1';
  return {
    eventId,
    v: 1,
    status: 'pending',
    payloadHash: hashOf('a'),
    notifications: [notification(eventId)],
    leaseOwner: 'other',
    leaseExpiresAtMs: START_MS + 10_000,
    messageId: 'm0',
    createdAt: '2026-01-01T00:00:00.000Z',
    ...more,
  };
}

/** Puts a row into the table as an earlier attempt would have. */
export function store(h: Harness, from: ProcessedEvent): void {
  const item = rowItem({
    event: event(from.eventId, { payloadHash: from.payloadHash, messageId: from.messageId }),
    source: 'sqs',
    notifications: from.notifications,
    leaseOwner: from.leaseOwner,
    leaseExpiresAtMs: from.leaseExpiresAtMs,
    nowMs: START_MS,
    retentionDays: 30,
    inTrouble: false,
  });
  h.store.rows.set(from.eventId, { ...item, status: { S: from.status } });
}

export function settled(eventId: string, verdict: Verdict): EventWork {
  return work(eventId, { stage: { at: 'settled', verdict } });
}

export function recordWork(
  id: string,
  more: Partial<RecordWork> & { readonly source?: SourceRecord } = {},
): RecordWork {
  const { source, ...rest } = more;
  return {
    record: source ?? record(id, {}),
    events: [],
    issues: [],
    notOurs: undefined,
    state: { at: 'open' },
    deleted: false,
    ...rest,
  };
}
