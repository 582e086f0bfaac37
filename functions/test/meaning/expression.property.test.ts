import { search } from '@aws-lambda-powertools/jmespath';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compileExpression } from '../../src/core/expression.ts';
import type { JsonObject, JsonValue } from '../../src/core/json-value.ts';
import { runs } from '../property.ts';

/** As the reader makes them: without a prototype. */
function object(members: readonly (readonly [string, JsonValue])[]): JsonObject {
  const made: { [member: string]: JsonValue } = Object.create(null);
  for (const [name, value] of members) made[name] = value;
  return made;
}

describe('a plain path', () => {
  const name = fc.constantFrom('a', 'b', 'text', 'toString', 'constructor', '__proto__');
  const event = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<JsonValue>(null, 0, '', 'x', false),
      fc.array(tie('value'), { maxLength: 2 }),
      fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }).map(object),
    ),
  })).value;

  it('finds what the library finds', () => {
    fc.assert(
      fc.property(event, fc.array(name, { minLength: 1, maxLength: 4 }), (value, names) => {
        const path = names.join('.');
        expect(compileExpression(path, 'v')(value)).toEqual(search(`@ | ${path}`, value as object));
      }),
      runs(1_000),
    );
  });
});
