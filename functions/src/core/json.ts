import { decimalText, numberText, parseDecimal } from './decimal.ts';
import { ExactNumber, type JsonValue, type Result } from './json-value.ts';
import { READ_MAX_LEVELS } from './limits.ts';
import type { PermanentReason } from './reasons.ts';

type Mutable = { [member: string]: unknown };

/**
 * Number tokens whose digits a double may not hold: sixteen or more characters, or an exponent. Anything shorter has at
 * most fifteen significant digits, which a double gives back as written (IEEE 754). It may also match inside of a
 * string: that costs time, never a digit.
 */
const RISKY_NUMBER = /(?:^|[:,[\s])-?(?:[0-9][0-9.]{15}|[0-9]+(?:\.[0-9]+)?[eE])/;

/** Escapes that hide a colon from the count of members, or half a surrogate pair from the check of the text. */
const HIDDEN_COLON = /\\u003[aA]/;
const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/;

/** The reviver's third argument (ECMAScript, "JSON.parse source text access"), not yet in TypeScript's library. */
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;
const parse = JSON.parse as (text: string, reviver?: Reviver) => unknown;

/**
 * Reads JSON without losing anything: every digit of a number, members of any name, and the fact that a member was
 * written twice. Native parsing does the work; what it would lose is looked for in the text first, and only a body that
 * holds such a number pays for it.
 *
 * One byte order mark in front is dropped, as RFC 8259 (section 8.1) allows: producers on Windows write it.
 *
 * Fails with `not_json`, `too_deep`, `not_well_formed`, `duplicate_member`, or `number_out_of_range` for an exponent of
 * more than nine digits. Other numbers that DynamoDB cannot store are read: only storing them is refused.
 */
export function readJson(body: string): Result<JsonValue, PermanentReason> {
  const text = body.charCodeAt(0) === 0xfeff ? body.slice(1) : body;
  if (!text.isWellFormed()) return { ok: false, reason: 'not_well_formed' };
  const walk: Walk = {
    members: 0,
    colonsInStrings: 0,
    checkStrings: ESCAPED_SURROGATE.test(text),
    reason: undefined,
  };
  let value: unknown;
  try {
    value = RISKY_NUMBER.test(text)
      ? parse(text, (_key, number, context) => exact(number, context, walk))
      : parse(text);
  } catch {
    return { ok: false, reason: 'not_json' };
  }
  finish(value, 0, walk);
  if (walk.reason !== undefined) return { ok: false, reason: walk.reason };
  if (countMembers(text, walk) !== walk.members) return { ok: false, reason: 'duplicate_member' };
  return { ok: true, value: value as JsonValue };
}

interface Walk {
  members: number;
  colonsInStrings: number;
  readonly checkStrings: boolean;
  reason: PermanentReason | undefined;
}

function exact(value: unknown, context: { readonly source?: string }, walk: Walk): unknown {
  if (typeof value !== 'number' || context.source === undefined) return value;
  const written = parseDecimal(context.source);
  if (written === undefined) {
    walk.reason = 'number_out_of_range';
    return value;
  }
  const text = decimalText(written);
  return Number.isFinite(value) && numberText(value) === text ? value : new ExactNumber(text);
}

/** Takes the prototypes away, in place, and collects what the checks need. */
function finish(value: unknown, level: number, walk: Walk): void {
  if (typeof value === 'string') {
    checkString(value, walk);
    return;
  }
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return;
  if (level >= READ_MAX_LEVELS) {
    walk.reason = 'too_deep';
    return;
  }
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i += 1) finish(value[i], level + 1, walk);
    return;
  }
  Object.setPrototypeOf(value, null);
  for (const member in value) {
    walk.members += 1;
    checkString(member, walk);
    finish((value as Mutable)[member], level + 1, walk);
  }
}

function checkString(value: string, walk: Walk): void {
  for (let at = value.indexOf(':'); at !== -1; at = value.indexOf(':', at + 1)) walk.colonsInStrings += 1;
  if (walk.checkStrings && !value.isWellFormed()) walk.reason ??= 'not_well_formed';
}

/**
 * Members as written. Each has one colon outside of strings; so the colons of the text less those inside of the strings
 * that were kept is the number of members kept, unless a member was written twice: a dropped one leaves its own colon.
 */
function countMembers(text: string, walk: Walk): number {
  if (HIDDEN_COLON.test(text)) return countOutsideStrings(text);
  let colons = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) colons += 1;
  return colons - walk.colonsInStrings;
}

function countOutsideStrings(text: string): number {
  let colons = 0;
  let inString = false;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === 92) i += 1;
      else if (code === 34) inString = false;
    } else if (code === 34) inString = true;
    else if (code === 58) colons += 1;
  }
  return colons;
}

/** Noncharacters that JSON leaves alone, and SQS and SNS refuse in a message. */
const NONCHARACTERS = /[\uFFFE\uFFFF]/g;

/** Writes JSON on one line with every digit. Members in the order of the object; no character that SQS refuses. */
export function writeJson(value: JsonValue): string {
  const text = write(value);
  return text.replace(NONCHARACTERS, (character) => (character === '\uFFFE' ? '\\ufffe' : '\\uffff'));
}

function write(value: JsonValue): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return numberText(value);
    case 'boolean':
      return value ? 'true' : 'false';
    default:
  }
  if (value === null) return 'null';
  if (value instanceof ExactNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  const object = value as { readonly [member: string]: JsonValue };
  const members: string[] = [];
  for (const member of Object.keys(object)) {
    members.push(`${JSON.stringify(member)}:${write(object[member] as JsonValue)}`);
  }
  return `{${members.join(',')}}`;
}
