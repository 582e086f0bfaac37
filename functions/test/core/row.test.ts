import { describe, expect, it } from '@jest/globals';
import type { AttributeMap } from '../../src/core/attribute-value.ts';
import {
  ALL_RELAY_SHARDS,
  expiresAtSeconds,
  markReserveBytes,
  type NewRow,
  parseRow,
  relayShardOf,
  rowItem,
} from '../../src/core/row.ts';
import { itemBytes } from '../../src/core/size.ts';
import type { Notification } from '../../src/core/types.ts';
import { START_MS, TOPIC } from './harness.ts';
import { event, hashOf, notification, row } from './stage-world.ts';

const newRow = (more: Partial<NewRow> = {}): NewRow => ({
  event: event(),
  source: 'sqs',
  notifications: [notification()],
  leaseOwner: 'us',
  leaseExpiresAtMs: START_MS + 31_000,
  nowMs: START_MS,
  retentionDays: 30,
  inTrouble: false,
  ...more,
});

/** Every member that a notification can have. */
const FULL: Notification = {
  topicArn: `${TOPIC}.fifo`,
  message: '{"event_id":"o-1"}',
  subject: 'An order',
  attributes: { event_id: { type: 'String', value: 'o-1' }, amount: { type: 'Number', value: '10' } },
  groupId: 'customer-7',
  deduplicationId: 'o-1.0',
};

const PENDING: AttributeMap = {
  event_id: { S: 'o-1' },
  v: { N: '1' },
  status: { S: 'pending' },
  payload_hash: { S: hashOf('a') },
  notifications: {
    L: [
      {
        M: { topic_arn: { S: TOPIC }, message: { S: '{"event_id":"o-1"}' }, attributes: { M: {} } },
      },
    ],
  },
  lease_owner: { S: 'us' },
  lease_expires_at_ms: { N: String(START_MS + 31_000) },
  created_at: { S: '2026-01-01T00:00:00.000Z' },
  source: { S: 'sqs' },
  message_id: { S: 'm1' },
};

describe('the row that a commit puts', () => {
  it('is pending while a notification is owed, under a lease, without the TTL attribute', () => {
    expect(rowItem(newRow())).toStrictEqual(PENDING);
  });

  it('is sent at once when there is nothing to publish: no lease, no shard, and it expires', () => {
    expect(rowItem(newRow({ notifications: [], inTrouble: true }))).toStrictEqual({
      ...PENDING,
      status: { S: 'sent' },
      notifications: { L: [] },
      lease_expires_at_ms: { N: '0' },
      sent_at: { S: '2026-01-01T00:00:00.000Z' },
      expires_at: { N: String(START_MS / 1000 + 30 * 86_400) },
    });
  });

  it('stands in the index of the relay from the start when its commit may be the last (rule 9)', () => {
    expect(rowItem(newRow({ inTrouble: true }))).toStrictEqual({
      ...PENDING,
      relay_shard: { S: relayShardOf('o-1') },
    });
  });

  it('names correlation id and trace where the message had them', () => {
    expect(rowItem(newRow({ event: event('o-1', { correlationId: 'c-1' }), trace: 'Root=1-abc' }))).toStrictEqual({
      ...PENDING,
      correlation_id: { S: 'c-1' },
      trace: { S: 'Root=1-abc' },
    });
  });

  it('holds the exact notification that will be published', () => {
    expect(rowItem(newRow({ notifications: [FULL] })).notifications).toStrictEqual({
      L: [
        {
          M: {
            topic_arn: { S: `${TOPIC}.fifo` },
            message: { S: '{"event_id":"o-1"}' },
            subject: { S: 'An order' },
            attributes: {
              M: {
                event_id: { M: { type: { S: 'String' }, value: { S: 'o-1' } } },
                amount: { M: { type: { S: 'Number' }, value: { S: '10' } } },
              },
            },
            group_id: { S: 'customer-7' },
            deduplication_id: { S: 'o-1.0' },
          },
        },
      ],
    });
  });

  it('expires in whole seconds, whatever the milliseconds and the days', () => {
    expect(expiresAtSeconds(1_999, 1)).toBe(1 + 86_400);
    expect(expiresAtSeconds(0, 0.000_01)).toBe(1);
  });
});

describe('the shards of the index', () => {
  it('an id keeps its shard over deploys', () => {
    expect(['', 'a', 'o-1', 'o-2', 'order-2026-0001', '日本', 'x'.repeat(2048)].map(relayShardOf)).toEqual([
      '0',
      '1',
      '3',
      '0',
      '1',
      '3',
      '0',
    ]);
  });

  it('each of them is asked, and ids in a row are spread over all of them', () => {
    expect(ALL_RELAY_SHARDS).toEqual(['0', '1', '2', '3']);
    const shards = Array.from({ length: 8 }, (_, i) => relayShardOf(`o-${i}`)).sort();
    expect(shards).toEqual(['0', '0', '1', '1', '2', '2', '3', '3']);
  });
});

