import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { canonicalJson } from '../../src/core/canonical.ts';
import { comparePayloadHash, payloadHash } from '../../src/core/hash.ts';
import { read } from './read.ts';

interface Vector {
  readonly name: string;
  readonly bodies: readonly string[];
  readonly canonical: string;
  readonly hash: string;
}

const vectorFile = new URL('../hash-vectors.json', import.meta.url);
const { vectors } = JSON.parse(readFileSync(vectorFile, 'utf8')) as { readonly vectors: readonly Vector[] };

describe('the payload hash never changes, since rows hold it', () => {
  it.each(vectors)('$name', ({ bodies, canonical, hash }) => {
    for (const body of bodies) {
      expect(canonicalJson(read(body))).toBe(canonical);
      expect(payloadHash(read(body))).toBe(hash);
    }
  });

  it('gives every vector a hash of its own', () => {
    expect(new Set(vectors.map(({ hash }) => hash)).size).toBe(vectors.length);
  });
});

describe('the payload hash is about values', () => {
  it('C-28: ignores member order and white space, at any depth; 1.0 is 1', () => {
    const [m1, m2, m3] = [
      '{"id":"o-1","a":1,"b":{"x":1,"y":2}}',
      '{ "b":{"y":2,"x":1}, "a":1, "id":"o-1" }',
      '{"id":"o-1","a":1.0,"b":{"x":1,"y":2}}',
    ].map((body) => payloadHash(read(body)));
    expect(m2).toBe(m1);
    expect(m3).toBe(m1);
  });

  it('C-28: keeps the order of a list', () => {
    expect(payloadHash(read('{"a":[1,2]}'))).not.toBe(payloadHash(read('{"a":[2,1]}')));
  });

  it('C-48: tells two integers apart that one double stands for', () => {
    expect(payloadHash(read('9007199254740993'))).not.toBe(payloadHash(read('9007199254740992')));
    expect(payloadHash(read('12345678901234567890'))).not.toBe(payloadHash(read('12345678901234567891')));
  });

  it.each([
    ['a missing member and a null', '{"a":null}', '{}'],
    ['a number and a string of its digits', '{"a":1}', '{"a":"1"}'],
    ['an empty list and an empty object', '{"a":[]}', '{"a":{}}'],
    ['a quote inside of a string and one around it', '{"a":"b\\",\\"c\\":\\"d"}', '{"a":"b","c":"d"}'],
    ['composed and decomposed letters', '"\\u00e9"', '"e\\u0301"'],
  ])('tells %s apart', (_name, left, right) => {
    expect(payloadHash(read(left))).not.toBe(payloadHash(read(right)));
  });
});

describe('hashes are compared under the algorithm that the row names', () => {
  const ours = payloadHash(read('{"a":1}'));
  const theirs = payloadHash(read('{"a":2}'));

  it('says same and different for its own', () => {
    expect(comparePayloadHash(ours, ours)).toBe('same');
    expect(comparePayloadHash(theirs, ours)).toBe('different');
  });

  it.each(['v2:abc', '', ours.slice(3), 'v1:', `v10:${ours.slice(3)}`, `${ours}00`, ours.toUpperCase()])(
    'judges nothing by a hash that it does not know: %s',
    (stored) => {
      expect(comparePayloadHash(stored, ours)).toBe('unknown_algorithm');
    },
  );
});
