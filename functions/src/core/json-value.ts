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

/** A value that is there: a missing member and a JSON null both find nothing. */
export function isPresent<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}
