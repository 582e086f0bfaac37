import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AttributeMap } from '../../functions/src/core/attribute-value.ts';
import type { BusinessWrite, Notification, SourceRecord } from '../../functions/src/core/types.ts';
import type { CommitEvent, CommitOutcome, EventStore, Notifier, SourceQueue } from '../../functions/src/ports.ts';

/** A service behind the ports: the simulated one, or AWS (an emulator of it) through the real adapters. */
export interface Subject {
  readonly rowTable: string;
  /** Hash key `pk`, a string. */
  readonly businessTable: string;
  readonly topicArn: string;
  readonly fifo: boolean;
  /** Documented rules that this subject is known not to enforce. They are tested all the same, so that the list stays true. */
  readonly lax: ReadonlySet<LaxRule>;
  readonly visibilitySeconds: number;
  readonly maxReceiveCount: number;
  readonly store: EventStore;
  readonly notifier: Notifier;
  readonly queue: SourceQueue;
  send(body: string, groupId?: string): Promise<void>;
  receive(): Promise<readonly SourceRecord[]>;
  deadLetters(): Promise<
    readonly { readonly body: string; readonly attributes: Readonly<Record<string, { readonly value: string }>> }[]
  >;
  /** Lets time pass. */
  wait(seconds: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * Rules that an emulator may leave out (L-05). AWS's own words are the reference for them:
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
 */
export type LaxRule =
  | 'same item twice'
  | 'empty key'
  | 'key above 2048 bytes'
  | 'deeper than 32 levels'
  | 'more than 100 actions'
  | 'item above 400 KB'
  | 'publish above 256 KB'
  | 'empty attribute value'
  | 'group id above 128 characters';

const never = new AbortController().signal;

/** What the core relies on, asked of any subject in the same words. */
export function conformanceOf(name: string, start: () => Promise<Subject>): void {
  describe(`${name}, seen through the ports`, () => {
    let subject: Subject;
    let next = 0;
    const freshId = (): string => {
      next += 1;
      return `event-${Date.now()}-${next}`;
    };
    /** The rule is enforced, or the subject is known to be lax about it. */
    const enforced = (rule: LaxRule, title: string, test: () => Promise<void>): void => {
      it(title, async () => {
        const refused = await test().then(
          () => true,
          () => false,
        );
        expect({ rule, enforced: refused }).toEqual({ rule, enforced: !subject.lax.has(rule) });
      });
    };
    beforeAll(async () => {
      subject = await start();
    });
    afterAll(() => subject?.close());

    const row = (eventId: string, more: AttributeMap = {}): AttributeMap => ({
      event_id: { S: eventId },
      v: { N: '1' },
      status: { S: 'pending' },
      payload_hash: { S: 'v1:0' },
      notifications: { L: [] },
      lease_owner: { S: 'r1/m1' },
      lease_expires_at_ms: { N: '1700000000000' },
      created_at: { S: '2026-01-01T00:00:00.000Z' },
      message_id: { S: 'm1' },
      ...more,
    });
    const put = (pk: string, more: AttributeMap = {}): BusinessWrite => ({
      kind: 'put',
      table: subject.businessTable,
      key: { pk: { S: pk } },
      item: { pk: { S: pk }, ...more },
      condition: { expression: 'attribute_not_exists(#pk)', names: { '#pk': 'pk' } },
      onConditionFailed: 'reject',
    });
    const event = (eventId: string, ...writes: BusinessWrite[]): CommitEvent => ({ row: row(eventId), writes });
    const commit = async (...events: CommitEvent[]): Promise<CommitOutcome> => {
      const outcome = await subject.store.commit(events, never);
      // An item stays locked a moment longer than its transaction's answer takes.
      await subject.wait(0.02);
      return outcome;
    };
    const codes = (outcome: CommitOutcome): unknown =>
      outcome.kind === 'cancelled' ? outcome.reasons.map((own) => own.map(({ code }) => code)) : outcome.kind;
    const statusOf = async (eventId: string): Promise<string> => {
      const [read] = await subject.store.readRows([eventId], never);
      return read?.kind === 'found' && !('unknown' in read.value) ? read.value.status : (read?.kind ?? 'nothing');
    };
    const itemOf = async (pk: string): Promise<string> => {
      const [read] = await subject.store.readItems([{ table: subject.businessTable, key: { pk: { S: pk } } }], never);
      return read?.kind ?? 'nothing';
    };

    describe('DynamoDB', () => {
      it('commits the row and the business writes together, and reads them back consistently', async () => {
        const id = freshId();
        expect((await commit(event(id, put(id)))).kind).toBe('committed');
        expect([await statusOf(id), await itemOf(id)]).toEqual(['pending', 'found']);
      });

      it('cancels a second commit of an event and brings the existing row with the reason', async () => {
        const id = freshId();
        await commit(event(id, put(id)));
        const outcome = await commit(event(id, put(`${id}-other`)));
        expect(codes(outcome)).toEqual([['ConditionalCheckFailed', 'None']]);
        expect(outcome.kind === 'cancelled' && outcome.reasons[0]?.[0]?.row).toMatchObject({
          eventId: id,
          status: 'pending',
          leaseOwner: 'r1/m1',
        });
        expect(await itemOf(`${id}-other`)).toBe('absent');
      });

      it('gives every action its own reason: the row exists, and its own earlier business write does too', async () => {
        const id = freshId();
        await commit(event(id, put(id)));
        expect(codes(await commit(event(id, put(id))))).toEqual([['ConditionalCheckFailed', 'ConditionalCheckFailed']]);
      });

      it('writes nothing of a group of which one event exists, and says that the other is innocent', async () => {
        const [old, fresh] = [freshId(), freshId()];
        await commit(event(old, put(old)));
        const outcome = await commit(event(fresh, put(fresh)), event(old, put(`${old}-other`)));
        expect(codes(outcome)).toEqual([
          ['None', 'None'],
          ['ConditionalCheckFailed', 'None'],
        ]);
        expect([await statusOf(fresh), await itemOf(fresh)]).toEqual(['absent', 'absent']);
      });

      it('cancels an event whose business condition fails', async () => {
        const [first, second] = [freshId(), freshId()];
        await commit(event(first, put(first)));
        expect(codes(await commit(event(second, put(first))))).toEqual([['None', 'ConditionalCheckFailed']]);
        expect(await statusOf(second)).toBe('absent');
      });

      it('applies an update with a condition, and cancels it when the item has changed', async () => {
        const [first, second, third] = [freshId(), freshId(), freshId()];
        const count = (from: number | undefined, to: number): BusinessWrite => ({
          kind: 'update',
          table: subject.businessTable,
          key: { pk: { S: `count-${first}` } },
          expression: 'SET #n = :new',
          names: { '#n': 'n' },
          values: { ':new': { N: String(to) } },
          condition:
            from === undefined
              ? { expression: 'attribute_not_exists(#n)', names: { '#n': 'n' } }
              : { expression: '#n = :old', names: { '#n': 'n' }, values: { ':old': { N: String(from) } } },
          onConditionFailed: 'replan',
        });
        expect((await commit(event(first, count(undefined, 1)))).kind).toBe('committed');
        expect((await commit(event(second, count(1, 2)))).kind).toBe('committed');
        expect(codes(await commit(event(third, count(1, 2))))).toEqual([['None', 'ConditionalCheckFailed']]);
      });

      it('reads rows in the order asked, and says which are absent', async () => {
        const [one, two, none] = [freshId(), freshId(), freshId()];
        await commit(event(one), event(two));
        const reads = await subject.store.readRows([two, none, one], never);
        expect(reads.map((read) => (read.kind === 'found' ? read.value.eventId : read.kind))).toEqual([
          two,
          'absent',
          one,
        ]);
      });

      it('marks a pending row once; the second mark fails its condition and brings the sent row', async () => {
        const id = freshId();
        await commit(event(id));
        const mark = {
          kind: 'mark',
          eventId: id,
          sentAt: '2026-01-01T00:00:01.000Z',
          expiresAtSeconds: 1_900_000_000,
          snsMessageIds: ['a'],
        } as const;
        expect(await subject.store.update([mark], never)).toEqual([{ kind: 'done' }]);
        expect(await statusOf(id)).toBe('sent');
        const [again] = await subject.store.update([mark], never);
        expect(again).toMatchObject({ kind: 'condition_failed', row: { status: 'sent' } });
      });

      it('creates nothing by the mark of a row that is not there', async () => {
        const id = freshId();
        const mark = {
          kind: 'mark',
          eventId: id,
          sentAt: '2026-01-01T00:00:01.000Z',
          expiresAtSeconds: 1_900_000_000,
          snsMessageIds: [],
        } as const;
        const [outcome] = await subject.store.update([mark], never);
        expect(outcome?.kind).toBe('condition_failed');
        expect(await statusOf(id)).toBe('absent');
      });

      it('gives a lease to one of two who read it, and releases it for its owner alone', async () => {
        const id = freshId();
        await commit(event(id));
        const takeover = (owner: string) =>
          ({
            kind: 'takeover',
            eventId: id,
            fromOwner: 'r1/m1',
            fromExpiresAtMs: 1_700_000_000_000,
            owner,
            expiresAtMs: 1_700_000_009_000,
            relayShard: '1',
          }) as const;
        expect(await subject.store.update([takeover('r2/m1')], never)).toEqual([{ kind: 'done' }]);
        expect((await subject.store.update([takeover('r3/m1')], never))[0]).toMatchObject({
          kind: 'condition_failed',
          row: { leaseOwner: 'r2/m1' },
        });
        const release = (owner: string) => ({ kind: 'release', eventId: id, owner, relayShard: '1' }) as const;
        expect((await subject.store.update([release('r3/m1')], never))[0]?.kind).toBe('condition_failed');
        expect(await subject.store.update([release('r2/m1')], never)).toEqual([{ kind: 'done' }]);
      });

      it('decides statements of one call one by one', async () => {
        const [there, missing] = [freshId(), freshId()];
        await commit(event(there));
        const release = (eventId: string) => ({ kind: 'release', eventId, owner: 'r1/m1', relayShard: '0' }) as const;
        const outcomes = await subject.store.update([release(missing), release(there)], never);
        expect(outcomes.map(({ kind }) => kind)).toEqual(['condition_failed', 'done']);
      });

      enforced('same item twice', 'L-05: refuses a transaction that names an item twice', async () => {
        const [one, two] = [freshId(), freshId()];
        expect(await commit(event(one, put(one)), event(two, put(one)))).toMatchObject({
          kind: 'refused',
          permanent: true,
        });
        expect(await statusOf(one)).toBe('absent');
      });

      enforced('empty key', 'L-05: refuses an empty key, and the whole group with it', async () => {
        const [one, two] = [freshId(), freshId()];
        expect(await commit(event(one, put('')), event(two, put(two)))).toMatchObject({
          kind: 'refused',
          permanent: true,
        });
        expect(await statusOf(two)).toBe('absent');
      });

      enforced('key above 2048 bytes', 'L-05: refuses a key above 2048 bytes', async () => {
        const id = freshId();
        expect(await commit(event(id, put('k'.repeat(2049))))).toMatchObject({ kind: 'refused', permanent: true });
      });

      enforced('deeper than 32 levels', 'L-05: refuses a value deeper than 32 levels', async () => {
        const id = freshId();
        let deep: AttributeMap[string] = { S: 'x' };
        for (let level = 1; level <= 33; level += 1) deep = { L: [deep] };
        expect(await commit(event(id, put(id, { deep })))).toMatchObject({ kind: 'refused', permanent: true });
      });

      enforced('more than 100 actions', 'L-05: refuses more than 100 actions', async () => {
        const id = freshId();
        expect(
          await commit(event(id, ...Array.from({ length: 100 }, (_, index) => put(`${id}-${index}`)))),
        ).toMatchObject({ kind: 'refused', permanent: true });
      });

      enforced('item above 400 KB', 'L-05: refuses an item above 400 KB', async () => {
        const id = freshId();
        expect(await commit(event(id, put(id, { text: { S: 'x'.repeat(410 * 1024) } })))).toMatchObject({
          kind: 'refused',
          permanent: true,
        });
      });
    });

    describe('SNS', () => {
      const notification = (more: Partial<Notification> = {}): Notification => ({
        topicArn: subject.topicArn,
        message: 'm',
        attributes: {},
        ...(subject.topicArn.endsWith('.fifo') && { groupId: 'g', deduplicationId: freshId() }),
        ...more,
      });
      const publish = async (...notifications: Notification[]): Promise<string[]> => {
        const entries = notifications.map((each) => ({ notification: each }));
        return (await subject.notifier.publish(subject.topicArn, entries, never)).map(({ kind }) => kind);
      };

      it('takes each entry of a batch', async () => {
        expect(await publish(notification(), notification({ message: 'Grüße 😀' }))).toEqual([
          'published',
          'published',
        ]);
      });

      enforced('publish above 256 KB', 'L-06: refuses a publish above 256 KB', async () => {
        expect(await publish(notification({ message: 'x'.repeat(262_145) }))).toEqual(['failed']);
      });

      enforced('empty attribute value', 'L-06: refuses an empty attribute value', async () => {
        expect(await publish(notification({ attributes: { a: { type: 'String', value: '' } } }))).toEqual(['failed']);
      });

      enforced('group id above 128 characters', 'L-06: refuses a group id above 128 characters', async () => {
        expect(await publish(notification({ groupId: 'g'.repeat(129) }))).toEqual(['failed']);
      });
    });

    describe('SQS', () => {
      const receiveNow = async (): Promise<readonly SourceRecord[]> => {
        const records = await subject.receive();
        return records;
      };
      const handle = (record: SourceRecord | undefined): string => record?.receiptHandle ?? '';
      const empty = async (): Promise<void> => {
        for (let records = await receiveNow(); records.length > 0; records = await receiveNow()) {
          await subject.queue.delete(records.map(handle), never);
        }
      };

      it('hides a received message until it is asked back, and counts its receives', async () => {
        await subject.send('a', 'hides');
        const [first] = await receiveNow();
        expect([first?.body, first?.receiveCount]).toEqual(['a', 1]);
        expect(await receiveNow()).toEqual([]);
        expect(await subject.queue.changeVisibility([{ receiptHandle: handle(first), seconds: 0 }], never)).toEqual([
          false,
        ]);
        const [second] = await receiveNow();
        expect([second?.id, second?.receiveCount]).toEqual([first?.id, 2]);
        expect(await subject.queue.delete([handle(second)], never)).toEqual([false]);
        await subject.wait(subject.visibilitySeconds + 1);
        expect(await receiveNow()).toEqual([]);
      });

      it('shows a message again when its visibility runs out', async () => {
        await subject.send('b', 'again');
        const [first] = await receiveNow();
        await subject.wait(subject.visibilitySeconds + 1);
        const [second] = await receiveNow();
        expect([second?.id, second?.receiveCount]).toEqual([first?.id, 2]);
        await subject.queue.delete([handle(second)], never);
      });

      it('moves a message to the dead-letter queue at the receive after its last one', async () => {
        await subject.send('c', 'moves');
        for (let receive = 1; receive <= subject.maxReceiveCount; receive += 1) {
          const [record] = await receiveNow();
          expect(record?.receiveCount).toBe(receive);
          await subject.queue.changeVisibility([{ receiptHandle: handle(record), seconds: 0 }], never);
        }
        expect(await receiveNow()).toEqual([]);
        expect((await subject.deadLetters()).map(({ body }) => body)).toContain('c');
      });

      it('keeps body and attributes of what is quarantined', async () => {
        const attributes = {
          error_type: { type: 'String', value: 'not_json' },
          source_message_id: { type: 'String', value: 'm-1' },
        };
        const failed = await subject.queue.quarantine(
          [{ messageId: 'm-1', body: 'quarantined', attributes, groupId: 'q', deduplicationId: freshId() }],
          never,
        );
        expect(failed).toEqual([false]);
        const letter = (await subject.deadLetters()).find(({ body }) => body === 'quarantined');
        expect(letter?.attributes.error_type?.value).toBe('not_json');
      });

      it('L-04: delivers no message of a FIFO group while one of it is in flight, and other groups meanwhile', async () => {
        if (!subject.fifo) return;
        await empty();
        await subject.send('1', 'left');
        const [first] = await receiveNow();
        await subject.send('2', 'left');
        await subject.send('3', 'right');
        const others = await receiveNow();
        expect(others.map(({ body }) => body)).toEqual(['3']);
        await subject.queue.delete([handle(first), ...others.map(handle)], never);
        expect((await receiveNow()).map(({ body }) => body)).toEqual(['2']);
      });

      it('delivers a FIFO group in order', async () => {
        if (!subject.fifo) return;
        await subject.wait(subject.visibilitySeconds + 1);
        await empty();
        for (const body of ['1', '2', '3']) await subject.send(body, 'order');
        expect((await receiveNow()).map(({ body }) => body)).toEqual(['1', '2', '3']);
      });
    });
  });
}
