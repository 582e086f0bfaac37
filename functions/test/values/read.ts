import { readJson } from '../../src/core/json.ts';
import type { JsonValue } from '../../src/core/json-value.ts';

/** A body that must be readable. */
export function read(body: string): JsonValue {
  const result = readJson(body);
  if (!result.ok) throw new Error(`not readable: ${result.reason}`);
  return result.value;
}
