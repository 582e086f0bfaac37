import { readKinesis } from './envelope-kinesis.ts';
import { isS3TestEvent, readS3 } from './envelope-s3.ts';
import { unwrapSns } from './envelope-sns.ts';
import { readStreamRecord } from './envelope-stream.ts';
import { readJson } from './json.ts';
import { isJsonObject, type JsonObject, type JsonValue, type Result } from './json-value.ts';
import type { NotOursReason, PermanentReason } from './reasons.ts';
import type { MessageAttribute, SourceRecord } from './types.ts';

export const ENVELOPES = ['none', 'sns', 'eventbridge', 's3', 'kinesis', 'dynamodb-stream'] as const;
export type Envelope = (typeof ENVELOPES)[number];

export interface Unwrapped {
  readonly payload: JsonObject;
  readonly attributes: Readonly<Record<string, MessageAttribute>>;
}

/** A message holds one event, or several (S3), each of which stands for itself; or none of this pipeline. */
export type Opened =
  | { readonly kind: 'parts'; readonly parts: readonly Result<Unwrapped, PermanentReason>[] }
  | { readonly kind: 'not_ours'; readonly reason: NotOursReason };

/**
 * Takes the events out of a record. The test event of S3 is recognised under every envelope: it arrives wherever a
 * bucket was ever pointed at the queue, and would otherwise be quarantined as an event without an id.
 */
export function openRecord(record: SourceRecord, envelope: Envelope): Opened {
  const body = envelope === 'kinesis' ? readKinesis(record.body) : readJson(record.body);
  if (!body.ok) return failed(body.reason);
  if (isS3TestEvent(body.value)) return { kind: 'not_ours', reason: 's3_test_event' };
  const { attributes } = record;
  switch (envelope) {
    case 'none':
    case 'kinesis':
      return one(body.value, attributes);
    case 'eventbridge':
      return one(detailOf(body.value), attributes, 'envelope_invalid');
    case 'dynamodb-stream': {
      const change = readStreamRecord(body.value);
      return change.ok ? one(change.value, attributes) : failed(change.reason);
    }
    case 'sns':
    case 's3': {
      const inner = unwrapSns(body.value, attributes);
      if (!inner.ok) return failed(inner.reason);
      const { value } = inner.value;
      if (isS3TestEvent(value)) return { kind: 'not_ours', reason: 's3_test_event' };
      if (envelope === 'sns') return one(value, inner.value.attributes);
      const objects = readS3(value);
      if (objects === undefined) return failed('envelope_invalid');
      if (objects.length === 0) return { kind: 'not_ours', reason: 'no_events' };
      return { kind: 'parts', parts: objects.map((object) => part(object, inner.value.attributes)) };
    }
  }
}

/** The producer's event is the detail: the rest of the envelope is new each time a producer sends it again. */
function detailOf(body: JsonValue): JsonValue {
  const known = isJsonObject(body) && typeof body['detail-type'] === 'string' && typeof body.source === 'string';
  return known ? (body.detail ?? null) : null;
}

function one(
  value: JsonValue,
  attributes: Unwrapped['attributes'],
  otherwise: PermanentReason = 'not_an_object',
): Opened {
  if (!isJsonObject(value)) return failed(otherwise);
  return { kind: 'parts', parts: [{ ok: true, value: { payload: value, attributes } }] };
}

function part(
  object: Result<JsonObject, PermanentReason>,
  attributes: Unwrapped['attributes'],
): Result<Unwrapped, PermanentReason> {
  return object.ok ? { ok: true, value: { payload: object.value, attributes } } : object;
}

function failed(reason: PermanentReason): Opened {
  return { kind: 'parts', parts: [{ ok: false, reason }] };
}