describe('the bytes that are left for the mark', () => {
  it.each([0, 1, 3])('are what takeover and mark add at most, with the ids of %d notifications', (notifications) => {
    const added: AttributeMap = {
      relay_shard: { S: '3' },
      sent_at: { S: '2026-01-01T00:00:00.000Z' },
      // The largest of numbers, though seconds need far fewer digits.
      expires_at: { N: `-${'9'.repeat(38)}` },
      sns_message_ids: {
        L: Array.from({ length: notifications }, () => ({ S: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6' })),
      },
    };
    expect(markReserveBytes(notifications)).toBe(itemBytes(added));
  });
});

describe('a row that is read', () => {
  it.each([
    ['pending', [notification()]],
    ['pending', [FULL, notification()]],
    ['sent', []],
  ] as const)('%s, %j: as it was written', (status, notifications) => {
    const leaseExpiresAtMs = status === 'sent' ? 0 : START_MS + 31_000;
    expect(parseRow(rowItem(newRow({ notifications })))).toStrictEqual(
      row({ status, notifications, leaseOwner: 'us', leaseExpiresAtMs, messageId: 'm1' }),
    );
  });

  it.each(['message_id', 'created_at'])('without %s can be judged: it is empty', (name) => {
    const { [name]: _, ...item } = PENDING;
    const read = { ...row({ leaseOwner: 'us', leaseExpiresAtMs: START_MS + 31_000, messageId: 'm1' }) };
    expect(parseRow(item)).toStrictEqual({ ...read, [name === 'message_id' ? 'messageId' : 'createdAt']: '' });
  });

  it.each(['v', 'status', 'payload_hash', 'lease_owner', 'lease_expires_at_ms', 'notifications'])(
    'without a %s that this version would have written is unknown',
    (name) => {
      const { [name]: _, ...without } = PENDING;
      expect(parseRow(without)).toStrictEqual({ eventId: 'o-1', unknown: true });
      expect(parseRow({ ...PENDING, [name]: { BOOL: true } })).toStrictEqual({ eventId: 'o-1', unknown: true });
    },
  );

  it.each<[string, AttributeMap]>([
    ['of a newer version', { v: { N: '2' } }],
    ['in a state of a newer version', { status: { S: 'cancelled' } }],
  ])('%s is unknown', (_, more) => {
    expect(parseRow({ ...PENDING, ...more })).toStrictEqual({ eventId: 'o-1', unknown: true });
  });

  it('that names no event is unknown', () => {
    expect(parseRow({})).toStrictEqual({ eventId: '', unknown: true });
  });
});

describe('a stored notification', () => {
  const parsed = (entry: AttributeMap[string]) => {
    const read = parseRow({ ...PENDING, notifications: { L: [entry] } });
    return 'unknown' in read ? 'unknown' : read.notifications;
  };
  const topic_arn = { S: TOPIC };
  const message = { S: 'text' };

  it.each<[string, AttributeMap[string]]>([
    ['is no map', { S: 'text' }],
    ['has no topic', { M: { message, attributes: { M: {} } } }],
    ['has no message', { M: { topic_arn, attributes: { M: {} } } }],
    ['has an attribute that is no map', { M: { topic_arn, message, attributes: { M: { tenant: { S: 't' } } } } }],
  ])('that %s makes the row unknown: it is never published in part', (_, entry) => {
    expect(parsed(entry)).toBe('unknown');
  });

  it.each<[string, AttributeMap]>([
    ['none', {}],
    ['no map of them', { attributes: { S: '' } }],
  ])('without attributes has none: %s', (_, attributes) => {
    expect(parsed({ M: { topic_arn, message, ...attributes } })).toStrictEqual([
      { topicArn: TOPIC, message: 'text', attributes: {} },
    ]);
  });

  it('takes an attribute without a type for a string, and one without a value for empty', () => {
    const attributes = { M: { typeless: { M: { value: { S: 'x' } } }, empty: { M: { type: { S: 'Number' } } } } };
    expect(parsed({ M: { topic_arn, message, attributes } })).toStrictEqual([
      {
        topicArn: TOPIC,
        message: 'text',
        attributes: { typeless: { type: 'String', value: 'x' }, empty: { type: 'Number', value: '' } },
      },
    ]);
  });
});
