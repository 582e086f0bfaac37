import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../src/core/json-value.ts';
import { compileSchema } from '../../src/core/schema.ts';
import { read } from '../values/read.ts';

const matches = (schema: unknown, body: string) =>
  compileSchema(JSON.stringify(schema), 'json_schema')(read(body) as JsonObject);

describe('a JSON Schema judges events', () => {
  it.each<[unknown, string, boolean]>([
    [{ type: 'object', required: ['id'], properties: { id: { type: 'string' } } }, '{"id":"o-1"}', true],
    [{ type: 'object', required: ['id'], properties: { id: { type: 'string' } } }, '{"id":1}', false],
    [{ required: ['toString'] }, '{}', false],
    [{ required: ['constructor'] }, '{"constructor":1}', true],
    [{ required: ['__proto__'] }, '{"__proto__":1}', true],
    [{ required: ['__proto__'] }, '{}', false],
    [{ properties: { valueOf: { type: 'string' } } }, '{}', true],
    [{ additionalProperties: false, properties: { a: {} } }, '{"a":1,"constructor":1}', false],
    [{ properties: { a: { const: { b: 1 } } } }, '{"a":{"b":1.0}}', true],
    [{ properties: { a: { enum: [{ b: 1 }, []] } } }, '{"a":{"b":2}}', false],
    [{ properties: { a: { uniqueItems: true } } }, '{"a":[{"b":1},{"b":1}]}', false],
    [{ properties: { a: { uniqueItems: true } } }, '{"a":[{"b":1},{"b":2}]}', true],
    [{ properties: { at: { type: 'string', format: 'date-time' } } }, '{"at":"yesterday"}', true],
    [{ $schema: 'http://json-schema.org/draft-07/schema#', items: [{}], additionalItems: false }, '{}', true],
    [
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        properties: { l: { prefixItems: [{ type: 'string' }] } },
      },
      '{"l":[1]}',
      false,
    ],
  ])('%j on %s: %s', (schema, body, expected) => {
    expect(matches(schema, body)).toBe(expected);
  });

  it.each<[unknown, string, boolean]>([
    [{ type: 'integer' }, '9007199254740993', true],
    [{ type: 'number' }, '0.12345678901234567890', true],
    [{ type: 'integer' }, '0.12345678901234567890', false],
    [{ type: 'number', maximum: 100 }, '12345678901234567890', false],
    [{ type: 'number', minimum: 100 }, '12345678901234567890', true],
    [{ type: 'string' }, '12345678901234567890', false],
    [{ type: 'object' }, '12345678901234567890', false],
    [{ type: 'number' }, '1e400', false],
    [{ multipleOf: 0.01 }, '19.99', true],
    [{ multipleOf: 0.01 }, '19.995', false],
    [{ multipleOf: 0.1 }, '1.1', true],
    [{ multipleOf: 3 }, '10', false],
  ])('takes numbers that no double holds as the nearest one: %j on %s: %s', (schema, number, expected) => {
    expect(matches({ properties: { n: schema } }, `{"n":${number}}`)).toBe(expected);
  });

  it('takes an object with a member called valueOf for equal to nothing, and throws nothing', () => {
    expect(matches({ properties: { a: { const: { valueOf: 1 } } } }, '{"a":{"valueOf":1}}')).toBe(false);
  });
});

describe('a wrong schema is refused at start-up', () => {
  it.each([
    '',
    '[]',
    '"x"',
    '{',
    '{"type":"objekt"}',
    '{"properties":[]}',
    '{"required":"id"}',
    '{"unknownKeyword":1}',
    '{"$ref":"#/nowhere"}',
    '{"pattern":"("}',
    '{"a":1,"a":2}',
  ])('%s', (schema) => {
    expect(() => compileSchema(schema, 'json_schema')).toThrow(
      expect.objectContaining({
        name: 'ConfigurationError',
        message: expect.stringMatching(/^json_schema is not a JSON Schema/),
      }),
    );
  });
});
