import type { AttributeMap } from '../../functions/src/core/attribute-value.ts';
import { createDecoder, type DecodeMapping } from '../../functions/src/core/decode.ts';
import type { JsonObject } from '../../functions/src/core/json-value.ts';
import { declarativeMeaning } from '../../functions/src/core/mapping.ts';
import { compileSchema } from '../../functions/src/core/schema.ts';
import type {
  BusinessWrite,
  Decoded,
  DecodedEvent,
  Meaning,
  Planned,
  SourceRecord,
} from '../../functions/src/core/types.ts';

export const ROW_TABLE = 'processed_events';
export const BUSINESS_TABLE = 'business';
export const TOPIC = 'arn:aws:sns:eu-central-1:000000000000:topic';

/** What the business does with a key that exists; `handler` reads, counts and plans again. */
export type WorldKind = 'reject' | 'newer' | 'overwrite' | 'handler';

/** What a deploy changes. */
export interface Version {
  readonly schema: 'lenient' | 'strict';
  readonly fingerprint: 'whole' | 'order';
  readonly filter: 'lenient' | 'strict';
  readonly row: 1 | 2;
}

/** What the messages do to the process that plans them. */
export interface Saboteur {
  kill(): void;
  endless(): void;
  /** True while the event still throws. */
  throws(eventId: string): boolean;
}

const SCHEMAS = {
  lenient: {
    type: 'object',
    properties: {
      order: {
        type: 'object',
        required: ['key', 'amount'],
        properties: { key: { type: 'string' }, amount: { type: 'number' } },
      },
    },
  },
  strict: {
    type: 'object',
    properties: {
      legacy: false,
      order: {
        type: 'object',
        required: ['key', 'amount'],
        properties: { key: { type: 'string' }, amount: { type: 'number' } },
      },
    },
  },
};

const cache = new Map<string, Meaning>();

/** The real meanings of the core, wrapped for messages of several events and for those that sabotage the process. */
export function meaningOf(kind: WorldKind, version: Version, topicFifo: boolean, saboteur: Saboteur): Meaning {
  const name = JSON.stringify([kind, version, topicFifo]);
  let inner = cache.get(name);
  if (inner === undefined) {
    inner = kind === 'handler' ? handlerMeaning(version, topicFifo) : declarative(kind, version, topicFifo);
    cache.set(name, inner);
  }
  const meaning = inner;
  return {
    decode: (record) => decodeParts(meaning, record),
    ...(meaning.reads !== undefined && { reads: meaning.reads }),
    plan: (event, items) => {
      const { payload } = event;
      if (payload.kill === true) {
        saboteur.kill();
        return new Promise<Planned>(() => {});
      }
      if (payload.endless === true) {
        saboteur.endless();
        return new Promise<Planned>(() => {});
      }
      if (payload.throws === true && saboteur.throws(event.eventId)) throw new Error('a bug of the handler');
      return meaning.plan(event, items);
    },
  };
}

/** A message may carry several events, as an S3 notification does; each part stands for itself. */
function decodeParts(meaning: Meaning, record: SourceRecord): Decoded {
  if (!record.body.startsWith('{"batch":')) return meaning.decode(record);
  const parts = (JSON.parse(record.body) as { batch: unknown[] }).batch.map((part) =>
    meaning.decode({ ...record, body: JSON.stringify(part) }),
  );
  const events = parts.flatMap((part) => (part.kind === 'events' ? part.events : []));
  const issues = parts.flatMap((part) => (part.kind === 'events' ? part.issues : []));
  return events.length + issues.length === 0
    ? { kind: 'not_ours', reason: 'filtered' }
    : { kind: 'events', events, issues };
}

function decoding(version: Version): DecodeMapping {
  return {
    envelope: 'none',
    eventId: 'id',
    eventFilter: version.filter === 'lenient' ? "type == 'order'" : "type == 'order' && !legacy",
    ...(version.fingerprint === 'order' && { fingerprint: 'order' }),
  };
}

