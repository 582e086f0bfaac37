import type { JsonValue } from '../json-value.ts';
import type { Ast, Comparison } from './ast.ts';
import { ExpressionError, type Token, type TokenType, tokenize } from './lexer.ts';

/** How strongly an operator binds what is on its left; all other tokens end an expression. */
const POWER: { readonly [type in TokenType]?: number } = {
  '|': 1,
  '||': 2,
  '&&': 3,
  '==': 5,
  '!=': 5,
  '<': 5,
  '<=': 5,
  '>': 5,
  '>=': 5,
  '[]': 9,
  '*': 20,
  '[?': 21,
  '.': 40,
  '!': 45,
  '{': 50,
  '[': 55,
  '(': 60,
};

/** Operators below it end a projection: what follows is applied to the whole list. */
const PROJECTION_STOP = 10;

const CURRENT: Ast = { type: 'current' };

/** Parses a JMESPath expression; throws an ExpressionError. jmespath.org/specification.html#grammar */
export function parse(text: string): Ast {
  const parser = new Parser(tokenize(text));
  return parser.whole();
}

/** A Pratt parser, as the reference implementations have it. */
class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Ast {
    const ast = this.#expression(0);
    this.#expect('end');
    return ast;
  }

  #expression(power: number): Ast {
    let left = this.#prefix(this.#next());
    while (power < this.#power()) left = this.#infix(left, this.#next());
    return left;
  }

  #prefix(token: Token): Ast {
    switch (token.type) {
      case 'literal':
        return { type: 'literal', value: token.value };
      case 'name':
        return { type: 'field', name: String(token.value), quoted: false };
      case 'quoted name':
        return { type: 'field', name: String(token.value), quoted: true };
      case '@':
        return CURRENT;
      case '*':
        return { type: 'values', left: CURRENT, right: this.#projected(20) };
      case '[?':
        return this.#filter(CURRENT);
      case '[]':
        return { type: 'projection', left: { type: 'flatten', left: CURRENT }, right: this.#projected(9) };
      case '!':
        return { type: 'not', operand: this.#expression(45) };
      case '&':
        return { type: 'reference', operand: this.#expression(0) };
      case '(': {
        const inner = this.#expression(0);
        this.#expect(')');
        return inner;
      }
      case '{':
        return this.#object();
      case '[':
        return this.#bracket(CURRENT) ?? this.#list();
      default:
        return this.#refuse(token);
    }
  }

  #infix(left: Ast, token: Token): Ast {
    // `!a.b` is `(!a).b` to JMESPath, which never finds anything: in a filter it would drop every event without a word.
    if (left.type === 'not' && (token.type === '.' || token.type.startsWith('['))) {
      throw new ExpressionError('! binds more tightly than what follows: write !(a.b) for !a.b');
    }
    switch (token.type) {
      case '.':
        if (this.#peek().type !== '*') return { type: 'chain', left, right: this.#member(40) };
        this.#next();
        return { type: 'values', left, right: this.#projected(40) };
      case '|':
        return { type: 'chain', left, right: this.#expression(1) };
      case '||':
        return { type: 'or', left, right: this.#expression(2) };
      case '&&':
        return { type: 'and', left, right: this.#expression(3) };
      case '==':
      case '!=':
      case '<':
      case '<=':
      case '>':
      case '>=':
        return { type: 'compare', operator: token.type satisfies Comparison, left, right: this.#expression(5) };
      case '[?':
        return this.#filter(left);
      case '[]':
        return { type: 'projection', left: { type: 'flatten', left }, right: this.#projected(9) };
      case '[':
        return this.#bracket(left) ?? this.#refuse(this.#peek());
      case '(':
        return this.#call(left, token);
      default:
        return this.#refuse(token);
    }
  }

  /** After `[`: an index, a slice or `*`; undefined for anything else, of which nothing is taken. */
  #bracket(left: Ast): Ast | undefined {
    const token = this.#peek();
    if (token.type === 'number' && this.#peek(1).type !== ':') {
      this.#next();
      this.#expect(']');
      return { type: 'chain', left, right: { type: 'index', at: Number(token.value) } };
    }
    if (token.type === 'number' || token.type === ':') {
      return { type: 'projection', left: { type: 'chain', left, right: this.#slice() }, right: this.#projected(20) };
    }
    if (token.type === '*' && this.#peek(1).type === ']') {
      this.#next();
      this.#next();
      return { type: 'projection', left, right: this.#projected(20) };
    }
    return undefined;
  }

  #slice(): Ast {
    const parts: [number | null, number | null, number | null] = [null, null, null];
    let part = 0;
    while (this.#peek().type !== ']') {
      const token = this.#next();
      if (token.type === ':' && part < 2) part += 1;
      else if (token.type === 'number' && parts[part] === null) parts[part] = Number(token.value);
      else this.#refuse(token);
    }
    this.#expect(']');
    const [start, stop, step] = parts;
    if (step === 0) throw new ExpressionError('the step of a slice cannot be 0');
    return { type: 'slice', start, stop, step: step ?? 1 };
  }

  #filter(left: Ast): Ast {
    const condition = this.#expression(0);
    this.#expect(']');
    const right = this.#peek().type === '[]' ? CURRENT : this.#projected(21);
    return { type: 'filter', left, right, condition };
  }

  /** What is applied to each element of a projection. */
  #projected(power: number): Ast {
    if (this.#power() < PROJECTION_STOP) return CURRENT;
    const token = this.#peek();
    if (token.type === '[' || token.type === '[?') return this.#expression(power);
    if (token.type !== '.') return this.#refuse(token);
    this.#next();
    return this.#member(power);
  }

  /** After a dot. */
  #member(power: number): Ast {
    const token = this.#peek();
    switch (token.type) {
      case 'name':
      case 'quoted name':
      case '*':
        return this.#expression(power);
      case '[':
        this.#next();
        return this.#list();
      case '{':
        this.#next();
        return this.#object();
      default:
        return this.#refuse(token);
    }
  }

  #list(): Ast {
    const items: Ast[] = [];
    do items.push(this.#expression(0));
    while (this.#took(','));
    this.#expect(']');
    return { type: 'list', items };
  }

  #object(): Ast {
    const members: { name: string; value: Ast }[] = [];
    do {
      const token = this.#next();
      if (token.type !== 'name' && token.type !== 'quoted name') this.#refuse(token);
      this.#expect(':');
      members.push({ name: String(token.value), value: this.#expression(0) });
    } while (this.#took(','));
    this.#expect('}');
    return { type: 'object', members };
  }

  #call(left: Ast, token: Token): Ast {
    if (left.type !== 'field' || left.quoted) return this.#refuse(token);
    const args: Ast[] = [];
    if (!this.#took(')')) {
      do args.push(this.#expression(0));
      while (this.#took(','));
      this.#expect(')');
    }
    return { type: 'call', name: left.name, args };
  }

  #peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)] as Token;
  }

  #next(): Token {
    const token = this.#peek();
    this.#at += 1;
    return token;
  }

  #power(): number {
    return POWER[this.#peek().type] ?? 0;
  }

  #took(type: TokenType): boolean {
    if (this.#peek().type !== type) return false;
    this.#at += 1;
    return true;
  }

  #expect(type: TokenType): void {
    if (!this.#took(type)) this.#refuse(this.#peek());
  }

  #refuse(token: Token): never {
    if (token.type === 'end') throw new ExpressionError('it ends too early');
    throw new ExpressionError(`${describe(token.value)} is not expected at character ${token.at + 1}`);
  }
}

function describe(value: JsonValue): string {
  return JSON.stringify(value);
}
