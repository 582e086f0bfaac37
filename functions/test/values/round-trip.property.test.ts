import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AttributeMap, AttributeValue } from '../../src/core/attribute-value.ts';
import { canonicalJson } from '../../src/core/canonical.ts';
import { payloadHash } from '../../src/core/hash.ts';
import { readJson, writeJson } from '../../src/core/json.ts';
import type { JsonValue } from '../../src/core/json-value.ts';
import { fromAttributeValue, toAttributeValue } from '../../src/core/marshal.ts';
import { valueBytes } from '../../src/core/size.ts';
import { runs } from '../property.ts';
import { anyText, numberText, space, toText, type Written, written } from './arbitrary.ts';
import { read } from './read.ts';

/** A decimal by value, the slow way: an integer and how many places it is shifted. */
function slowDecimal(text: string): { readonly whole: bigint; readonly shift: number } {
  const [mantissa = '', power = '0'] = text.toLowerCase().split('e');
  const [integer = '', fraction = ''] = mantissa.split('.');
  let whole = BigInt(integer + fraction);
  if (mantissa.startsWith('-') && whole > 0n) whole = -whole;
  let shift = Number(power) - fraction.length;
  if (whole === 0n) return { whole, shift: 0 };
  while (whole % 10n === 0n) {
    whole /= 10n;
    shift += 1;
  }
  return { whole, shift };
}

function sameNumber(left: string, right: string): boolean {
  const [a, b] = [slowDecimal(left), slowDecimal(right)];
  return a.whole === b.whole && a.shift === b.shift;
}

function slowIsStorable(text: string): boolean {
  const { whole, shift } = slowDecimal(text);
  const places = String(whole).replace('-', '').length;
  const leading = shift + places - 1;
  return whole === 0n || (places <= 38 && leading >= -130 && leading <= 125);
}

function some(value: Written, test: (part: Written) => boolean): boolean {
  if (test(value)) return true;
  if (value.type === 'list') return value.items.some((item) => some(item, test));
  return value.type === 'object' && value.members.some(([, member]) => some(member, test));
}

function depthOf(value: Written): number {
  const inner =
    value.type === 'list' ? value.items : value.type === 'object' ? value.members.map(([, member]) => member) : [];
  return 1 + Math.max(0, ...inner.map(depthOf));
}

/** Whether a text says what was written: numbers by value, members in their order. */
function says(text: string, value: Written): boolean {
  const strip = (body: string) =>
    body.replace(/"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*/g, (token) => (token.startsWith('"') ? token : '#'));
  const numbers = (body: string) => body.replace(/"(?:[^"\\]|\\.)*"/g, '').match(/-?[0-9][0-9.eE+-]*/g) ?? [];
  const original = toText(value);
  const [ours, theirs] = [numbers(text), numbers(original)];
  return strip(text) === strip(original) && ours.every((number, i) => sameNumber(number, theirs[i] as string));
}

const isIndex = (name: string) => /^(0|[1-9][0-9]*)$/.test(name);
const hasIndexNames = (value: Written) =>
  some(value, (part) => part.type === 'object' && part.members.some(([name]) => isIndex(name)));
const hasNoncharacters = (value: Written) => /[\ufffe\uffff]/.test(toText(value));

describe('any JSON value', () => {
  it('is read and written without losing anything', () => {
    fc.assert(
      fc.property(written, (value) => {
        // Names that are array indices change places in a JavaScript object, and noncharacters are escaped.
        fc.pre(!hasIndexNames(value) && !hasNoncharacters(value));
        expect(says(writeJson(read(toText(value))), value)).toBe(true);
      }),
      runs(2_000),
    );
  });

  it('goes to DynamoDB and back without losing anything, or is permanent for a reason that can be told before', () => {
    let stored = 0;
    fc.assert(
      fc.property(written, (value) => {
        const json = read(toText(value));
        const marshalled = toAttributeValue(json);
        const badName = some(
          value,
          (part) => part.type === 'object' && part.members.some(([name]) => name === '' || name === '__proto__'),
        );
        const badNumber = some(value, (part) => part.type === 'number' && !slowIsStorable(part.text));
        if (marshalled.ok) {
          stored += 1;
          expect({ badName, badNumber, deep: depthOf(value) > 32 }).toEqual({
            badName: false,
            badNumber: false,
            deep: false,
          });
          expect(canonicalJson(fromAttributeValue(marshalled.value) as JsonValue)).toBe(canonicalJson(json));
          expect(writeJson(fromAttributeValue(marshalled.value) as JsonValue)).toBe(writeJson(json));
        } else {
          expect({
            value_not_storable: badName,
            number_out_of_range: badNumber,
            too_deep: depthOf(value) > 32,
          }).toHaveProperty(marshalled.reason, true);
        }
      }),
      runs(2_000),
    );
    expect(stored).toBeGreaterThan(500);
  });

  it('has one hash, in any order of members and with any white space (C-28)', () => {
    fc.assert(
      fc.property(written, fc.infiniteStream(space), fc.boolean(), (value, blanks, reversed) => {
        const blank = () => blanks.next().value as string;
        const order = <T>(members: readonly T[]) => (reversed ? members.toReversed() : members);
        const hash = payloadHash(read(toText(value)));
        expect(payloadHash(read(toText(value, blank, order)))).toBe(hash);
        expect(payloadHash(read(writeJson(read(toText(value)))))).toBe(hash);
      }),
      runs(1_000),
    );
  });

  it('has the hash of its values: two texts have one hash exactly when they say the same', () => {
    const scalar = fc.oneof(
      numberText.map((text) => ({ text, value: () => slowDecimal(text) as unknown })),
      anyText.map((text) => ({ text: JSON.stringify(text), value: () => text as unknown })),
    );
    fc.assert(
      fc.property(scalar, scalar, (left, right) => {
        const same =
          JSON.stringify(left.value(), (_k, v) => (typeof v === 'bigint' ? `${v}n` : v)) ===
          JSON.stringify(right.value(), (_k, v) => (typeof v === 'bigint' ? `${v}n` : v));
        expect(payloadHash(read(left.text)) === payloadHash(read(right.text))).toBe(same);
      }),
      runs(1_000),
    );
  });
});

