import type { AttributeMap, AttributeValue } from '../../functions/src/core/attribute-value.ts';

/**
 * Enough of DynamoDB's condition and update expressions to run, not to pretend: attribute_exists, attribute_not_exists,
 * comparisons, AND, OR, NOT and parentheses; SET with a value, `+`, `-` and if_not_exists, REMOVE and ADD. Anything else
 * throws, so that a shape that this file does not know fails the run loudly.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html
 */
export interface Placeholders {
  readonly names?: Readonly<Record<string, string>> | undefined;
  readonly values?: AttributeMap | undefined;
}

type Item = AttributeMap | undefined;
type Operand = (item: Item, of: Placeholders) => AttributeValue | undefined;
type Test = (item: Item, of: Placeholders) => boolean;
type Change = (item: { [name: string]: AttributeValue }, old: Item, of: Placeholders) => void;

const tests = new Map<string, Test>();
const changes = new Map<string, readonly Change[]>();

export function holds(expression: string, item: Item, of: Placeholders): boolean {
  let test = tests.get(expression);
  if (test === undefined) {
    const parser = new Parser(expression);
    test = parser.or();
    parser.end();
    tests.set(expression, test);
  }
  return test(item, of);
}

export function applyUpdate(expression: string, item: Item, key: AttributeMap, of: Placeholders): AttributeMap {
  let steps = changes.get(expression);
  if (steps === undefined) {
    const parser = new Parser(expression);
    steps = parser.update();
    parser.end();
    changes.set(expression, steps);
  }
  const next = { ...(item ?? key) };
  for (const step of steps) step(next, item, of);
  return next;
}

class Parser {
  readonly #tokens: readonly string[];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = text.match(/<>|<=|>=|[<>=(),+-]|[#:]?[A-Za-z_][\w]*/g) ?? [];
  }

  end(): void {
    if (this.#at < this.#tokens.length) this.#fail();
  }

  or(): Test {
    let left = this.#and();
    while (this.#takeWord('OR')) {
      const [a, b] = [left, this.#and()];
      left = (item, of) => a(item, of) || b(item, of);
    }
    return left;
  }

  update(): Change[] {
    const steps: Change[] = [];
    while (this.#at < this.#tokens.length) {
      if (this.#takeWord('SET')) {
        do {
          const path = this.#path();
          this.#take('=');
          const value = this.#sum();
          steps.push((item, old, of) => {
            item[path(of)] = required(value(old, of));
          });
        } while (this.#takeIf(','));
      } else if (this.#takeWord('REMOVE')) {
        do {
          const path = this.#path();
          steps.push((item, _, of) => {
            delete item[path(of)];
          });
        } while (this.#takeIf(','));
      } else if (this.#takeWord('ADD')) {
        do {
          const path = this.#path();
          const value = this.#operand();
          steps.push((item, old, of) => {
            const name = path(of);
            item[name] = { N: String(numberOf(old?.[name] ?? { N: '0' }) + numberOf(required(value(old, of)))) };
          });
        } while (this.#takeIf(','));
      } else {
        this.#fail();
      }
    }
    return steps;
  }

  #and(): Test {
    let left = this.#not();
    while (this.#takeWord('AND')) {
      const [a, b] = [left, this.#not()];
      left = (item, of) => a(item, of) && b(item, of);
    }
    return left;
  }

  #not(): Test {
    if (this.#takeWord('NOT')) {
      const inner = this.#not();
      return (item, of) => !inner(item, of);
    }
    if (this.#takeIf('(')) {
      const inner = this.or();
      this.#take(')');
      return inner;
    }
    for (const [word, wanted] of [
      ['attribute_exists', true],
      ['attribute_not_exists', false],
    ] as const) {
      if (!this.#takeWord(word)) continue;
      this.#take('(');
      const path = this.#path();
      this.#take(')');
      return (item, of) => (item?.[path(of)] !== undefined) === wanted;
    }
    const left = this.#operand();
    const operator = this.#next();
    const right = this.#operand();
    const compare = COMPARISONS[operator] ?? this.#fail();
    return (item, of) => {
      const [a, b] = [left(item, of), right(item, of)];
      // A comparison with an attribute that is not there is false, `<>` included for a missing operand on the left.
      if (a === undefined || b === undefined) return operator === '<>' && a !== b;
      return compare(order(a, b));
    };
  }

  #sum(): Operand {
    let left = this.#operand();
    for (;;) {
      const sign = this.#takeIf('+') ? 1 : this.#takeIf('-') ? -1 : 0;
      if (sign === 0) return left;
      const [a, b] = [left, this.#operand()];
      left = (item, of) => ({ N: String(numberOf(required(a(item, of))) + sign * numberOf(required(b(item, of)))) });
    }
  }

  #operand(): Operand {
    if (this.#takeWord('if_not_exists')) {
      this.#take('(');
      const path = this.#path();
      this.#take(',');
      const other = this.#operand();
      this.#take(')');
      return (item, of) => item?.[path(of)] ?? other(item, of);
    }
    const token = this.#tokens[this.#at];
    if (token?.startsWith(':')) {
      this.#at += 1;
      return (_, of) => required(of.values?.[token]);
    }
    const path = this.#path();
    return (item, of) => item?.[path(of)];
  }

  #path(): (of: Placeholders) => string {
    const token = this.#next();
    if (token.startsWith('#')) return (of) => required(of.names?.[token]);
    if (!/^[A-Za-z_]\w*$/.test(token)) this.#fail();
    return () => token;
  }

  #next(): string {
    const token = this.#tokens[this.#at] ?? this.#fail();
    this.#at += 1;
    return token;
  }

  #take(token: string): void {
    if (!this.#takeIf(token)) this.#fail();
  }

  #takeIf(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at += 1;
    return true;
  }

  #takeWord(word: string): boolean {
    if (this.#tokens[this.#at]?.toUpperCase() !== word.toUpperCase()) return false;
    this.#at += 1;
    return true;
  }

  #fail(): never {
    throw new Error(`the simulated DynamoDB does not know this expression: ${this.#text}`);
  }
}

const COMPARISONS: Readonly<Record<string, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/** NaN, and so false for everything but `<>`, when the types differ. */
function order(a: AttributeValue, b: AttributeValue): number {
  if ('N' in a && 'N' in b) return numberOf(a) - numberOf(b);
  if ('S' in a && 'S' in b) return a.S < b.S ? -1 : a.S > b.S ? 1 : 0;
  return JSON.stringify(a) === JSON.stringify(b) ? 0 : Number.NaN;
}

function numberOf(value: AttributeValue): number {
  if (!('N' in value)) throw new Error('not a number');
  return Number(value.N);
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('an expression uses a placeholder or an attribute that is not there');
  return value;
}
