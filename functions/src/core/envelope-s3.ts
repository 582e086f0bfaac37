import { bareObject } from './bare-object.ts';
import { isJsonObject, type JsonObject, type JsonValue, type Result } from './json-value.ts';
import type { PermanentReason } from './reasons.ts';

const TEST_EVENT_MEMBERS = ['Bucket', 'Event', 'HostId', 'RequestId', 'Service', 'Time'];

/**
 * The message that S3 sends once when a notification is set up: exactly these six members, all strings. Nothing else is
 * ever taken for it, since it is acknowledged. docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html
 */
export function isS3TestEvent(body: JsonValue): boolean {
  if (!isJsonObject(body) || body.Event !== 's3:TestEvent' || body.Service !== 'Amazon S3') return false;
  const members = Object.keys(body).sort();
  return (
    members.length === TEST_EVENT_MEMBERS.length &&
    members.every((member, i) => member === TEST_EVENT_MEMBERS[i] && typeof body[member] === 'string')
  );
}

/** The records of a notification, each with its object key decoded; undefined when the body is no notification. */
export function readS3(body: JsonValue): readonly Result<JsonObject, PermanentReason>[] | undefined {
  if (!isJsonObject(body) || !Array.isArray(body.Records)) return undefined;
  return (body.Records as readonly JsonValue[]).map(readS3Record);
}

function readS3Record(record: JsonValue): Result<JsonObject, PermanentReason> {
  const s3 = isJsonObject(record) && record.eventSource === 'aws:s3' ? record.s3 : undefined;
  const object = isJsonObject(s3) ? s3.object : undefined;
  if (!isJsonObject(record) || !isJsonObject(s3) || !isJsonObject(object) || typeof object.key !== 'string') {
    return { ok: false, reason: 'envelope_invalid' };
  }
  const key = decodeKey(object.key);
  if (key === undefined) return { ok: false, reason: 'envelope_invalid' };
  return { ok: true, value: replace(record, 's3', replace(s3, 'object', replace(object, 'key', key))) };
}

/** Keys are form-encoded: `+` is a space, and must be one before the escapes are read, since `%2B` is a plus sign. */
function decodeKey(key: string): string | undefined {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function replace(object: JsonObject, member: string, value: JsonValue): JsonObject {
  return Object.assign(bareObject<JsonValue>(), object, { [member]: value });
}
