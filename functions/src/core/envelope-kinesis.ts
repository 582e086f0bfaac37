import { isUtf8 } from 'node:buffer';
import { readJson } from './json.ts';
import { isJsonObject, type JsonValue, type Result } from './json-value.ts';
import type { PermanentReason } from './reasons.ts';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Data of a Kinesis record, which is base64 of UTF-8: as the body itself, or inside of the record's JSON as a pipe
 * delivers it. A body whose data was decoded on the way is taken as it is.
 */
export function readKinesis(body: string): Result<JsonValue, PermanentReason> {
  const text = body.trim();
  if (text !== '' && BASE64.test(text)) {
    const decoded = readBase64(text);
    // `null`, `true` and `1234` are base64 as well: what the data says decides.
    if (decoded.ok) return decoded;
  }
  const read = readJson(body);
  if (!read.ok || !isJsonObject(read.value)) return read;
  const record = isJsonObject(read.value.kinesis) ? read.value.kinesis : read.value;
  const known = typeof record.sequenceNumber === 'string' && typeof record.partitionKey === 'string';
  if (!known || typeof record.data !== 'string') return read;
  return BASE64.test(record.data) ? readBase64(record.data) : { ok: false, reason: 'envelope_invalid' };
}

/** Decoded with replacement characters, damaged data could pass for an event, changed. */
function readBase64(data: string): Result<JsonValue, PermanentReason> {
  const bytes = Buffer.from(data, 'base64');
  return isUtf8(bytes) ? readJson(bytes.toString('utf8')) : { ok: false, reason: 'envelope_invalid' };
}
