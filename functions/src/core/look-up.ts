import { type Judgement, judgeRow } from './judge.ts';
import { pairs } from './pairs.ts';
import type { PipelineContext } from './pipeline-context.ts';
import { readRow, readRows } from './read-rows.ts';
import type { Row } from './types.ts';
import { type EventWork, eventIdOf, ownedBy, settle, type Verdict } from './work.ts';

/**
 * Reads the rows of events that are probably committed already, before anything is planned: an event that an earlier
 * attempt committed may no longer pass the schema, and its stored notification is all that is needed. One read unit
 * instead of the write units of a cancelled transaction.
 *
 * An event that the filter excludes is always looked up. It is acknowledged without a commit, but a filter that was made
 * stricter must not acknowledge what an earlier attempt committed and did not publish (G4).
 */
export async function lookUp(ctx: PipelineContext, works: readonly EventWork[]): Promise<void> {
  const all = ctx.adaptive.looksUpAll(works.length);
  const suspects: EventWork[] = [];
  for (const work of works) {
    if (work.stage.at !== 'new') continue;
    if (all || work.receiveCount > 1 || work.event.excluded === true) suspects.push(work);
    else work.stage = { at: 'uncommitted' };
  }
  await readAndJudge(ctx, suspects);
}

/** Settles what the rows decide; an event without a row goes on to be planned. */
async function readAndJudge(ctx: PipelineContext, works: readonly EventWork[]): Promise<void> {
  if (!ctx.deadline.hasTime()) {
    for (const work of works) settle(work, { kind: 'transient', reason: 'deadline' });
    return;
  }
  const reads = await readRows(ctx, works.map(eventIdOf));
  for (const [work, read] of pairs(works, reads)) {
    if (read.kind === 'found') applyRow(ctx, work, read.value);
    else if (read.kind === 'absent') applyAbsence(work);
    else settle(work, { kind: 'transient', reason: 'look_up_failed' });
  }
}

function applyAbsence(work: EventWork): void {
  if (work.event.excluded === true) settle(work, NOT_OURS);
  else work.stage = { at: 'uncommitted' };
}

const NOT_OURS: Verdict = { kind: 'not_ours', reason: 'filtered' };

/** The row of a put that failed its condition; where the reason came without it, one strongly consistent read. */
export async function applyExisting(ctx: PipelineContext, work: EventWork, row: Row | undefined): Promise<void> {
  if (row !== undefined) {
    applyRow(ctx, work, row);
    return;
  }
  const read = await readRow(ctx, work.event.eventId);
  if (read.kind === 'found') applyRow(ctx, work, read.value);
  else settle(work, { kind: 'transient', reason: read.kind === 'absent' ? 'row_missing' : 'look_up_failed' });
}

export function applyRow(ctx: PipelineContext, work: EventWork, row: Row): void {
  const messageId = work.contested ? undefined : work.event.messageId;
  // Another kind of event may use ids of ours: one that is excluded claims nothing of the row, but waits until it is sent.
  const ours = work.event.excluded !== true || 'unknown' in row;
  const claimant = { payloadHash: ours ? work.event.payloadHash : row.payloadHash, messageId, owner: work.owner };
  applyJudgement(work, judgeRow(row, claimant, ctx.clock.now(), ctx.settings));
}

function applyJudgement(work: EventWork, judgement: Judgement): void {
  switch (judgement.kind) {
    case 'duplicate':
      if (work.event.excluded === true) return settle(work, NOT_OURS);
      return settle(work, { kind: 'sent', how: 'duplicate', payloadHash: judgement.row.payloadHash });
    case 'ours':
      work.stage = {
        at: 'owned',
        owned: ownedBy(work, judgement.row.notifications),
        how: 'committed',
        payloadHash: judgement.row.payloadHash,
      };
      return;
    case 'abandoned':
      work.stage = { at: 'abandoned', row: judgement.row };
      return;
    case 'held':
      return settle(work, { kind: 'transient', reason: 'lease_held', retryAtMs: judgement.untilMs });
    case 'mismatch':
      return settle(work, { kind: 'permanent', reason: 'payload_mismatch' });
    case 'newer':
      return settle(work, { kind: 'transient', reason: 'row_newer' });
  }
}
