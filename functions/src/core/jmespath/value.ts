import { compareDecimals, type Decimal, decimalText, parseDecimal } from '../decimal.ts';
import { readJson } from '../json.ts';
import { ExactNumber, isJsonObject, type JsonValue } from '../json-value.ts';

export type JsonNumber = number | ExactNumber;

export function isNumber(value: JsonValue): value is JsonNumber {
  return typeof value === 'number' || value instanceof ExactNumber;
}

/** JMESPath's truth: null, false and whatever is empty are false; every number is true. */
export function isTruthy(value: JsonValue): boolean {
  if (value === null || value === false || value === '') return false;
  if (Array.isArray(value)) return value.length > 0;
  return isJsonObject(value) ? Object.keys(value).length > 0 : true;
}

/** Negative, zero or positive. Exact where a double is not: a filter must not lose an event over a rounded digit. */
export function compareNumbers(left: JsonNumber, right: JsonNumber): number {
  if (typeof left === 'number' && typeof right === 'number') return left < right ? -1 : left > right ? 1 : 0;
  return compareDecimals(toDecimal(left), toDecimal(right));
}

/** By code points, as JMESPath has it: the order of the bytes of UTF-8. */
export function compareStrings(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

/** Deep equality by value. */
export function isEqual(left: JsonValue, right: JsonValue): boolean {
  if (left === right) return true;
  if (isNumber(left) && isNumber(right)) return compareNumbers(left, right) === 0;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, i) => isEqual(item, right[i]));
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && isEqual(left[name] as JsonValue, right[name] as JsonValue))
  );
}

/** The number that a text holds, as the reader would deliver it; null when it holds none. */
export function numberFrom(text: string): JsonNumber | null {
  const read = readJson(text);
  return read.ok && isNumber(read.value) ? read.value : null;
}

export function sumOf(numbers: readonly JsonNumber[]): JsonNumber {
  if (numbers.every((number) => typeof number === 'number' && Number.isSafeInteger(number))) {
    const sum = (numbers as readonly number[]).reduce((total, number) => total + number, 0);
    if (Number.isSafeInteger(sum)) return sum;
  }
  const decimals = numbers.map(toDecimal);
  const exponent = Math.min(0, ...decimals.map((decimal) => decimal.exponent));
  if (decimals.some((decimal) => decimal.exponent - exponent > 1_000)) throw new RangeError('too far apart to add');
  const total = decimals.reduce((sum, decimal) => sum + scaled(decimal, exponent), 0n);
  return numberFrom(`${total}e${exponent}`) ?? 0;
}

function scaled(decimal: Decimal, exponent: number): bigint {
  const digits = BigInt(decimal.digits) * 10n ** BigInt(decimal.exponent - exponent);
  return decimal.negative ? -digits : digits;
}

/** Towards minus infinity for -1, towards plus infinity for 1. */
export function roundTowards(number: JsonNumber, direction: -1 | 1): JsonNumber {
  if (typeof number === 'number') return direction === -1 ? Math.floor(number) : Math.ceil(number);
  const decimal = toDecimal(number);
  if (decimal.exponent >= 0) return number;
  const whole = decimal.digits.slice(0, decimal.exponent) || '0';
  const kept = { ...decimal, digits: whole, exponent: 0 };
  const away = (direction === -1) === decimal.negative;
  const rounded = sumOf([fromDecimal(kept), away ? direction : 0]);
  return rounded;
}

export function absolute(number: JsonNumber): JsonNumber {
  return typeof number === 'number' ? Math.abs(number) : fromDecimal({ ...toDecimal(number), negative: false });
}

function toDecimal(number: JsonNumber): Decimal {
  return parseDecimal(String(number)) as Decimal;
}

function fromDecimal(decimal: Decimal): JsonNumber {
  return numberFrom(decimalText(decimal)) ?? 0;
}
