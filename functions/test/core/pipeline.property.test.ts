import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { commitFailure } from '../../src/aws/commit-outcome.ts';
import type { AttributeMap } from '../../src/core/attribute-value.ts';
import { parseRow } from '../../src/core/row.ts';
import type { SourceRecord } from '../../src/core/types.ts';
import type { CancellationReason, CommitEvent } from '../../src/ports.ts';
import { runs } from '../property.ts';
import { failures, Harness, order, record } from './harness.ts';
import type { CommitFault } from './memory-aws.ts';

const REASONS = [
  'None',
  'ConditionalCheckFailed',
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
  'ItemCollectionSizeLimitExceeded',
  'ValidationError',
  'SomethingNew',
] as const;
const codes = fc.array(fc.constantFrom(...REASONS), { minLength: 1, maxLength: 8 });

/** One thing that a commit call may come back with, whatever is in it. */
const commitFault = fc.oneof(
  { weight: 6, arbitrary: fc.constant('fine' as const) },
  fc.constant('executed_answer_lost' as const),
  fc.constant('lost' as const),
  fc.constant('throttled' as const),
  fc.constant('refused' as const),
  // A list as it comes over the wire: of the right length, shorter, longer, empty or not there at all.
  fc.record({
    list: fc.constantFrom('right', 'right', 'shorter', 'longer', 'empty', 'absent'),
    codes,
    strayItems: fc.boolean(),
    retried: fc.boolean(),
  }),
  // What an adapter must not make of it: events with too few reasons, too many or none, and too few or too many events.
  fc.record({
    lengths: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 8 }),
    codes,
    strayItems: fc.boolean(),
    retried: fc.boolean(),
  }),
);
type FaultPlan = typeof commitFault extends fc.Arbitrary<infer T> ? T : never;

/** DynamoDB refuses every call that holds it, for as long as it is not alone. */
const POISON = 'poison';

const delivery = fc.record({
  /** A few ids, so that copies and mismatches are common. */
  id: fc.integer({ min: 0, max: 6 }).map((n) => (n === 6 ? POISON : `o-${n}`)),
  amount: fc.constantFrom(1, 1, 1, 2),
  receiveCount: fc.integer({ min: 1, max: 5 }),
  group: fc.constantFrom('A', 'B', 'C'),
  broken: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
});

function holdsPoison(events: readonly CommitEvent[]): boolean {
  return events.some(({ row }) => row.event_id !== undefined && 'S' in row.event_id && row.event_id.S === POISON);
}

const REFUSED: CommitFault = { kind: 'refused', name: 'ValidationException', permanent: true, retried: false };

function outcomeOf(plan: FaultPlan, events: readonly CommitEvent[]): CommitFault {
  if (plan === 'fine') return undefined;
  if (plan === 'executed_answer_lost') return plan;
  if (plan === 'lost') return { kind: 'unknown', name: 'TimeoutError' };
  if (plan === 'throttled') return { kind: 'throttled', name: 'ThrottlingException', retried: false };
  if (plan === 'refused') return REFUSED;
  const codeAt = (at: number) => plan.codes[at % plan.codes.length] as string;
  return 'list' in plan ? cancelledOnTheWire(plan, codeAt, events) : cancelledByEvent(plan, codeAt, events);
}

/** A row that says that all is done, where no condition of a row failed: whoever believes it loses the event. */
function asSent(row: AttributeMap | undefined): AttributeMap {
  return { ...row, status: { S: 'sent' } };
}

function cancelledOnTheWire(
  { list, strayItems, retried }: Extract<FaultPlan, { list: string }>,
  codeAt: (at: number) => string,
  events: readonly CommitEvent[],
): CommitFault {
  const actions = events.flatMap(({ row, writes }) => [{ row, own: true }, ...writes.map(() => ({ row, own: false }))]);
  const right = actions.map(({ row, own }, at) => {
    const Code = codeAt(at);
    const expected = own && Code === 'ConditionalCheckFailed';
    return { Code, ...(strayItems && !expected && { Item: asSent(row) }) };
  });
  const lists = {
    right,
    shorter: right.slice(1),
    longer: [...right, ...right.slice(0, 1)],
    empty: [],
    absent: undefined,
  };
  const CancellationReasons = lists[list as keyof typeof lists];
  const $metadata = { httpStatusCode: 400, attempts: retried ? 2 : 1 };
  return commitFailure({ name: 'TransactionCanceledException', $metadata, CancellationReasons }, events);
}

