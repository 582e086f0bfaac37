import type { AttributeMap, AttributeValue } from '../../src/core/attribute-value.ts';
import { BUSINESS_ITEM_IS_OLDER, BUSINESS_KEY_IS_FREE } from '../../src/core/conditions.ts';
import { itemName } from '../../src/core/prepare.ts';
import { parseRow } from '../../src/core/row.ts';
import type { BusinessWrite, Notification, ReadKey, Row } from '../../src/core/types.ts';
import type {
  CancellationReason,
  CommitEvent,
  CommitOutcome,
  Failed,
  Notifier,
  PublishOutcome,
  QuarantinedMessage,
  Read,
  RelayStore,
  RowUpdate,
  RowUpdateOutcome,
  SourceQueue,
} from '../../src/ports.ts';

/** What happens to one call instead of, or around, its execution. */
export type CommitFault = CommitOutcome | 'executed_answer_lost' | undefined;

/** DynamoDB as the pipeline sees it: rows, business items, real conditions, and scripted faults. */
export class MemoryStore implements RelayStore {
  readonly rows = new Map<string, AttributeMap>();
  readonly items = new Map<string, AttributeMap>();
  /** Event ids of every commit call, in order. */
  readonly commits: string[][] = [];
  readonly updates: RowUpdate[][] = [];
  readonly reads: string[][] = [];
  commitFault: (events: readonly CommitEvent[], call: number) => CommitFault | Promise<CommitFault> = () => undefined;
  readFault: (eventIds: readonly string[]) => string | undefined = () => undefined;
  updateFault: (update: RowUpdate) => 'failed' | 'executed_answer_lost' | undefined = () => undefined;
  /** Called after every commit that was executed. */
  afterCommit: () => void = () => {};
  /** Leaves out the row of a failed condition, as an old SDK or an update without ALL_OLD would. */
  hideRows = false;

  async commit(events: readonly CommitEvent[]): Promise<CommitOutcome> {
    const call = this.commits.length;
    this.commits.push(events.map((event) => text(event.row.event_id)));
    const fault = await this.commitFault(events, call);
    if (fault !== undefined && fault !== 'executed_answer_lost') return fault;
    const outcome = this.execute(events);
    return fault === 'executed_answer_lost' ? { kind: 'unknown', name: 'TimeoutError' } : outcome;
  }

  execute(events: readonly CommitEvent[]): CommitOutcome {
    const names = events.flatMap(({ writes }) => writes.map((write) => itemName(write.table, write.key)));
    if (new Set(names).size < names.length)
      return { kind: 'refused', name: 'ValidationException', permanent: true, retried: false };
    const reasons = events.map(({ row, writes }): CancellationReason[] => {
      const existing = this.rows.get(text(row.event_id));
      const own: CancellationReason =
        existing === undefined
          ? { code: 'None' }
          : { code: 'ConditionalCheckFailed', ...(this.hideRows ? {} : { row: parseRow(existing) }) };
      return [own, ...writes.map((write) => ({ code: this.passes(write) ? 'None' : 'ConditionalCheckFailed' }))];
    });
    if (reasons.flat().some(({ code }) => code !== 'None')) return { kind: 'cancelled', reasons, retried: false };
    for (const { row, writes } of events) {
      this.rows.set(text(row.event_id), row);
      for (const write of writes)
        if (write.kind === 'put') this.items.set(itemName(write.table, write.key), write.item);
    }
    this.afterCommit();
    return { kind: 'committed', writeUnits: events.reduce((sum, { writes }) => sum + 2 + 2 * writes.length, 0) };
  }

  private passes(write: BusinessWrite): boolean {
    const item = this.items.get(itemName(write.table, write.key));
    switch (write.condition?.expression) {
      case undefined:
        return true;
      case BUSINESS_KEY_IS_FREE:
        return item === undefined;
      case BUSINESS_ITEM_IS_OLDER: {
        const stored = item?.business_version;
        const ours = write.condition?.values?.[':version'];
        return stored === undefined || (ours !== undefined && numeric(stored) < numeric(ours));
      }
      case 'version = :version': {
        const ours = write.condition?.values?.[':version'];
        return item?.version !== undefined && ours !== undefined && numeric(item.version) === numeric(ours);
      }
      default:
        throw new Error(`no such condition here: ${write.condition?.expression}`);
    }
  }

  async readRows(eventIds: readonly string[]): Promise<Read<Row>[]> {
    this.reads.push([...eventIds]);
    if (new Set(eventIds).size < eventIds.length) throw new Error('BatchGetItem refuses a key that stands in it twice');
    const fault = this.readFault(eventIds);
    return eventIds.map((eventId) => {
      if (fault !== undefined) return { kind: 'failed', name: fault };
      const row = this.rows.get(eventId);
      return row === undefined ? { kind: 'absent' } : { kind: 'found', value: parseRow(row) };
    });
  }

  async readItems(keys: readonly ReadKey[]): Promise<Read<AttributeMap>[]> {
    return keys.map(({ table, key }) => {
      const item = this.items.get(itemName(table, key));
      return item === undefined ? { kind: 'absent' } : { kind: 'found', value: item };
    });
  }

