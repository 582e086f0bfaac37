import { WRITE_MAX_LEVELS } from './limits.ts';

/**
 * A JSON value as the lossless reader delivers it.
 *
 * Numbers are plain JavaScript numbers where a double holds every digit that was written; any other number arrives as
 * an {@link ExactNumber}, so that `9007199254740993` and a 30-digit decimal reach DynamoDB as they were sent. Objects
 * have no prototype: a member called `__proto__` or `constructor` is data like any other.
 */
export type JsonValue = null | boolean | string | number | ExactNumber | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [member: string]: JsonValue;
}

/** A number that a double would change, kept as its normalised decimal text. */
export class ExactNumber {
  /** Normalised decimal: no leading or trailing zeros, no plus sign, exponent only where plain digits would be longer. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** Expected failures are values: every reader, check and renderer of the core answers with one of these. */
export type Result<T, R> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: R };

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

/** A number as JSON writes it (RFC 8259, section 6): the text of an ExactNumber that a handler made may be anything. */
const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/**
 * Whether a handler's value is JSON all through. Only such a value may be written: writing would throw on the rest, or
 * drop, convert or invent it, such as an undefined member, a Date, a Map. One that holds itself is none either.
 */
export function isJson(value: unknown): value is JsonValue {
  return isJsonWithin(WRITE_MAX_LEVELS, value);
}

function isJsonWithin(levels: number, value: unknown): boolean {
  if (value === null || typeof value === 'boolean') return true;
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value === 'number') return Number.isFinite(value);
  if (value instanceof ExactNumber) return JSON_NUMBER.test(value.text);
  if (typeof value !== 'object' || levels === 0) return false;
  if (Array.isArray(value)) {
    // By index: `every` passes over a hole, which is no value.
    for (let i = 0; i < value.length; i += 1) if (!isJsonWithin(levels - 1, value[i])) return false;
    return true;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return false;
  for (const [member, held] of Object.entries(value)) {
    if (!member.isWellFormed() || !isJsonWithin(levels - 1, held)) return false;
  }
  return true;
}

/** A value that is there: a missing member and a JSON null both find nothing. */
export function isPresent<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}
