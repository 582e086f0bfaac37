import { readJson } from '../json.ts';
import type { JsonValue } from '../json-value.ts';

/** The text of the operator, or the kind of a token that has a value. */
export type TokenType =
  | '.'
  | '*'
  | '['
  | ']'
  | '[]'
  | '[?'
  | '('
  | ')'
  | '{'
  | '}'
  | ','
  | ':'
  | '@'
  | '&'
  | '&&'
  | '|'
  | '||'
  | '!'
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | 'name'
  | 'quoted name'
  | 'number'
  | 'literal'
  | 'end';

export interface Token {
  readonly type: TokenType;
  readonly value: JsonValue;
  /** Place in the expression, from 0. */
  readonly at: number;
}

/** What is wrong with an expression, in words that an operator can act on. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

const SPACE = /[ \t\n\r]+/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /-?[0-9]+/y;
const QUOTED = /"(?:[^"\\]|\\.)*"/sy;
const RAW = /'(?:[^'\\]|\\.)*'/sy;
const LITERAL = /`(?:[^`\\]|\\.)*`/sy;
const OPERATOR = /\[\]|\[\?|&&|\|\||[=!<>]=|[.*[\](){},:@&|!<>]/y;

/** Splits an expression into tokens; the last one is `end`. jmespath.org/specification.html#grammar */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  while (at < text.length) {
    const space = take(SPACE);
    if (space !== undefined) {
      at += space.length;
      continue;
    }
    const token = tokenAt(take, at);
    if (token === undefined) throw new ExpressionError(unexpected(text, at));
    tokens.push(token.token);
    at += token.length;
  }
  tokens.push({ type: 'end', value: null, at: text.length });
  return tokens;
}

type Take = (pattern: RegExp) => string | undefined;

function tokenAt(take: Take, at: number): { readonly token: Token; readonly length: number } | undefined {
  const found = (type: TokenType, source: string, value: JsonValue) => ({
    token: { type, value, at },
    length: source.length,
  });
  let source = take(NAME);
  if (source !== undefined) return found('name', source, source);
  source = take(NUMBER);
  if (source !== undefined) return found('number', source, Number(source));
  source = take(OPERATOR);
  if (source !== undefined) return found(source as TokenType, source, source);
  source = take(QUOTED);
  if (source !== undefined) return found('quoted name', source, readLiteral(source, at));
  source = take(RAW);
  if (source !== undefined) return found('literal', source, source.slice(1, -1).replaceAll("\\'", "'"));
  source = take(LITERAL);
  if (source !== undefined)
    return found('literal', source, readLiteral(source.slice(1, -1).replaceAll('\\`', '`'), at));
  return undefined;
}

/** Read as bodies are: the digits of a number in an expression count as well. */
function readLiteral(json: string, at: number): JsonValue {
  const read = readJson(json);
  if (!read.ok) throw new ExpressionError(`the literal at character ${at + 1} is not JSON`);
  return read.value;
}

function unexpected(text: string, at: number): string {
  const character = text[at] ?? '';
  const what = `'"\``.includes(character) ? `a quote is not closed` : `${JSON.stringify(character)} is not expected`;
  return `${what} at character ${at + 1}`;
}
