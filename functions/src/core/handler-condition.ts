import type { AttributeMap, AttributeValue } from './attribute-value.ts';
import type { Result } from './json-value.ts';
import { CONDITION_MAX_OPERATORS } from './limits.ts';
import { toAttributeValue } from './marshal.ts';
import type { PermanentReason } from './reasons.ts';

type Operator = '=' | '<>' | '<' | '<=' | '>' | '>=';

/** A condition on the item as it is stored; made by the functions below, and written with placeholders only. */
export type WriteCondition =
  | { readonly type: 'absent' | 'present'; readonly attribute: string }
  | { readonly type: 'compare'; readonly attribute: string; readonly operator: Operator; readonly value: unknown }
  | { readonly type: 'all' | 'any'; readonly conditions: readonly WriteCondition[] };

/** The item has no such attribute. Of a key attribute: the item does not exist. */
export function absent(attribute: string): WriteCondition {
  return { type: 'absent', attribute };
}

/** The item has the attribute. Of a key attribute: the item exists. */
export function present(attribute: string): WriteCondition {
  return { type: 'present', attribute };
}

/** The attribute compares so with the value; false when it is missing or of another type. */
export function compare(attribute: string, operator: Operator, value: unknown): WriteCondition {
  return { type: 'compare', attribute, operator, value };
}

export function all(...conditions: readonly WriteCondition[]): WriteCondition {
  return { type: 'all', conditions };
}

export function any(...conditions: readonly WriteCondition[]): WriteCondition {
  return { type: 'any', conditions };
}

export interface RenderedCondition {
  readonly expression: string;
  readonly names: Readonly<Record<string, string>>;
  readonly values?: AttributeMap;
}

/** Placeholders are `#c0`, `:c0` and so on, apart from those of an update of the same write. */
export function renderCondition(condition: WriteCondition): Result<RenderedCondition, PermanentReason> {
  const names: Record<string, string> = {};
  const values: Record<string, AttributeValue> = {};
  let operators = 0;
  let reason: PermanentReason | undefined;

  function placeName(attribute: string): string {
    const placeholder = `#c${Object.keys(names).length}`;
    names[placeholder] = attribute;
    return placeholder;
  }

  function placeValue(value: unknown): string {
    const placeholder = `:c${Object.keys(values).length}`;
    const converted = toAttributeValue(value);
    if (converted.ok) values[placeholder] = converted.value;
    else reason ??= converted.reason;
    return placeholder;
  }

  function render(part: WriteCondition): string {
    switch (part.type) {
      case 'absent':
        return `attribute_not_exists(${placeName(part.attribute)})`;
      case 'present':
        return `attribute_exists(${placeName(part.attribute)})`;
      case 'compare':
        operators += 1;
        return `${placeName(part.attribute)} ${part.operator} ${placeValue(part.value)}`;
      case 'all':
      case 'any':
        return renderGroup(part.conditions.map(render), part.type);
    }
  }

  function renderGroup(parts: readonly string[], type: 'all' | 'any'): string {
    const [first, ...rest] = parts;
    if (first === undefined) throw new TypeError(`${type}() needs at least one condition`);
    // DynamoDB refuses `((a OR b))` as redundant: a group of one is what stands in it.
    if (rest.length === 0) return first;
    operators += rest.length;
    return `(${parts.join(type === 'all' ? ' AND ' : ' OR ')})`;
  }

  const expression = render(condition);
  if (operators > CONDITION_MAX_OPERATORS) reason ??= 'transaction_too_large';
  if (reason !== undefined) return { ok: false, reason };
  return { ok: true, value: { expression, names, ...(Object.keys(values).length > 0 && { values }) } };
}
