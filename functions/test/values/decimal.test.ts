import { describe, expect, it } from '@jest/globals';
import {
  compareDecimals,
  type Decimal,
  isStorable,
  normaliseDecimal,
  numberText,
  parseDecimal,
} from '../../src/core/decimal.ts';

const decimal = (text: string) => parseDecimal(text) as Decimal;

describe('one value has one text', () => {
  it.each([
    [['1', '1.0', '1e0', '10e-1', '0.1e1', '01', '1.000'], '1'],
    [['0', '-0', '0.0', '0e9', '-0.00e-7'], '0'],
    [['1000', '1e3', '0.001e6'], '1000'],
    [['1e20', '100000000000000000000'], '100000000000000000000'],
    [['1e21', '1000000000000000000000'], '1e21'],
    [['0.000001', '1e-6'], '0.000001'],
    [['0.0000001', '1e-7', '1E-7'], '1e-7'],
    [['-12.50', '-1.25e1'], '-12.5'],
    [['12345678901234567890123.5'], '12345678901234567890123.5'],
    [['1234567890123456789012345678e1'], '12345678901234567890123456780'],
    [['12345e-40'], '1.2345e-36'],
  ])('%j is %s', (texts, expected) => {
    for (const text of texts) expect(normaliseDecimal(text)).toBe(expected);
  });

  it.each([1, 0.1, 1e21, 1e-7, 123456789.125, 5e-324, 1.7976931348623157e308, 2 ** 70, -2.5e-9])(
    'agrees for %d whether it comes as a number or as text',
    (number) => {
      expect(numberText(number)).toBe(normaliseDecimal(String(number)));
      expect(Number(numberText(number))).toBe(number);
    },
  );

  it.each(['', ' 1', '1 ', '+1', '.5', '5.', 'NaN', 'Infinity', '0x10', '1e', '1_000', '１'])(
    'takes no text that is no number: %j',
    (text) => {
      expect(parseDecimal(text)).toBeUndefined();
      expect(normaliseDecimal(text)).toBe(text);
    },
  );
});

describe('an exponent is read as long as sums of it are exact', () => {
  it.each(['1e1000000000', '-1e-1000000000'])('%s', (text) => {
    expect(normaliseDecimal(text)).toBe(text);
  });

  it.each(['1e1000000001', '1e-1000000001'])('but not %s', (text) => {
    expect(parseDecimal(text)).toBeUndefined();
  });
});

describe('what DynamoDB stores', () => {
  const nines = '9'.repeat(38);

  it.each([
    nines,
    `0.${nines}`,
    '1e-130',
    '9.9999999999999999999999999999999999999e125',
    '1e125',
    '-1e125',
    '0',
    '-1e-130',
  ])('stores %s', (text) => {
    expect(isStorable(decimal(text))).toBe(true);
  });

  it.each([`${nines}9`, `0.${nines}9`, '1e-131', '9e-131', '1e126', '10e125', '-1e126', '1e-200', '1e400'])(
    'C-49: does not store %s',
    (text) => {
      expect(isStorable(decimal(text))).toBe(false);
    },
  );

  it('does not count zeros at either end', () => {
    expect(isStorable(decimal(`${nines}000`))).toBe(true);
    expect(isStorable(decimal(`0.000${nines}000`))).toBe(true);
  });
});

describe('decimals are put in order by value', () => {
  const ascending = [
    '-1e400',
    '-9007199254740993',
    '-9007199254740992',
    '-1',
    '-0.5',
    '0',
    '1e-400',
    '0.5',
    '0.50000000000000000001',
    '1',
    '9',
    '10',
    '9007199254740992',
    '9007199254740993',
    '1e400',
  ];

  it('at any length', () => {
    for (const [i, left] of ascending.entries()) {
      for (const [j, right] of ascending.entries()) {
        expect(Math.sign(compareDecimals(decimal(left), decimal(right)))).toBe(Math.sign(i - j));
      }
    }
  });
});