function topicArn(topicFifo: boolean): string {
  return topicFifo ? `${TOPIC}.fifo` : TOPIC;
}

function declarative(kind: Exclude<WorldKind, 'handler'>, version: Version, topicFifo: boolean): Meaning {
  return declarativeMeaning(
    {
      ...decoding(version),
      businessTable: BUSINESS_TABLE,
      processedEventsTable: ROW_TABLE,
      businessHashKey: { name: 'pk', type: 'S' },
      businessKey: 'order.key',
      businessItem: 'order',
      onExistingKey: kind,
      ...(kind === 'newer' && { version: 'order.version' }),
      topicArn: topicArn(topicFifo),
      topicFifo,
      notification: '@',
      jsonSchema: JSON.stringify(SCHEMAS[version.schema]),
    },
    compileSchema,
  );
}

/** Counts orders by key: a read, a write that asks for another plan when the count has moved, and an item of its own. */
function handlerMeaning(version: Version, topicFifo: boolean): Meaning {
  const decoder = createDecoder(decoding(version));
  return {
    decode: decoder.decode,
    reads: (event) => [{ table: BUSINESS_TABLE, key: counterKey(event.payload) }],
    plan(event, items) {
      const order = orderOf(event.payload);
      if (typeof order.amount !== 'number' || (version.schema === 'strict' && event.payload.legacy === true))
        return { kind: 'rejected', reason: 'schema_violation' };
      return {
        kind: 'plan',
        plan: {
          writes: [orderWrite(event, order), counterWrite(event, items[0])],
          notifications: notifications(event, topicFifo),
        },
      };
    },
  };
}

function orderOf(payload: JsonObject): { readonly [name: string]: unknown } {
  return (payload.order ?? {}) as { readonly [name: string]: unknown };
}

function counterKey(payload: JsonObject): AttributeMap {
  return { pk: { S: `count ${String(orderOf(payload).key)}` } };
}

function orderWrite(event: DecodedEvent, order: { readonly [name: string]: unknown }): BusinessWrite {
  const key = { pk: { S: `order ${event.eventId}` } };
  return {
    kind: 'put',
    table: BUSINESS_TABLE,
    key,
    item: {
      ...key,
      amount: { N: String(order.amount) },
      ...(order.aws_refuses === true && { aws_refuses: { BOOL: true } }),
    },
    condition: { expression: 'attribute_not_exists(#pk)', names: { '#pk': 'pk' } },
    onConditionFailed: 'reject',
  };
}

function counterWrite(event: DecodedEvent, counter: AttributeMap | undefined): BusinessWrite {
  const old = counter?.n !== undefined && 'N' in counter.n ? Number(counter.n.N) : undefined;
  return {
    kind: 'update',
    table: BUSINESS_TABLE,
    key: counterKey(event.payload),
    expression: 'SET #n = :new',
    names: { '#n': 'n' },
    values: { ':new': { N: String((old ?? 0) + 1) } },
    condition:
      old === undefined
        ? { expression: 'attribute_not_exists(#n)', names: { '#n': 'n' } }
        : { expression: '#n = :old', names: { '#n': 'n' }, values: { ':old': { N: String(old) } } },
    onConditionFailed: 'replan',
  };
}

function notifications(event: DecodedEvent, topicFifo: boolean) {
  if (event.payload.silent === true) return [];
  const count = event.eventId.endsWith('7') ? 2 : 1;
  return Array.from({ length: count }, (_, index) => ({
    topicArn: topicArn(topicFifo),
    message: JSON.stringify({ id: event.eventId, index, note: event.payload.note }),
    attributes: { event_id: { type: 'String', value: event.eventId } },
    ...(topicFifo && { groupId: event.groupId ?? event.eventId, deduplicationId: `${event.eventId}-${index}` }),
  }));
}
