import { NUMBER_MAX_DIGITS, NUMBER_MAX_MAGNITUDE, NUMBER_MIN_MAGNITUDE } from './limits.ts';

/** A decimal by value: `digits` x 10^`exponent`, digits without leading or trailing zeros; zero is `0` x 10^0. */
export interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

const ZERO: Decimal = { negative: false, digits: '0', exponent: 0 };
const NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/** Above it, adding to an exponent could lose digits of the exponent itself, and two numbers would become one. */
const EXPONENT_BOUND = 1_000_000_000;

/** Undefined for a text that is no number, or whose exponent is beyond any use. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = NUMBER.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', power = '0'] = match;
  const all = whole + fraction;
  let start = 0;
  while (start < all.length && all.charCodeAt(start) === 48) start += 1;
  if (start === all.length) return ZERO;
  let end = all.length;
  while (all.charCodeAt(end - 1) === 48) end -= 1;
  const written = Number(power);
  if (Math.abs(written) > EXPONENT_BOUND) return undefined;
  return {
    negative: sign === '-',
    digits: all.slice(start, end),
    exponent: written - fraction.length + (all.length - end),
  };
}

/** Power of ten of the leading digit: 0 for 5, 2 for 500, -1 for 0.5. */
function magnitude(decimal: Decimal): number {
  return decimal.exponent + decimal.digits.length - 1;
}

/**
 * The one text of a decimal: equal values have equal texts. Where JavaScript prints plain digits (up to 21 before the
 * point, up to 6 zeros after it) this is what `String(number)` gives; longer numbers are plain as long as the form with
 * an exponent is not shorter. Valid as a JSON number and as a DynamoDB number.
 */
export function decimalText(decimal: Decimal): string {
  const { digits, exponent } = decimal;
  const sign = decimal.negative ? '-' : '';
  const point = exponent + digits.length;
  const length = plainLength(digits.length, exponent);
  const scientific = `${digits[0]}${digits.length > 1 ? `.${digits.slice(1)}` : ''}e${point - 1}`;
  if (!(point > -6 && point <= 21) && length > scientific.length) return sign + scientific;
  if (exponent >= 0) return sign + digits + '0'.repeat(exponent);
  if (point > 0) return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
  return `${sign}0.${'0'.repeat(-point)}${digits}`;
}

function plainLength(digits: number, exponent: number): number {
  if (exponent >= 0) return digits + exponent;
  return digits + exponent > 0 ? digits + 1 : 2 - exponent;
}

/** The text of {@link decimalText} for a JavaScript number; it must be finite. */
export function numberText(value: number): string {
  const text = String(value);
  if (!text.includes('e')) return text;
  const decimal = parseDecimal(text);
  return decimal === undefined ? text : decimalText(decimal);
}

/** The one text of a number as it came from anywhere; a text that is no number is given back as it is. */
export function normaliseDecimal(text: string): string {
  const decimal = parseDecimal(text);
  return decimal === undefined ? text : decimalText(decimal);
}

/** Whether DynamoDB stores the number with every digit. */
export function isStorable(decimal: Decimal): boolean {
  const power = magnitude(decimal);
  return decimal.digits.length <= NUMBER_MAX_DIGITS && power >= NUMBER_MIN_MAGNITUDE && power <= NUMBER_MAX_MAGNITUDE;
}

/** Negative, zero or positive, as `left` is smaller than, equal to or larger than `right`. Exact at any length. */
export function compareDecimals(left: Decimal, right: Decimal): number {
  const leftSign = signOf(left);
  const rightSign = signOf(right);
  if (leftSign !== rightSign) return leftSign - rightSign;
  if (leftSign === 0) return 0;
  const power = magnitude(left) - magnitude(right);
  if (power !== 0) return power * leftSign;
  const width = Math.max(left.digits.length, right.digits.length);
  const a = left.digits.padEnd(width, '0');
  const b = right.digits.padEnd(width, '0');
  return a === b ? 0 : a < b ? -leftSign : leftSign;
}

function signOf(decimal: Decimal): -1 | 0 | 1 {
  if (decimal.digits === '0') return 0;
  return decimal.negative ? -1 : 1;
}
