import { writeJson } from '../json.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json-value.ts';
import {
  absolute,
  compareNumbers,
  compareStrings,
  isEqual,
  isNumber,
  type JsonNumber,
  numberFrom,
  roundTowards,
  sumOf,
} from './value.ts';

/** What an `&expression` stands for: it is applied to each element. */
export type Reference = (value: JsonValue) => JsonValue;

export type Builtin =
  | {
      readonly takes: 'values';
      readonly least: number;
      /** Infinity where the last argument may be repeated. */
      readonly most: number;
      readonly call: (...values: JsonValue[]) => JsonValue;
    }
  | { readonly takes: 'list and reference'; readonly call: (list: JsonValue, key: Reference) => JsonValue }
  | { readonly takes: 'reference and list'; readonly call: (apply: Reference, list: JsonValue) => JsonValue };

/** A function got a value that it cannot take. It never says which value: that is a piece of the event. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
}

const one = (call: (value: JsonValue) => JsonValue): Builtin => ({ takes: 'values', least: 1, most: 1, call });
const two = (call: (left: JsonValue, right: JsonValue) => JsonValue): Builtin => ({
  takes: 'values',
  least: 2,
  most: 2,
  call,
});
const many = (call: (...values: JsonValue[]) => JsonValue): Builtin => ({
  takes: 'values',
  least: 1,
  most: Number.POSITIVE_INFINITY,
  call,
});
const by = (call: (list: JsonValue, key: Reference) => JsonValue): Builtin => ({ takes: 'list and reference', call });

/** The functions of jmespath.org/specification.html#built-in-functions. None changes what it is given. */
export const FUNCTIONS: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['abs', one((value) => absolute(numberOf(value)))],
  ['avg', one((value) => average(numbersOf(value)))],
  ['ceil', one((value) => roundTowards(numberOf(value), 1))],
  ['contains', two(contains)],
  ['ends_with', two((text, suffix) => textOf(text).endsWith(textOf(suffix)))],
  ['floor', one((value) => roundTowards(numberOf(value), -1))],
  ['join', two((glue, list) => listOf(list).map(textOf).join(textOf(glue)))],
  ['keys', one((value) => Object.keys(objectOf(value)))],
  ['length', one(lengthOf)],
  ['map', { takes: 'reference and list', call: (apply, list) => listOf(list).map(apply) }],
  ['max', one((value) => extreme(listOf(value), (item) => item, 1))],
  ['max_by', by((list, key) => extreme(listOf(list), key, 1))],
  ['merge', many((...objects) => Object.assign(Object.create(null), ...objects.map(objectOf)))],
  ['min', one((value) => extreme(listOf(value), (item) => item, -1))],
  ['min_by', by((list, key) => extreme(listOf(list), key, -1))],
  ['not_null', many((...values) => values.find((value) => value !== null) ?? null)],
  ['reverse', one((value) => (typeof value === 'string' ? [...value].reverse().join('') : listOf(value).toReversed()))],
  ['sort', one((value) => sorted(listOf(value), (item) => item))],
  ['sort_by', by((list, key) => sorted(listOf(list), key))],
  ['starts_with', two((text, prefix) => textOf(text).startsWith(textOf(prefix)))],
  ['sum', one((value) => sumOf(numbersOf(value)))],
  ['to_array', one((value) => (Array.isArray(value) ? value : [value]))],
  ['to_number', one((value) => (isNumber(value) ? value : typeof value === 'string' ? numberFrom(value) : null))],
  ['to_string', one((value) => (typeof value === 'string' ? value : writeJson(value)))],
  ['type', one(typeOf)],
  ['values', one((value) => Object.values(objectOf(value)))],
]);

function contains(subject: JsonValue, searched: JsonValue): boolean {
  if (typeof subject === 'string') return typeof searched === 'string' && subject.includes(searched);
  return listOf(subject).some((item) => isEqual(item, searched));
}

function lengthOf(value: JsonValue): number {
  if (typeof value === 'string') return [...value].length;
  return Array.isArray(value) ? value.length : Object.keys(objectOf(value)).length;
}

/** A mean can have digits without end, so it is a double; of numbers that are none there is no mean. */
function average(numbers: readonly JsonNumber[]): JsonValue {
  if (numbers.length === 0) return null;
  const sum = sumOf(numbers);
  if (typeof sum !== 'number') throw new ArgumentError('avg: the numbers are not exact in double precision');
  return sum / numbers.length;
}

/** The first of equal ones. Null for an empty list. */
function extreme(list: readonly JsonValue[], key: Reference, sign: 1 | -1): JsonValue {
  const keyed = withKeys(list, key);
  let best = keyed[0];
  for (const entry of keyed) {
    if (best !== undefined && compareKeys(entry.key, best.key) * sign > 0) best = entry;
  }
  return best?.item ?? null;
}

function sorted(list: readonly JsonValue[], key: Reference): JsonValue {
  return withKeys(list, key)
    .sort((left, right) => compareKeys(left.key, right.key))
    .map(({ item }) => item);
}

type Key = string | JsonNumber;

/** All numbers or all strings: anything else has no order. */
function withKeys(list: readonly JsonValue[], key: Reference): { readonly item: JsonValue; readonly key: Key }[] {
  const keyed = list.map((item) => ({ item, key: key(item) }));
  const allNumbers = keyed.every((entry) => isNumber(entry.key));
  const allTexts = keyed.every((entry) => typeof entry.key === 'string');
  if (!allNumbers && !allTexts) throw new ArgumentError('only numbers or only strings can be put in order');
  return keyed as { item: JsonValue; key: Key }[];
}

function compareKeys(left: Key, right: Key): number {
  if (typeof left === 'string') return compareStrings(left, right as string);
  return compareNumbers(left, right as JsonNumber);
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return isNumber(value) ? 'number' : typeof value;
}

function textOf(value: JsonValue): string {
  if (typeof value !== 'string') throw new ArgumentError('a string is expected');
  return value;
}

function numberOf(value: JsonValue): JsonNumber {
  if (!isNumber(value)) throw new ArgumentError('a number is expected');
  return value;
}

function numbersOf(value: JsonValue): readonly JsonNumber[] {
  return listOf(value).map(numberOf);
}

function listOf(value: JsonValue): readonly JsonValue[] {
  if (!Array.isArray(value)) throw new ArgumentError('a list is expected');
  return value as readonly JsonValue[];
}

function objectOf(value: JsonValue): JsonObject {
  if (!isJsonObject(value)) throw new ArgumentError('an object is expected');
  return value;
}
