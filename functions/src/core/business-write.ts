import type { AttributeMap, AttributeValue } from './attribute-value.ts';
import { bareObject } from './bare-object.ts';
import { BUSINESS_ITEM_IS_OLDER, BUSINESS_KEY_IS_FREE } from './conditions.ts';
import { ConfigurationError } from './configuration-error.ts';
import { optional } from './decode.ts';
import { compileExpression, type Expression } from './expression.ts';
import { ExactNumber, isJsonObject, isPresent, type JsonObject, type JsonValue, type Result } from './json-value.ts';
import { HASH_KEY_MAX_BYTES, SORT_KEY_MAX_BYTES } from './limits.ts';
import { toAttributeMap, toAttributeValue } from './marshal.ts';
import { mergeItem } from './merge-item.ts';
import type { PermanentReason } from './reasons.ts';
import { valueBytes } from './size.ts';
import type { BusinessWrite } from './types.ts';

export interface KeyAttribute {
  readonly name: string;
  readonly type: 'S' | 'N';
}

export interface BusinessMapping {
  readonly businessTable: string;
  readonly processedEventsTable: string;
  readonly businessHashKey: KeyAttribute;
  readonly businessKey: string;
  /** Both or neither. */
  readonly businessRangeKey?: KeyAttribute;
  readonly businessSortKey?: string;
  /** Absent: the whole event. */
  readonly businessItem?: string;
  readonly onExistingKey: 'reject' | 'overwrite' | 'newer';
  /** For `newer`, and only for it: a number that grows. */
  readonly version?: string;
}

/** Under which attribute an item keeps the version that `newer` compares. */
export const VERSION_ATTRIBUTE = 'business_version';

interface KeyPart {
  readonly attribute: KeyAttribute;
  readonly find: Expression;
  readonly maxBytes: number;
}

/** Compiles the business write of a mapping: one put, under the condition that `on_existing_key` asks for. */
export function businessWriter(
  mapping: BusinessMapping,
): (event: JsonObject) => Result<BusinessWrite, PermanentReason> {
  const parts = keyParts(mapping);
  const find = optional(mapping.businessItem, 'business_item');
  const version = versionExpression(mapping, parts);
  const { businessTable: table, onExistingKey } = mapping;
  const pk = mapping.businessHashKey.name;

  return (event) => {
    const key = readKey(parts, event);
    if (!key.ok) return key;
    const found = find === undefined ? event : find(event);
    if (!isJsonObject(found)) return fail('item_not_an_object');
    const item = readItem(found, key.value);
    if (!item.ok || onExistingKey === 'overwrite') {
      return item.ok
        ? { ok: true, value: { kind: 'put', table, key: key.value, item: item.value, onConditionFailed: 'reject' } }
        : item;
    }
    if (version === undefined) {
      const condition = { expression: BUSINESS_KEY_IS_FREE, names: { '#pk': pk } };
      const write = {
        kind: 'put',
        table,
        key: key.value,
        item: item.value,
        condition,
        onConditionFailed: 'reject',
      } as const;
      return { ok: true, value: write };
    }
    const number = readVersion(version(event));
    if (!number.ok) return number;
    const versioned = mergeItem(item.value, { [VERSION_ATTRIBUTE]: number.value });
    if (!versioned.ok) return versioned;
    const condition = {
      expression: BUSINESS_ITEM_IS_OLDER,
      names: { '#pk': pk, '#version': VERSION_ATTRIBUTE },
      values: { ':version': number.value },
    };
    return {
      ok: true,
      value: { kind: 'put', table, key: key.value, item: versioned.value, condition, onConditionFailed: 'supersede' },
    };
  };
}

function keyParts(mapping: BusinessMapping): readonly KeyPart[] {
  // A business item under the key of an event's row would be a second write of one item in one transaction (C-14).
  if (tableName(mapping.businessTable) === tableName(mapping.processedEventsTable)) {
    throw new ConfigurationError(
      'BUSINESS_TABLE and PROCESSED_EVENTS_TABLE name one table: give the business items a table of their own.',
    );
  }
  const hash = mapping.businessHashKey;
  const parts: KeyPart[] = [
    { attribute: hash, find: compileExpression(mapping.businessKey, 'business_key'), maxBytes: HASH_KEY_MAX_BYTES },
  ];
  const range = mapping.businessRangeKey;
  const sort = optional(mapping.businessSortKey, 'business_sort_key');
  if ((range === undefined) !== (sort === undefined)) {
    throw new ConfigurationError('business_sort_key and business_sort_key_name belong together: set both or neither.');
  }
  if (range !== undefined && sort !== undefined) {
    if (range.name === hash.name) {
      throw new ConfigurationError('business_sort_key_name and business_hash_key_name must differ.');
    }
    parts.push({ attribute: range, find: sort, maxBytes: SORT_KEY_MAX_BYTES });
  }
  return parts;
}

function versionExpression(mapping: BusinessMapping, parts: readonly KeyPart[]): Expression | undefined {
  if ((mapping.onExistingKey === 'newer') !== (mapping.version !== undefined)) {
    throw new ConfigurationError(
      'business_version and on_existing_key = "newer" belong together: set both or neither.',
    );
  }
  if (mapping.version !== undefined && parts.some(({ attribute }) => attribute.name === VERSION_ATTRIBUTE)) {
    throw new ConfigurationError(`${VERSION_ATTRIBUTE} is kept by on_existing_key = "newer": it cannot be a key.`);
  }
  return optional(mapping.version, 'business_version');
}

/** By name, since a table can be named by its ARN as well. */
function tableName(table: string): string {
  return table.slice(table.lastIndexOf('/') + 1);
}

function readKey(parts: readonly KeyPart[], event: JsonObject): Result<AttributeMap, PermanentReason> {
  const key = bareObject<AttributeValue>();
  for (const { attribute, find, maxBytes } of parts) {
    const found = find(event);
    if (!isPresent(found)) return fail('business_key_missing');
    const value = readKeyValue(found, attribute.type);
    // No conversion: "007" and 7 are two keys, and a key of the wrong type is refused by DynamoDB for the whole group.
    if (value === undefined || valueBytes(value) > maxBytes) return fail('business_key_invalid');
    key[attribute.name] = value;
  }
  return { ok: true, value: key };
}

function readKeyValue(found: JsonValue, type: 'S' | 'N'): AttributeValue | undefined {
  if (type === 'S') return typeof found === 'string' && found !== '' ? { S: found } : undefined;
  return readNumber(found);
}

function readNumber(found: JsonValue): AttributeValue | undefined {
  if (typeof found !== 'number' && !(found instanceof ExactNumber)) return undefined;
  const value = toAttributeValue(found);
  return value.ok ? value.value : undefined;
}

function readVersion(found: JsonValue): Result<AttributeValue, PermanentReason> {
  const value = readNumber(found);
  return value === undefined ? fail('version_invalid') : { ok: true, value };
}

function readItem(found: JsonObject, key: AttributeMap): Result<AttributeMap, PermanentReason> {
  const item = toAttributeMap(found);
  return item.ok ? mergeItem(item.value, key) : item;
}

function fail(reason: PermanentReason): { readonly ok: false; readonly reason: PermanentReason } {
  return { ok: false, reason };
}
