import type { Clock, EventStore, Notifier, Random, SourceQueue, Telemetry, VisibilityChange } from '../ports.ts';
import { type Adaptive, createAdaptive } from './adaptive.ts';
import { type BatchAnswer, buildAnswer } from './answer.ts';
import { abandonOpen, openBatch } from './batch.ts';
import { conclude } from './conclude.ts';
import { startDeadline } from './deadline.ts';
import { runLanes } from './lanes.ts';
import { leaseEndMs } from './lease.ts';
import type { PipelineContext } from './pipeline-context.ts';
import { reportBatch } from './report.ts';
import { refusedNames, reportFailures } from './report-failures.ts';
import type { PipelineSettings } from './settings.ts';
import { runStandard } from './standard.ts';
import type { Meaning, SourceRecord } from './types.ts';
import { eventsOf, type RecordWork, verdictOf } from './work.ts';

export type { BatchAnswer } from './answer.ts';

export interface PipelineDeps {
  readonly settings: PipelineSettings;
  readonly meaning: Meaning;
  readonly store: EventStore;
  readonly notifier: Notifier;
  readonly queue: SourceQueue;
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
}

/** What Lambda gives an invocation: an id, and the time at which it ends. */
export interface Invocation {
  readonly requestId: string;
  /** Epoch milliseconds on this host's clock at which the function is stopped. */
  readonly deadlineMs: number;
}

/** One per container: it keeps adaptive sizes between invocations and nothing else. */
export interface Pipeline {
  /**
   * Works on one batch and answers which of its records must come back. Resolves only when every write and publish that
   * it began has settled, or the invocation is about to be stopped; whatever is not settled then counts as failed.
   *
   * @throws UnnamedRecordError when a failing record has no id: the whole batch must come back.
   */
  run(records: readonly SourceRecord[], invocation: Invocation): Promise<BatchAnswer>;
}

export function createPipeline(deps: PipelineDeps): Pipeline {
  const adaptive = createAdaptive(deps.settings.grouping);
  return { run: (records, invocation) => runBatch(deps, adaptive, records, invocation) };
}

async function runBatch(
  deps: PipelineDeps,
  adaptive: Adaptive,
  records: readonly SourceRecord[],
  invocation: Invocation,
): Promise<BatchAnswer> {
  const { settings, clock } = deps;
  const deadline = startDeadline(clock, invocation.deadlineMs, settings.deadlineMarginMs);
  const ctx: PipelineContext = {
    ...deps,
    adaptive,
    deadline,
    requestId: invocation.requestId,
    leaseExpiresAtMs: leaseEndMs(invocation.deadlineMs, settings),
    unknownCommits: new Set(),
    deletes: { failing: false },
  };
  const stream = settings.source === 'kinesis' || settings.source === 'dynamodb_stream';
  try {
    const batch = openBatch(ctx, records);
    // A promise of a handler that never settles must not turn into a time-out, which would send everything back.
    await untilStopped(ctx, work(ctx, batch));
    learn(adaptive, batch);
    reportBatch(ctx, batch);
    return buildAnswer(batch, stream);
  } finally {
    deadline.close();
  }
}

async function work(ctx: PipelineContext, batch: readonly RecordWork[]): Promise<void> {
  try {
    if (ctx.settings.source === 'sqs') await runStandard(ctx, batch);
    else await runLanes(ctx, batch);
  } catch (error) {
    // A bug of ours. What is settled stands; everything else comes back.
    ctx.telemetry.error('the consumer failed', {
      reason: 'internal',
      error_name: error instanceof Error ? error.name : typeof error,
    });
    abandonOpen(batch, 'internal');
    await conclude({ ...ctx, settings: { ...ctx.settings, quarantine: false } }, batch, batch);
  }
  await hideFailed(ctx, batch);
}

/** Resolves with the work, or shortly before the invocation is stopped. */
async function untilStopped(ctx: PipelineContext, running: Promise<void>): Promise<void> {
  let cancel = (): void => {};
  const stopped = new Promise<void>((resolve) => {
    cancel = ctx.clock.alarm(ctx.deadline.atMs - ctx.settings.deadlineMarginMs / 6, resolve);
  });
  await Promise.race([running, stopped]);
  cancel();
}

/** Asks for each failed record at its own time. Best effort: without it, it comes back after the visibility timeout. */
async function hideFailed(ctx: PipelineContext, batch: readonly RecordWork[]): Promise<void> {
  const entries: VisibilityChange[] = [];
  for (const { record, state } of batch) {
    if (state.at !== 'failed' || state.delaySeconds === undefined || record.receiptHandle === undefined) continue;
    entries.push({ receiptHandle: record.receiptHandle, seconds: state.delaySeconds });
  }
  if (entries.length === 0 || ctx.deadline.signal.aborted) return;
  const failed = await ctx.queue.changeVisibility(entries, ctx.deadline.signal);
  reportFailures(ctx, 'visibility not changed', refusedNames(failed, entries.length));
}

/** First deliveries that were committed already are what looking up all rows would have found, beside those it finds anyway. */
function learn(adaptive: Adaptive, batch: readonly RecordWork[]): void {
  let firsts = 0;
  let duplicates = 0;
  for (const event of eventsOf(batch)) {
    if (event.receiveCount > 1 || event.twin || event.event.excluded === true) continue;
    const verdict = verdictOf(event);
    firsts += 1;
    if (verdict.kind === 'sent' && (verdict.how === 'duplicate' || verdict.how === 'recovered')) duplicates += 1;
  }
  adaptive.observed(firsts, duplicates);
}
