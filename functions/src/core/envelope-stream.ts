import { bareObject } from './bare-object.ts';
import { decimalText, parseDecimal } from './decimal.ts';
import { readJson } from './json.ts';
import { isJsonObject, type JsonObject, type JsonValue, type Result } from './json-value.ts';
import type { PermanentReason } from './reasons.ts';

const IMAGES = ['Keys', 'NewImage', 'OldImage'];

/**
 * A record of a DynamoDB stream with its images as plain JSON: the same document, so that expressions read
 * `dynamodb.NewImage.id`. Numbers keep their digits, binaries are base64 text, sets are lists in the order that the
 * stream gives. docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_Record.html
 */
export function readStreamRecord(body: JsonValue): Result<JsonObject, PermanentReason> {
  if (!isJsonObject(body) || typeof body.eventName !== 'string' || !isJsonObject(body.dynamodb)) {
    return { ok: false, reason: 'envelope_invalid' };
  }
  const change = Object.assign(bareObject<JsonValue>(), body.dynamodb);
  for (const image of IMAGES) {
    if (change[image] === undefined) continue;
    const plain = plainMap(change[image]);
    if (plain === undefined) return { ok: false, reason: 'envelope_invalid' };
    change[image] = plain;
  }
  return { ok: true, value: Object.assign(bareObject<JsonValue>(), body, { dynamodb: change }) };
}

function plainMap(map: JsonValue | undefined): JsonObject | undefined {
  if (!isJsonObject(map)) return undefined;
  const plain = bareObject<JsonValue>();
  for (const name of Object.keys(map)) {
    const value = plainValue(map[name]);
    if (value === undefined) return undefined;
    plain[name] = value;
  }
  return plain;
}

/** Undefined for what is no attribute value. */
function plainValue(attribute: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(attribute)) return undefined;
  const types = Object.keys(attribute);
  const value = attribute[types[0] ?? ''];
  if (types.length !== 1 || value === undefined) return undefined;
  switch (types[0]) {
    case 'S':
    case 'B':
      return typeof value === 'string' ? value : undefined;
    case 'N':
      return plainNumber(value);
    case 'BOOL':
      return typeof value === 'boolean' ? value : undefined;
    case 'NULL':
      return value === true ? null : undefined;
    case 'M':
      return plainMap(value);
    case 'L':
      return plainList(value, plainValue);
    case 'SS':
    case 'BS':
      return plainList(value, (element) => (typeof element === 'string' ? element : undefined));
    case 'NS':
      return plainList(value, plainNumber);
    default:
      return undefined;
  }
}

function plainList(
  list: JsonValue,
  plain: (element: JsonValue) => JsonValue | undefined,
): readonly JsonValue[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const values: JsonValue[] = [];
  for (const element of list as readonly JsonValue[]) {
    const value = plain(element);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

/** Read as JSON is, so that one number has one form however it came. */
function plainNumber(text: JsonValue): JsonValue | undefined {
  const decimal = typeof text === 'string' ? parseDecimal(text) : undefined;
  if (decimal === undefined) return undefined;
  const read = readJson(decimalText(decimal));
  return read.ok ? read.value : undefined;
}
