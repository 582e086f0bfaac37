import type { AttributeMap, AttributeValue } from './attribute-value.ts';
import { bareObject } from './bare-object.ts';
import { normaliseDecimal } from './decimal.ts';
import type { Result } from './json-value.ts';
import type { PermanentReason } from './reasons.ts';

/** An item with attributes of ours, such as its key; it may hold them already, with the same value only. */
export function mergeItem(item: AttributeMap, ours: AttributeMap): Result<AttributeMap, PermanentReason> {
  for (const name of Object.keys(ours)) {
    const theirs = item[name];
    if (theirs !== undefined && !isSame(theirs, ours[name] as AttributeValue)) {
      return { ok: false, reason: 'item_key_conflict' };
    }
  }
  return { ok: true, value: Object.assign(bareObject<AttributeValue>(), item, ours) };
}

function isSame(left: AttributeValue, right: AttributeValue): boolean {
  if ('S' in left && 'S' in right) return left.S === right.S;
  if ('B' in left && 'B' in right) return Buffer.compare(left.B, right.B) === 0;
  return 'N' in left && 'N' in right && normaliseDecimal(left.N) === normaliseDecimal(right.N);
}