  async update(updates: readonly RowUpdate[]): Promise<RowUpdateOutcome[]> {
    if (updates.length > 25) throw new Error('BatchExecuteStatement takes 25 statements');
    this.updates.push([...updates]);
    return updates.map((update) => {
      const fault = this.updateFault(update);
      if (fault === 'failed') return { kind: 'failed', name: 'InternalServerError' };
      const outcome = this.apply(update);
      return fault === 'executed_answer_lost' ? { kind: 'failed', name: 'TimeoutError' } : outcome;
    });
  }

  private apply(update: RowUpdate): RowUpdateOutcome {
    const row = this.rows.get(update.eventId);
    if (row === undefined) return { kind: 'condition_failed', row: null };
    const failed: RowUpdateOutcome = { kind: 'condition_failed', row: this.hideRows ? undefined : parseRow(row) };
    if (text(row.status) !== 'pending') return failed;
    switch (update.kind) {
      case 'mark': {
        const { relay_shard: _, ...rest } = row;
        this.rows.set(update.eventId, {
          ...rest,
          status: { S: 'sent' },
          sent_at: { S: update.sentAt },
          expires_at: { N: String(update.expiresAtSeconds) },
        });
        return { kind: 'done' };
      }
      case 'takeover':
        if (text(row.lease_owner) !== update.fromOwner || numeric(row.lease_expires_at_ms) !== update.fromExpiresAtMs)
          return failed;
        this.rows.set(update.eventId, {
          ...row,
          lease_owner: { S: update.owner },
          lease_expires_at_ms: { N: String(update.expiresAtMs) },
          relay_shard: { S: update.relayShard },
        });
        return { kind: 'done' };
      case 'release':
        if (text(row.lease_owner) !== update.owner) return failed;
        this.rows.set(update.eventId, {
          ...row,
          lease_expires_at_ms: { N: '0' },
          relay_shard: { S: update.relayShard },
        });
        return { kind: 'done' };
    }
  }

  /** All that fits into one page: a test that wants another page makes it. */
  async queryTroubled(
    relayShard: string,
    beforeMs: number,
    limit: number,
    _from: AttributeMap | undefined,
  ): ReturnType<RelayStore['queryTroubled']> {
    const hits = [...this.rows.values()]
      .filter((row) => text(row.relay_shard) === relayShard && numeric(row.lease_expires_at_ms) < beforeMs)
      .sort((a, b) => numeric(a.lease_expires_at_ms) - numeric(b.lease_expires_at_ms));
    return { eventIds: hits.slice(0, limit).map((row) => text(row.event_id)) };
  }

  async countTroubled(relayShard: string) {
    return { rows: [...this.rows.values()].filter((row) => text(row.relay_shard) === relayShard).length };
  }

  /** Rows are spread over segments by the length of their id: any fixed split does. */
  async scanPending(segment: number, segments: number) {
    const rows = [...this.rows.values()].filter(
      (row) => text(row.event_id).length % segments === segment && text(row.status) === 'pending',
    );
    return { rows: rows.map(parseRow) };
  }

  row(eventId: string): Row | undefined {
    const row = this.rows.get(eventId);
    return row === undefined ? undefined : parseRow(row);
  }

  status(eventId: string): string | undefined {
    return this.rows.has(eventId) ? text(this.rows.get(eventId)?.status) : undefined;
  }
}

/** SNS with scripted answers; what it accepted is in `published`. */
export class MemoryTopic implements Notifier {
  readonly published: Notification[] = [];
  readonly calls: number[] = [];
  fault: (notification: Notification) => 'failed' | 'lost' | undefined = () => undefined;

  async publish(
    _topicArn: string,
    entries: readonly { readonly notification: Notification }[],
  ): Promise<PublishOutcome[]> {
    this.calls.push(entries.length);
    return entries.map(({ notification }) => {
      const fault = this.fault(notification);
      if (fault === 'failed') return { kind: 'failed', name: 'InternalError', unknown: false };
      this.published.push(notification);
      if (fault === 'lost') return { kind: 'failed', name: 'TimeoutError', unknown: true };
      return { kind: 'published', snsMessageId: `sns-${this.published.length}` };
    });
  }

  /** Event ids of the notifications, in the order of their publishing. */
  get ids(): string[] {
    return this.published.map((notification) => JSON.parse(notification.message).event_id as string);
  }
}

/** The source queue and its dead-letter queue. */
export class MemoryQueue implements SourceQueue {
  readonly visibility: { receiptHandle: string; seconds: number }[] = [];
  readonly deleted: string[] = [];
  readonly deadLetters: QuarantinedMessage[] = [];
  refuseDeadLetters = false;

  async changeVisibility(entries: readonly { readonly receiptHandle: string; readonly seconds: number }[]) {
    this.visibility.push(...entries);
    return entries.map((): Failed => false);
  }

  async delete(receiptHandles: readonly string[]) {
    this.deleted.push(...receiptHandles);
    return receiptHandles.map((): Failed => false);
  }

  async quarantine(messages: readonly QuarantinedMessage[]) {
    if (this.refuseDeadLetters) return messages.map((): Failed => 'AccessDenied');
    this.deadLetters.push(...messages);
    return messages.map((): Failed => false);
  }
}

function text(value: AttributeValue | undefined): string {
  return value !== undefined && 'S' in value ? value.S : '';
}

function numeric(value: AttributeValue | undefined): number {
  return value !== undefined && 'N' in value ? Number(value.N) : Number.NaN;
}
