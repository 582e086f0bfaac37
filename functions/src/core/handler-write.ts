import type { AttributeMap, AttributeValue } from './attribute-value.ts';
import { renderCondition, type WriteCondition } from './handler-condition.ts';
import type { Result } from './json-value.ts';
import { toAttributeMap, toAttributeValue } from './marshal.ts';
import { mergeItem } from './merge-item.ts';
import type { PermanentReason } from './reasons.ts';
import type { BusinessWrite, OnConditionFailed } from './types.ts';

/** Attribute names and plain values: what `toAttributeValue` takes. */
export type Attributes = Readonly<Record<string, unknown>>;

interface Target {
  readonly table: string;
  /** All key attributes of the item. */
  readonly key: Attributes;
  /** What the item must be like for the event to be committed. */
  readonly condition?: WriteCondition;
  /**
   * What a failed condition means: `reject` (the default) the event, read again and `replan`, or `supersede`: the event
   * is done without any of its writes and notifications.
   */
  readonly onConditionFailed?: OnConditionFailed;
}

export interface PutOptions extends Target {
  /** The rest of the item; the key attributes are added to it. It may hold them already, with the same value. */
  readonly item: Attributes;
}

export interface UpdateOptions extends Target {
  /** Attributes to set. */
  readonly set?: Attributes;
  /** Attributes to take away. */
  readonly unset?: readonly string[];
  /** Numbers to add to attributes; a missing one counts as 0. It happens once, as everything in a plan. */
  readonly add?: Attributes;
}

export type RemoveOptions = Target;

export interface CheckOptions extends Target {
  readonly condition: WriteCondition;
}

/** One write of a plan, made by `put`, `update`, `remove` or `check`. */
export type HandlerWrite =
  | ({ readonly kind: 'put' } & PutOptions)
  | ({ readonly kind: 'update' } & UpdateOptions)
  | ({ readonly kind: 'delete' } & RemoveOptions)
  | ({ readonly kind: 'check' } & CheckOptions);

/** Writes a whole item, over one that may exist unless the condition says otherwise. */
export function put(options: PutOptions): HandlerWrite {
  return { kind: 'put', ...options };
}

/** Changes attributes of an item; creates it when it does not exist, unless the condition says otherwise. */
export function update(options: UpdateOptions): HandlerWrite {
  return { kind: 'update', ...options };
}

/** Deletes an item, if it exists. */
export function remove(options: RemoveOptions): HandlerWrite {
  return { kind: 'delete', ...options };
}

/** Writes nothing; the event is committed only if the condition holds at that moment. */
export function check(options: CheckOptions): HandlerWrite {
  return { kind: 'check', ...options };
}

/** A write in DynamoDB's form, or the reason why a value of it has none. */
export function renderWrite(write: HandlerWrite): Result<BusinessWrite, PermanentReason> {
  const key = toAttributeMap(write.key);
  if (!key.ok) return key;
  const condition = write.condition === undefined ? undefined : renderCondition(write.condition);
  if (condition !== undefined && !condition.ok) return condition;
  const base = {
    table: write.table,
    key: key.value,
    onConditionFailed: write.onConditionFailed ?? 'reject',
    ...(condition !== undefined && { condition: condition.value }),
  };
  switch (write.kind) {
    case 'put': {
      const item = toAttributeMap(write.item);
      if (!item.ok) return item;
      const whole = mergeItem(item.value, key.value);
      return whole.ok ? { ok: true, value: { ...base, kind: 'put', item: whole.value } } : whole;
    }
    case 'update': {
      const rendered = renderUpdate(write);
      return rendered.ok ? { ok: true, value: { ...base, kind: 'update', ...rendered.value } } : rendered;
    }
    case 'delete':
      return { ok: true, value: { ...base, kind: 'delete' } };
    case 'check':
      if (condition === undefined) throw new TypeError('check() needs a condition');
      return { ok: true, value: { ...base, kind: 'check', condition: condition.value } };
  }
}

interface RenderedUpdate {
  readonly expression: string;
  readonly names: Readonly<Record<string, string>>;
  readonly values?: AttributeMap;
}

/** Placeholders are `#u0`, `:u0` and so on. */
function renderUpdate(write: UpdateOptions): Result<RenderedUpdate, PermanentReason> {
  const names: Record<string, string> = {};
  const values: Record<string, AttributeValue> = {};
  const clauses: string[] = [];
  let reason: PermanentReason | undefined;

  function nameOf(attribute: string): string {
    const placeholder = `#u${Object.keys(names).length}`;
    names[placeholder] = attribute;
    return placeholder;
  }

  function clause(word: string, attributes: Attributes | undefined, glue: string): void {
    const parts = Object.entries(attributes ?? {}).map(([attribute, value]) => {
      const placeholder = `:u${Object.keys(values).length}`;
      const converted = toAttributeValue(value);
      if (converted.ok) values[placeholder] = converted.value;
      else reason ??= converted.reason;
      return `${nameOf(attribute)}${glue}${placeholder}`;
    });
    if (parts.length > 0) clauses.push(`${word} ${parts.join(', ')}`);
  }

  clause('SET', write.set, ' = ');
  clause('ADD', write.add, ' ');
  const unset = write.unset ?? [];
  if (unset.length > 0) clauses.push(`REMOVE ${unset.map(nameOf).join(', ')}`);
  if (reason !== undefined) return { ok: false, reason };
  if (clauses.length === 0) throw new TypeError('update() changes nothing: give set, unset or add');
  const expression = clauses.join(' ');
  return { ok: true, value: { expression, names, ...(Object.keys(values).length > 0 && { values }) } };
}