describe('any number', () => {
  it('has one form, however it is spelled', () => {
    fc.assert(
      fc.property(numberText, fc.integer({ min: -20, max: 20 }), (text, shift) => {
        const { whole, shift: places } = slowDecimal(text);
        const zeros = whole === 0n ? 0 : Math.max(shift, 0);
        const respelled = `${whole}${'0'.repeat(zeros)}e${places - zeros}`;
        expect(canonicalJson(read(respelled))).toBe(canonicalJson(read(text)));
        expect(sameNumber(canonicalJson(read(text)), text)).toBe(true);
      }),
      runs(2_000),
    );
  });
});

describe('any text', () => {
  /** A byte order mark: the one thing that the reader takes and JSON.parse does not (RFC 8259, section 8.1; C-37). */
  const MARK = '\ufeff';

  /** Texts that are nearly JSON: a value with a few characters changed. */
  const nearly = fc
    .tuple(
      written,
      fc.array(
        fc.tuple(fc.nat(60), fc.constantFrom('', '"', ':', ',', '{', ']', '1', 'e', '.', '-', ' ', '\\', 'ü', MARK)),
        {
          maxLength: 2,
        },
      ),
    )
    .map(([value, edits]) =>
      edits.reduce((text, [at, replacement]) => text.slice(0, at) + replacement + text.slice(at + 1), toText(value)),
    );

  it('is JSON for the reader exactly when it is for JSON.parse without its byte order mark', () => {
    fc.assert(
      fc.property(nearly, (text) => {
        const result = readJson(text);
        let parsed: unknown;
        try {
          parsed = JSON.parse(text.startsWith(MARK) ? text.slice(1) : text);
        } catch {
          expect(result).toEqual({ ok: false, reason: text.isWellFormed() ? 'not_json' : 'not_well_formed' });
          return;
        }
        if (result.ok) expect(JSON.stringify(JSON.parse(writeJson(result.value)))).toBe(JSON.stringify(parsed));
        else expect(result.reason).not.toBe('not_json');
      }),
      { ...runs(3_000), examples: [[`${MARK}""`], [`${MARK}${MARK}1`], [`1${MARK}`]] },
    );
  });

  it('has a member twice for the reader exactly when an object has', () => {
    const member = fc.tuple(
      fc.constantFrom('"a"', '"b"', '"\\u0061"', '":"', '"\\u003a"', '"a:b"', '""'),
      fc.constantFrom('1', '":"', '"::\\""', '"\\u003A"', '9007199254740993', '{"a":":"}', '[":"]', '"\\\\"'),
    );
    fc.assert(
      fc.property(fc.array(member, { maxLength: 5 }), fc.array(member, { maxLength: 3 }), (outer, inner) => {
        const object = (members: readonly (readonly [string, string])[]) =>
          `{${members.map((pair) => pair.join(':')).join(',')}}`;
        const isTwice = (members: readonly (readonly [string, string])[]) =>
          new Set(members.map(([name]) => JSON.parse(name))).size < members.length;
        const result = readJson(`[${object(outer)},{"inner":${object(inner)}}]`);
        expect(result.ok ? 'ok' : result.reason).toBe(isTwice(outer) || isTwice(inner) ? 'duplicate_member' : 'ok');
      }),
      runs(2_000),
    );
  });
});

describe('the size of any value', () => {
  /** The published rules, the slow way: every byte is written out and counted. */
  function slowBytes(value: AttributeValue): number {
    const utf8 = (text: string) => new TextEncoder().encode(text).length;
    const number = (text: string) => {
      const { whole, shift } = slowDecimal(text);
      const padded = String(whole).replace('-', '') + (shift % 2 === 0 ? '' : '0');
      return 1 + Math.ceil(padded.length / 2) + (whole < 0n ? 1 : 0);
    };
    const map = (members: AttributeMap) =>
      Object.entries(members).reduce((sum, [name, member]) => sum + utf8(name) + slowBytes(member) + 1, 3);
    switch (Object.keys(value)[0]) {
      case 'S':
        return utf8((value as { S: string }).S);
      case 'N':
        return number((value as { N: string }).N);
      case 'L':
        return (value as { L: AttributeValue[] }).L.reduce((sum, element) => sum + slowBytes(element) + 1, 3);
      case 'M':
        return map((value as { M: AttributeMap }).M);
      default:
        return 1;
    }
  }

  it('is what counting every byte gives', () => {
    fc.assert(
      fc.property(written, (value) => {
        const marshalled = toAttributeValue(read(toText(value)));
        fc.pre(marshalled.ok);
        expect(valueBytes(marshalled.value)).toBe(slowBytes(marshalled.value));
      }),
      runs(1_000),
    );
  });
});
