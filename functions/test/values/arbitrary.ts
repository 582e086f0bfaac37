import fc from 'fast-check';

/** JSON as it is written: every number with its spelling, every object with its members in order. */
export type Written =
  | { readonly type: 'scalar'; readonly text: string }
  | { readonly type: 'number'; readonly text: string }
  | { readonly type: 'list'; readonly items: readonly Written[] }
  | { readonly type: 'object'; readonly members: readonly (readonly [string, Written])[] };

const digits = (maxLength: number) => fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength });

/** Number tokens of any length and size, with many near the bounds of doubles and of DynamoDB. */
export const numberText: fc.Arbitrary<string> = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
  fc.constantFrom(
    '9007199254740993',
    '-9007199254740993',
    '1e-130',
    '1e-131',
    '9.9e125',
    '1e126',
    '-0',
    '0.1',
    '1e400',
    '1e-400',
  ),
  fc
    .tuple(fc.constantFrom('', '-'), digits(42), fc.option(digits(42)), fc.option(fc.integer({ min: -140, max: 140 })))
    .map(([sign, whole, fraction, exponent]) => {
      const trimmed = whole.replace(/^0+(?=[0-9])/, '');
      return `${sign}${trimmed}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`;
    }),
);

/** Strings with what a reader could stumble over. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.string({
    unit: fc.constantFrom(':', '"', '\\', ',', '{', '}', '1', 'e', ' ', '\n', '日', '😀', '\u0000'),
    maxLength: 8,
  }),
  fc.constantFrom(
    '',
    '__proto__',
    'constructor',
    'toString',
    'valueOf',
    '9007199254740993',
    ' 1e400',
    '\\u003a',
    '\ufeff',
  ),
);

/** Any JSON, with names that are distinct within an object. */
export const written: fc.Arbitrary<Written> = fc.letrec<{ written: Written }>((tie) => ({
  written: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('null', 'true', 'false').map((text): Written => ({ type: 'scalar', text })),
    anyText.map((text): Written => ({ type: 'scalar', text: JSON.stringify(text) })),
    numberText.map((text): Written => ({ type: 'number', text })),
    fc.array(tie('written'), { maxLength: 4 }).map((items): Written => ({ type: 'list', items })),
    fc
      .uniqueArray(fc.tuple(anyText, tie('written')), { maxLength: 4, selector: ([name]) => name })
      .map((members): Written => ({ type: 'object', members })),
  ),
})).written;

export const space: fc.Arbitrary<string> = fc.string({ unit: fc.constantFrom(' ', '\n', '\t', '\r'), maxLength: 2 });

/** A text of it: `blank` gives the white space between tokens, `order` the order of an object's members. */
export function toText(
  value: Written,
  blank: () => string = () => '',
  order: <T>(members: readonly T[]) => readonly T[] = (members) => members,
): string {
  switch (value.type) {
    case 'scalar':
    case 'number':
      return blank() + value.text + blank();
    case 'list':
      return `[${blank()}${value.items.map((item) => toText(item, blank, order)).join(',')}${blank()}]`;
    case 'object': {
      const members = order(value.members).map(
        ([name, member]) => `${blank()}${JSON.stringify(name)}${blank()}:${toText(member, blank, order)}`,
      );
      return `{${members.join(',')}${blank()}}`;
    }
  }
}