function cancelledByEvent(
  { lengths, strayItems, retried }: Extract<FaultPlan, { lengths: number[] }>,
  codeAt: (at: number) => string,
  events: readonly CommitEvent[],
): CommitFault {
  let at = 0;
  const reasons = lengths.map((length, event) => {
    const stray = events[event % events.length]?.row;
    return Array.from({ length }, (_, index): CancellationReason => {
      const code = codeAt(at++);
      const expected = index === 0 && code === 'ConditionalCheckFailed';
      return { code, ...(strayItems && !expected && { row: parseRow(asSent(stray)) }) };
    });
  });
  return { kind: 'cancelled', reasons, retried };
}

const PERMANENT: readonly string[] = ['ValidationError', 'ItemCollectionSizeLimitExceeded', 'ConditionalCheckFailed'];

/** Whether the answer names an event, and says of it what no later try would change. */
function mayCondemn(plan: FaultPlan): boolean {
  if (typeof plan === 'string') return plan === 'refused';
  const wellFormed = 'list' in plan ? plan.list === 'right' : plan.lengths.includes(2);
  return wellFormed && plan.codes.some((code) => PERMANENT.includes(code));
}

/** A message on its way: in the queue until it is acknowledged. */
interface Message {
  readonly source: SourceRecord;
  readonly id: string;
  readonly amount: number;
  readonly broken: boolean;
}

/** Whether the message can never be done: broken, refused by DynamoDB, or another payload under an id that is taken. */
function isBad(h: Harness, { id, amount, broken }: Message): boolean {
  if (broken || id === POISON) return true;
  const stored = [...h.store.items.values()].find((item) => JSON.stringify(item.id) === JSON.stringify({ S: id }));
  return stored === undefined || JSON.stringify(stored.amount) !== JSON.stringify({ N: String(amount) });
}

const deadIds = (h: Harness) => new Set(h.queue.deadLetters.map(({ messageId }) => messageId));

/** One invocation and what must be true of its answer; answers what is still in the queue. */
async function deliver(h: Harness, messages: readonly Message[]): Promise<Message[]> {
  const failed = failures(await h.invoke(messages.map(({ source }) => source)));
  expect(new Set(failed).size).toBe(failed.length);
  const names = messages.map(({ source }) => source.id);
  for (const id of failed) expect(names).toContain(id);
  const dead = deadIds(h);
  for (const { source, id } of messages) {
    // Acknowledged: quarantined, or its event is sent.
    if (failed.includes(source.id as string) || dead.has(source.id as string)) continue;
    expect(h.store.status(id)).toBe('sent');
  }
  h.clock.advance(31_001);
  return messages.filter(({ source }) => failed.includes(source.id as string));
}

/**
 * G5, with AWS well again: whatever is bad in a batch, the others of it are done, and nothing else is quarantined. On FIFO
 * all but those behind a bad one of their group that has not left the queue.
 */
async function redeliverAll(h: Harness, queue: readonly Message[]): Promise<void> {
  let left = [...queue];
  for (let receives = 0; receives < 6 && left.length > 0; receives += 1) {
    const before = deadIds(h);
    const again: Message[] = [];
    for (let at = 0; at < left.length; at += 10) {
      const batch = left.slice(at, at + 10);
      const failed = await deliver(h, batch);
      const blocked = new Set(failed.filter((message) => isBad(h, message)).map(({ source }) => source.groupId));
      for (const message of failed) {
        const behind = h.settings.source === 'sqs_fifo' && blocked.has(message.source.groupId);
        expect({ message, bad: isBad(h, message) || behind }).toEqual({ message, bad: true });
      }
      const dead = deadIds(h);
      for (const message of batch) {
        const { id = '' } = message.source;
        if (dead.has(id) && !before.has(id))
          expect({ message, bad: isBad(h, message) }).toEqual({ message, bad: true });
      }
      again.push(...failed);
    }
    left = again.map(({ source, ...rest }) => ({
      ...rest,
      source: { ...source, receiveCount: source.receiveCount + 1 },
    }));
  }
}

