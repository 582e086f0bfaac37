import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
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

/** One thing that a commit call may come back with, whatever is in it. */
const commitFault = fc.oneof(
  { weight: 6, arbitrary: fc.constant('fine' as const) },
  fc.constant('executed_answer_lost' as const),
  fc.constant('lost' as const),
  fc.constant('throttled' as const),
  fc.constant('refused' as const),
  fc.record({ codes: fc.array(fc.constantFrom(...REASONS), { minLength: 0, maxLength: 8 }), retried: fc.boolean() }),
);
type FaultPlan = typeof commitFault extends fc.Arbitrary<infer T> ? T : never;

const delivery = fc.record({
  /** A few ids, so that copies and mismatches are common. */
  id: fc.integer({ min: 0, max: 5 }).map((n) => `o-${n}`),
  amount: fc.constantFrom(1, 1, 1, 2),
  receiveCount: fc.integer({ min: 1, max: 5 }),
  group: fc.constantFrom('A', 'B', 'C'),
  broken: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
});

function outcomeOf(plan: FaultPlan, events: number): CommitFault {
  if (plan === 'fine') return undefined;
  if (plan === 'executed_answer_lost') return plan;
  if (plan === 'lost') return { kind: 'unknown', name: 'TimeoutError' };
  if (plan === 'throttled') return { kind: 'throttled', name: 'ThrottlingException', retried: false };
  if (plan === 'refused') return { kind: 'refused', name: 'ValidationException', permanent: true, retried: false };
  // Two reasons an event, taken in turn from the list; an empty list is an answer that names nobody.
  const { codes, retried } = plan;
  const reasons =
    codes.length === 0
      ? []
      : Array.from({ length: events }, (_, i) =>
          [0, 1].map((k) => ({ code: codes[(2 * i + k) % codes.length] as string })),
        );
  return { kind: 'cancelled', reasons, retried };
}

describe('whatever AWS answers', () => {
  it.each(['sqs', 'sqs_fifo'] as const)(
    '%s: the answer is valid, nothing pending is acknowledged, nothing is lost',
    async (source) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(delivery, { minLength: 1, maxLength: 10 }), { minLength: 1, maxLength: 4 }),
          fc.array(commitFault, { maxLength: 12 }),
          fc.array(fc.constantFrom('failed', 'lost', undefined), { maxLength: 6 }),
          fc.array(fc.constantFrom('failed', 'executed_answer_lost', undefined), { maxLength: 6 }),
          async (batches, commitFaults, publishFaults, updateFaults) => {
            const h = new Harness({ settings: { source, quarantine: true, maxReceiveCount: 5 } });
            const commits = [...commitFaults];
            const publishes = [...publishFaults];
            const updates = [...updateFaults];
            h.store.commitFault = (events) => {
              const plan = commits.shift();
              return plan === undefined ? undefined : outcomeOf(plan, events.length);
            };
            h.topic.fault = () => publishes.shift();
            h.store.updateFault = () => updates.shift();

            for (const [b, batch] of batches.entries()) {
              const records = batch.map(({ id, amount, broken, receiveCount, group }, i) =>
                record(`m${b}-${i}`, broken ? 'not json' : order(id, { amount }), { receiveCount, groupId: group }),
              );
              const failed = failures(await h.invoke(records));
              expect(new Set(failed).size).toBe(failed.length);
              const dead = new Set(h.queue.deadLetters.map(({ messageId }) => messageId));
              for (const [i, source] of records.entries()) {
                const id = source.id as string;
                if (failed.includes(id)) continue;
                // Acknowledged: quarantined, or its event is sent.
                if (!dead.has(id)) expect(h.store.status(batch[i]?.id as string)).toBe('sent');
              }
              for (const id of failed) expect(records.map((source) => source.id)).toContain(id);
              h.clock.advance(31_001);
            }
            // G1: as many items as rows, each written once. G2: every sent row was announced.
            const sent = [...h.store.rows.keys()].filter((id) => h.store.status(id) === 'sent');
            expect(h.store.items.size).toBe(h.store.rows.size);
            for (const id of sent) expect(h.topic.ids).toContain(id);
          },
        ),
        { numRuns: 300 },
      );
    },
  );
});
