import { describe, expect, it, jest } from '@jest/globals';
import { listAsText, mayHoldBinary } from '../../src/aws/list-as-text.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function bodyAfter(body: string | Uint8Array, text: string): string {
  const request = { body };
  const next = jest.fn((_args: { request?: unknown }) => 'answer');
  expect(listAsText('Statements', text)(next)({ request })).toBe('answer');
  return Buffer.from(request.body).toString();
}

describe('a list that is put into a body', () => {
  it.each([
    ['text', (body: string) => body],
    ['bytes', bytes],
  ])('of %s, in its place and no other', (_name, encode) => {
    const body = encode('{"a":"ö","Statements":[],"Other":[]}');
    expect(bodyAfter(body, '["$&","\\"Statements\\":[]"]')).toBe(
      '{"a":"ö","Statements":["$&","\\"Statements\\":[]"],"Other":[]}',
    );
  });

  it('of bytes that are a part of a larger memory', () => {
    const all = bytes('###{"Statements":[]}###');
    expect(bodyAfter(all.subarray(3, all.length - 3), '[1]')).toBe('{"Statements":[1]}');
  });

  it.each(['{"Statements": []}', '{}', '{"Statements":[1]}'])('never into %s, which is sent to nobody', (body) => {
    const next = jest.fn();
    expect(() => listAsText('Statements', '[]')(next)({ request: { body } })).toThrow('form that is not known');
    expect(next).not.toHaveBeenCalled();
  });
});

describe('whether a text may hold binary values', () => {
  it.each<[unknown, boolean]>([
    [{ a: { B: new Uint8Array([1]) } }, true],
    [{ a: { B: new Uint8Array() } }, true],
    [{ a: { BS: [new Uint8Array([1])] } }, true],
    [{ a: { L: [{ M: { b: { B: new Uint8Array([1]) } } }] } }, true],
    [{ a: { S: 'B' }, b: { SS: ['BS'] }, B: { N: '1' } }, true],
    [{ a: { S: 'B":{' }, BOOL: [{ BOOL: true }] }, false],
    [{ sizeMB: { N: '1' }, sizesBS: [{ N: '1' }] }, false],
    [{ sizeMB: { N: '1' }, last: { B: new Uint8Array([1]) } }, true],
  ])('%j: %s', (value, may) => {
    expect(mayHoldBinary(JSON.stringify(value))).toBe(may);
  });
});