/** G3: what is committed is sent in the end, and every byte that it owes to the topic was published. */
function nothingIsOwed(h: Harness): void {
  for (const eventId of h.store.rows.keys()) {
    const row = h.store.row(eventId);
    expect(row).toMatchObject({ eventId, status: 'sent' });
    if (row === undefined || 'unknown' in row) continue;
    expect(row.notifications).toHaveLength(1);
    for (const notification of row.notifications) expect(h.topic.published).toContainEqual(notification);
  }
}

describe('whatever AWS answers', () => {
  it.each(['sqs', 'sqs_fifo'] as const)(
    '%s: the answer is valid, nothing pending is acknowledged, nothing is lost, and the bad harm no other',
    async (source) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(delivery, { minLength: 1, maxLength: 10 }), { minLength: 1, maxLength: 4 }),
          fc.array(commitFault, { maxLength: 12 }),
          fc.array(fc.constantFrom('failed', 'lost', undefined), { maxLength: 6 }),
          fc.array(fc.constantFrom('failed', 'executed_answer_lost', undefined), { maxLength: 6 }),
          fc.boolean(),
          async (batches, commitFaults, publishFaults, updateFaults, comesBack) => {
            const h = new Harness({ settings: { source, quarantine: true, maxReceiveCount: 5 } });
            const commits = [...commitFaults];
            const publishes = [...publishFaults];
            const updates = [...updateFaults];
            h.store.commitFault = (events) => {
              const plan = commits.shift() ?? 'fine';
              return outcomeOf(plan, events) ?? (holdsPoison(events) ? REFUSED : undefined);
            };
            h.topic.fault = () => publishes.shift();
            h.store.updateFault = () => updates.shift();

            const queue: Message[] = [];
            for (const [b, batch] of batches.entries()) {
              const messages = batch.map(({ id, amount, broken, receiveCount, group }, i) => ({
                source: record(`m${b}-${i}`, broken ? 'not json' : order(id, { amount }), {
                  receiveCount,
                  groupId: group,
                }),
                id,
                amount,
                broken,
              }));
              queue.push(...(await deliver(h, messages)));
            }
            // G1: as many items as rows, each written once. G2: every sent row was announced.
            const sent = [...h.store.rows.keys()].filter((id) => h.store.status(id) === 'sent');
            expect(h.store.items.size).toBe(h.store.rows.size);
            for (const id of sent) expect(h.topic.ids).toContain(id);
            // What cannot be read is never committed, and nothing else is quarantined as such.
            const broken = new Set(
              batches.flatMap((batch, b) => batch.flatMap((m, i) => (m.broken ? [`m${b}-${i}`] : []))),
            );
            for (const { messageId, attributes } of h.queue.deadLetters)
              expect([messageId, attributes.error_type?.value === 'not_json']).toEqual([
                messageId,
                broken.has(messageId),
              ]);

            // A list of the wrong length names nobody: nobody is condemned for it.
            const condemned = h.queue.deadLetters.filter(({ attributes }) =>
              ['request_refused', 'business_rejected'].includes(attributes.error_type?.value ?? ''),
            );
            if (!commitFaults.some(mayCondemn))
              for (const { body } of condemned) expect(JSON.parse(body)).toMatchObject({ id: POISON });

            h.store.commitFault = (events) => (holdsPoison(events) ? REFUSED : undefined);
            h.topic.fault = () => undefined;
            h.store.updateFault = () => undefined;
            if (comesBack) {
              await redeliverAll(h, queue);
              // A group may still stand behind its bad message, and what it owes waits for the relay.
              if (source === 'sqs') nothingIsOwed(h);
            }
            // Messages that never came back: the index knows some of their rows, one sweep of the table the others.
            await h.relay({ sweepHours: 1, intervalMinutes: 60 });
            nothingIsOwed(h);
            expect(h.store.items.size).toBe(h.store.rows.size);
          },
        ),
        runs(300),
      );
    },
  );
});
