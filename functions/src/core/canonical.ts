import { numberText } from './decimal.ts';
import { ExactNumber, type JsonValue } from './json-value.ts';

/** What JSON.stringify may escape. Most strings have none of it, and are quoted without a call into the engine. */
const MAY_BE_ESCAPED = /[^ !#-[\]-\uD7FF\uE000-\uFFFF]/;

function quote(text: string): string {
  return MAY_BE_ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/**
 * The canonical form of a JSON value: RFC 8785 (members in UTF-16 order, no white space, strings as JSON.stringify
 * writes them), with numbers written by value at any length. `1`, `1.0` and `1e0` are one value, as they are in
 * DynamoDB; so are `0` and `-0`. The order of a list is part of it.
 *
 * What it gives for a value must never change: rows hold hashes of it. See functions/test/hash-vectors.json.
 */
export function canonicalJson(value: JsonValue): string {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
      return numberText(value);
    case 'boolean':
      return value ? 'true' : 'false';
    default:
  }
  if (value === null) return 'null';
  if (value instanceof ExactNumber) return value.text;
  if (Array.isArray(value)) {
    let items = '';
    for (const item of value) items += `${items === '' ? '' : ','}${canonicalJson(item)}`;
    return `[${items}]`;
  }
  const object = value as { readonly [member: string]: JsonValue };
  let members = '';
  for (const member of Object.keys(object).sort()) {
    members += `${members === '' ? '' : ','}${quote(member)}:${canonicalJson(object[member] as JsonValue)}`;
  }
  return `{${members}}`;
}
