import { describe, expect, it } from '@jest/globals';
import { NOT_OURS_REASONS, PERMANENT_REASONS, type Reason, TRANSIENT_REASONS } from '../../src/core/reasons.ts';
import type { Meaning } from '../../src/core/types.ts';
import { Harness, type Options, record } from './harness.ts';

const SECRET = 'CANARY-4242-4242';

/** Everything that leaves the process by another way than as the event itself. */
function everythingSaid(h: Harness): string {
  return JSON.stringify([
    h.telemetry.lines,
    h.telemetry.metrics,
    h.queue.deadLetters.map(({ attributes }) => attributes),
    h.queue.visibility,
    [...h.store.rows.values()].map(({ notifications: _, ...row }) => row),
  ]);
}

/** A meaning that gives one verdict, and whose handler throws the secret where the verdict is that it throws. */
function verdict(reason: Reason): Meaning {
  return {
    decode: (source) =>
      reason in NOT_OURS_REASONS
        ? { kind: 'not_ours', reason: reason as keyof typeof NOT_OURS_REASONS }
        : {
            kind: 'events',
            issues: [],
            events: [
              {
                eventId: 'o-1',
                producerId: 'o-1',
                payload: { secret: SECRET },
                payloadHash: 'v1:x',
                attributes: {},
                messageId: source.id ?? '',
              },
            ],
          },
    plan: () => {
      if (reason === 'handler_failed') throw new Error(`cannot read ${SECRET}`);
      return { kind: 'rejected', reason: reason as keyof typeof PERMANENT_REASONS };
    },
  };
}

describe('a secret in a body appears in no log, metric, error text or attribute', () => {
  it.each([...Object.keys(PERMANENT_REASONS), ...Object.keys(NOT_OURS_REASONS), 'handler_failed'] as Reason[])(
    '%s, as a verdict',
    async (reason) => {
      const h = new Harness({ meaning: verdict(reason) });
      await h.deliver(record('m1', { id: 'o-1', secret: SECRET }));
      expect(everythingSaid(h)).not.toContain(SECRET);
      expect(everythingSaid(h)).toContain(reason);
    },
  );

  const bodies: readonly [name: string, body: string, options: Options][] = [
    ['broken JSON', `{"id":"o-1","secret":"${SECRET}"`, {}],
    ['a member twice', `{"id":"o-1","secret":"${SECRET}","secret":"${SECRET}"}`, {}],
    ['an id of the wrong type', `{"id":{"secret":"${SECRET}"}}`, {}],
    [
      'a schema violation',
      `{"id":"o-1","secret":"${SECRET}"}`,
      { mapping: { jsonSchema: '{"properties":{"secret":{"type":"number"}}}' } },
    ],
    ['a number out of range', `{"id":"o-1","secret":"${SECRET}","n":1e400}`, {}],
    ['an item that is too large', `{"id":"o-1","secret":"${SECRET}","blob":"${'x'.repeat(420_000)}"}`, {}],
    [
      'a notification that is too large',
      `{"id":"o-1","secret":"${SECRET}","blob":"${'x'.repeat(300_000)}"}`,
      { mapping: { notification: '@' } },
    ],
    [
      'an expression that cannot be evaluated',
      `{"id":"o-1","secret":"${SECRET}"}`,
      { mapping: { businessItem: 'abs(secret)' } },
    ],
    ['a transient failure', `{"id":"o-1","secret":"${SECRET}"}`, {}],
  ];

  it.each(bodies)('%s', async (name, body, options) => {
    const h = new Harness(options);
    if (name === 'a transient failure') {
      h.store.commitFault = () => {
        throw new Error(`ValidationException: ${SECRET}`);
      };
    }
    await h.deliver(record('m1', body));
    expect(h.reasons()).toHaveLength(1);
    expect(everythingSaid(h)).not.toContain(SECRET);
  });
});

describe('the vocabulary', () => {
  it('has one text for each reason, and each reason once', () => {
    const names = [PERMANENT_REASONS, TRANSIENT_REASONS, NOT_OURS_REASONS].flatMap((list) => Object.keys(list));
    expect(new Set(names).size).toBe(names.length);
  });
});
