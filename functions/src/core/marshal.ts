import type { AttributeMap, AttributeValue } from './attribute-value.ts';
import { bareObject } from './bare-object.ts';
import { decimalText, isStorable, numberText, parseDecimal } from './decimal.ts';
import { ExactNumber, type Result } from './json-value.ts';
import { ATTRIBUTE_NAME_MAX_BYTES, NESTING_MAX_LEVELS } from './limits.ts';
import type { PermanentReason } from './reasons.ts';

/** What an item holds when it is handed to a handler: JSON, and the types that only DynamoDB has. */
export type StoredValue =
  | null
  | boolean
  | string
  | number
  | ExactNumber
  | Uint8Array
  | ReadonlySet<string>
  | ReadonlySet<number | ExactNumber>
  | ReadonlySet<Uint8Array>
  | readonly StoredValue[]
  | StoredItem;

export interface StoredItem {
  readonly [attribute: string]: StoredValue;
}

/**
 * A value in DynamoDB's form, exactly, or the reason why there is none. Nothing is dropped, shortened or converted on
 * the way: an empty string stays one, `undefined` is refused wherever it stands, a string of digits stays a string.
 *
 * Takes JSON values with {@link ExactNumber}, bigint, Uint8Array, and sets of strings, numbers or binaries. Objects are
 * plain ones: made by a literal or without a prototype.
 */
export function toAttributeValue(value: unknown): Result<AttributeValue, PermanentReason> {
  const converted = convert(value, 0);
  return typeof converted === 'string' ? { ok: false, reason: converted } : { ok: true, value: converted };
}

/** The same for a whole item or key, which is no level of nesting by itself. */
export function toAttributeMap(value: unknown): Result<AttributeMap, PermanentReason> {
  if (!isPlainObject(value)) return { ok: false, reason: 'value_not_storable' };
  const converted = convertMembers(value, 0);
  return typeof converted === 'string' ? { ok: false, reason: converted } : { ok: true, value: converted };
}

/** `level` counts the lists and maps around the value, within its attribute. A scalar is a level as well. */
function convert(value: unknown, level: number): AttributeValue | PermanentReason {
  if (level >= NESTING_MAX_LEVELS) return 'too_deep';
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? { S: value } : 'not_well_formed';
    case 'number':
    case 'bigint':
      return convertNumber(value);
    case 'boolean':
      return { BOOL: value };
    case 'object':
      return value === null ? { NULL: true } : convertObject(value, level);
    default:
      return 'value_not_storable';
  }
}

function convertObject(value: object, level: number): AttributeValue | PermanentReason {
  if (value instanceof ExactNumber) return convertNumber(value);
  if (value instanceof Uint8Array) return { B: plainBytes(value) };
  if (value instanceof Set) return convertSet(value);
  if (Array.isArray(value)) {
    const list: AttributeValue[] = [];
    for (let i = 0; i < value.length; i += 1) {
      const item = convert(value[i], level + 1);
      if (typeof item === 'string') return item;
      list.push(item);
    }
    return { L: list };
  }
  if (!isPlainObject(value)) return 'value_not_storable';
  const members = convertMembers(value, level + 1);
  return typeof members === 'string' ? members : { M: members };
}

/** Over the same memory, of the one class that is written as base64: a Buffer, say, writes itself in a form of its own. */
function plainBytes({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function convertMembers(value: Readonly<Record<string, unknown>>, level: number): AttributeMap | PermanentReason {
  const map = bareObject<AttributeValue>();
  for (const name of Object.keys(value)) {
    const reason = checkName(name);
    if (reason !== undefined) return reason;
    const member = convert(value[name], level);
    if (typeof member === 'string') return member;
    map[name] = member;
  }
  return Object.getOwnPropertySymbols(value).length === 0 ? map : 'value_not_storable';
}

/** DynamoDB has no attribute without a name; one called `__proto__` is lost when the SDK reads the item back. */
function checkName(name: string): PermanentReason | undefined {
  if (name === '' || name === '__proto__') return 'value_not_storable';
  if (!name.isWellFormed()) return 'not_well_formed';
  // A character takes three bytes at most, a pair of them four.
  if (name.length * 3 < ATTRIBUTE_NAME_MAX_BYTES) return undefined;
  return Buffer.byteLength(name) >= ATTRIBUTE_NAME_MAX_BYTES ? 'value_not_storable' : undefined;
}

function convertNumber(value: number | bigint | ExactNumber): { readonly N: string } | PermanentReason {
  const text = String(value);
  // Plain digits of a double are 17 at most, between 1e-7 and 1e21: nothing to check.
  if (typeof value === 'number' && Number.isFinite(value) && !text.includes('e')) return { N: text };
  const decimal = parseDecimal(text);
  return decimal !== undefined && isStorable(decimal) ? { N: decimalText(decimal) } : 'number_out_of_range';
}

function convertSet(set: ReadonlySet<unknown>): AttributeValue | PermanentReason {
  const strings: string[] = [];
  const numbers: string[] = [];
  const binaries: Uint8Array[] = [];
  for (const element of set) {
    const converted = element instanceof Set || Array.isArray(element) ? 'value_not_storable' : convert(element, 0);
    if (typeof converted === 'string') return converted;
    if ('S' in converted) strings.push(converted.S);
    else if ('N' in converted) numbers.push(converted.N);
    else if ('B' in converted) binaries.push(converted.B);
    else return 'value_not_storable';
  }
  // One type, at least one element, and no two that are equal by value (1 and 1n): what DynamoDB asks of a set.
  if (set.size === 0) return 'value_not_storable';
  if (strings.length === set.size) return { SS: strings };
  if (numbers.length === set.size) return new Set(numbers).size === set.size ? { NS: numbers } : 'value_not_storable';
  if (binaries.length !== set.size) return 'value_not_storable';
  const distinct = new Set(binaries.map((binary) => Buffer.from(binary).toString('base64')));
  return distinct.size === set.size ? { BS: binaries } : 'value_not_storable';
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** The inverse of {@link toAttributeValue}: numbers as JavaScript numbers where a double holds every digit. */
export function fromAttributeValue(value: AttributeValue): StoredValue {
  if ('S' in value) return value.S;
  if ('N' in value) return fromNumber(value.N);
  if ('BOOL' in value) return value.BOOL;
  if ('NULL' in value) return null;
  if ('M' in value) return fromAttributeMap(value.M);
  if ('L' in value) return value.L.map(fromAttributeValue);
  if ('B' in value) return value.B;
  if ('SS' in value) return new Set(value.SS);
  if ('NS' in value) return new Set(value.NS.map(fromNumber));
  return new Set(value.BS);
}

export function fromAttributeMap(map: AttributeMap): StoredItem {
  const item = bareObject<StoredValue>();
  for (const name of Object.keys(map)) item[name] = fromAttributeValue(map[name] as AttributeValue);
  return item;
}

function fromNumber(text: string): number | ExactNumber {
  const decimal = parseDecimal(text);
  if (decimal === undefined) return new ExactNumber(text);
  const exact = decimalText(decimal);
  const number = Number(exact);
  return Number.isFinite(number) && numberText(number) === exact ? number : new ExactNumber(exact);
}
