import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AttributeMap } from '../../src/core/attribute-value.ts';
import { canonicalJson } from '../../src/core/canonical.ts';
import { payloadHash } from '../../src/core/hash.ts';
import { readJson } from '../../src/core/json.ts';
import { isJsonObject, type JsonValue } from '../../src/core/json-value.ts';
import { fromAttributeMap } from '../../src/core/marshal.ts';
import { PERMANENT_REASONS } from '../../src/core/reasons.ts';
import { Harness } from '../core/harness.ts';
import { runs } from '../property.ts';
import { anyText, toText, type Written, written } from '../values/arbitrary.ts';
import { record } from './record.ts';

/** Bodies of every kind: events with any content and nearly any id, other JSON, and no JSON. */
const body: fc.Arbitrary<string> = fc.oneof(
  fc
    .tuple(
      fc.oneof(anyText, fc.string({ minLength: 1 })),
      written,
      fc.array(fc.tuple(anyText, written), { maxLength: 3 }),
    )
    .map(([id, order, more]) => {
      const members: [string, Written][] = [
        ['id', { type: 'scalar', text: JSON.stringify(id) }],
        ['order', order],
        ...more,
      ];
      return toText({ type: 'object', members });
    }),
  written.map((value) => toText(value)),
  anyText,
);

describe('any message beside a good one', () => {
  it('is committed exactly or quarantined with a reason, and its neighbour is committed (G5)', async () => {
    const seen = { committed: 0, quarantined: 0 };
    await fc.assert(
      fc.asyncProperty(body, fc.boolean(), async (text, first) => {
        const harness = new Harness({ mapping: { eventIdPrefix: 'p#' } });
        const odd = record(text, { id: 'odd', receiptHandle: 'odd' });
        const good = record({ id: 'a good neighbour', n: 1 }, { id: 'good', receiptHandle: 'good' });
        const answer = await harness.deliver(...(first ? [odd, good] : [good, odd]));
        expect(answer).toEqual([]);
        expect(harness.store.status('p#a good neighbour')).toBe('sent');
        expect(harness.topic.ids).toContain('p#a good neighbour');

        const [letter] = harness.queue.deadLetters;
        if (letter === undefined) {
          seen.committed += 1;
          const read = readJson(text);
          const event = read.ok && isJsonObject(read.value) ? read.value : {};
          const item = [...harness.store.items.values()].find(
            (stored) => JSON.stringify(stored.pk) === JSON.stringify({ S: event.id }),
          );
          const { pk, ...stored } = fromAttributeMap(item as AttributeMap);
          expect(pk).toBe(event.id);
          expect(canonicalJson('pk' in event ? ({ ...stored, pk } as JsonValue) : (stored as JsonValue))).toBe(
            canonicalJson(event),
          );
          expect(harness.store.rows.get(`p#${String(event.id)}`)?.payload_hash).toEqual({ S: payloadHash(event) });
        } else {
          seen.quarantined += 1;
          expect(letter).toMatchObject({ messageId: 'odd', body: text });
          expect(Object.keys(PERMANENT_REASONS)).toContain(letter.attributes.error_type?.value);
          expect(harness.store.items.size).toBe(1);
          expect(harness.topic.published).toHaveLength(1);
        }
      }),
      runs(500),
    );
    expect(Math.min(seen.committed, seen.quarantined)).toBeGreaterThan(50);
  });
});
