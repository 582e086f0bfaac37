import { bareObject } from './bare-object.ts';
import { ExactNumber, isJsonObject, type JsonValue } from './json-value.ts';

/** Whether a number with more digits than a double holds is somewhere in a value. */
export function holdsExactNumber(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof ExactNumber) return true;
  if (Array.isArray(value)) return value.some(holdsExactNumber);
  for (const member in value)
    if (holdsExactNumber((value as { [member: string]: JsonValue })[member] ?? null)) return true;
  return false;
}

/** A copy in which every number is the double nearest to it: for judging a value, never for storing it. */
export function doubles(value: JsonValue): JsonValue {
  // One beyond the range of doubles stays a number of JSON: the greatest.
  if (value instanceof ExactNumber) return Math.min(Math.max(Number(value.text), -Number.MAX_VALUE), Number.MAX_VALUE);
  if (Array.isArray(value)) return value.map(doubles);
  if (!isJsonObject(value)) return value;
  const copy = bareObject<JsonValue>();
  for (const member of Object.keys(value)) copy[member] = doubles(value[member] ?? null);
  return copy;
}
