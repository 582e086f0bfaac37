import { isJsonObject, type JsonValue } from '../json-value.ts';
import type { Ast, Comparison } from './ast.ts';
import { FUNCTIONS } from './functions.ts';
import { ExpressionError } from './lexer.ts';
import { parse } from './parser.ts';
import { compareNumbers, compareStrings, isEqual, isNumber, isTruthy } from './value.ts';

export type Evaluate = (value: JsonValue) => JsonValue;

/**
 * Compiles a JMESPath expression into a function. Names of functions and numbers of arguments are checked here, not
 * when the first event meets them. Throws an ExpressionError. The function throws an ArgumentError.
 */
export function compile(text: string): Evaluate {
  return build(parse(text));
}

function build(ast: Ast): Evaluate {
  switch (ast.type) {
    case 'current':
      return (value) => value;
    case 'field': {
      const { name } = ast;
      return (value) => (isJsonObject(value) && Object.hasOwn(value, name) ? (value[name] ?? null) : null);
    }
    case 'literal':
      return () => ast.value;
    case 'index':
      return (value) => (Array.isArray(value) ? (value.at(ast.at) ?? null) : null);
    case 'slice':
      return (value) => (Array.isArray(value) ? slice(value, ast.start, ast.stop, ast.step) : null);
    case 'chain': {
      const [left, right] = [build(ast.left), build(ast.right)];
      return (value) => right(left(value));
    }
    case 'projection':
      return project(build(ast.left), build(ast.right));
    case 'values': {
      const left = build(ast.left);
      return project((value) => valuesOf(left(value)), build(ast.right));
    }
    case 'filter': {
      const [left, condition] = [build(ast.left), build(ast.condition)];
      return project((value) => filter(left(value), condition), build(ast.right));
    }
    case 'flatten': {
      const left = build(ast.left);
      return (value) => flatten(left(value));
    }
    case 'compare':
      return compare(ast.operator, build(ast.left), build(ast.right));
    case 'or': {
      const [left, right] = [build(ast.left), build(ast.right)];
      return (value) => firstIf(left(value), isTruthy, () => right(value));
    }
    case 'and': {
      const [left, right] = [build(ast.left), build(ast.right)];
      return (value) =>
        firstIf(
          left(value),
          (found) => !isTruthy(found),
          () => right(value),
        );
    }
    case 'not': {
      const operand = build(ast.operand);
      return (value) => !isTruthy(operand(value));
    }
    case 'list': {
      const items = ast.items.map(build);
      return (value) => (value === null ? null : items.map((item) => item(value)));
    }
    case 'object':
      return object(ast.members);
    case 'call':
      return call(ast.name, ast.args);
    case 'reference':
      throw new ExpressionError('&expression stands outside of the arguments of a function that takes one');
  }
}

function firstIf(first: JsonValue, keep: (value: JsonValue) => boolean, second: () => JsonValue): JsonValue {
  return keep(first) ? first : second();
}

/** Applies the right side to each element; nulls are dropped, as JMESPath has it. */
function project(left: Evaluate, right: Evaluate): Evaluate {
  return (value) => {
    const list = left(value);
    if (!Array.isArray(list)) return null;
    return (list as readonly JsonValue[]).map(right).filter((item) => item !== null);
  };
}

function valuesOf(value: JsonValue): JsonValue {
  return isJsonObject(value) ? Object.values(value) : null;
}

function filter(list: JsonValue, condition: Evaluate): JsonValue {
  return Array.isArray(list) ? (list as readonly JsonValue[]).filter((item) => isTruthy(condition(item))) : null;
}

function flatten(list: JsonValue): JsonValue {
  return Array.isArray(list) ? (list as readonly JsonValue[]).flat(1) : null;
}

/** As in Python: bounds from the end where negative, and cut to the list. */
function slice(list: readonly JsonValue[], start: number | null, stop: number | null, step: number): JsonValue {
  const least = step < 0 ? -1 : 0;
  const most = step < 0 ? list.length - 1 : list.length;
  const bound = (at: number) => Math.min(Math.max(at < 0 ? at + list.length : at, least), most);
  const from = start === null ? (step < 0 ? most : least) : bound(start);
  const to = stop === null ? (step < 0 ? least : most) : bound(stop);
  const items: JsonValue[] = [];
  for (let at = from; step < 0 ? at > to : at < to; at += step) items.push(list[at] as JsonValue);
  return items;
}

/** Numbers have an order, and strings (as in jmespath.py: dates can be compared); between other values it is null. */
function compare(operator: Comparison, left: Evaluate, right: Evaluate): Evaluate {
  if (operator === '==') return (value) => isEqual(left(value), right(value));
  if (operator === '!=') return (value) => !isEqual(left(value), right(value));
  return (value) => {
    const [a, b] = [left(value), right(value)];
    const order = orderOf(a, b);
    if (order === undefined) return null;
    switch (operator) {
      case '<':
        return order < 0;
      case '<=':
        return order <= 0;
      case '>':
        return order > 0;
      case '>=':
        return order >= 0;
    }
  };
}

function orderOf(left: JsonValue, right: JsonValue): number | undefined {
  if (isNumber(left) && isNumber(right)) return compareNumbers(left, right);
  return typeof left === 'string' && typeof right === 'string' ? compareStrings(left, right) : undefined;
}

function object(members: readonly { readonly name: string; readonly value: Ast }[]): Evaluate {
  const built = members.map(({ name, value }) => [name, build(value)] as const);
  return (value) => {
    if (value === null) return null;
    const found: { [member: string]: JsonValue } = Object.create(null);
    for (const [name, member] of built) found[name] = member(value);
    return found;
  };
}

function call(name: string, args: readonly Ast[]): Evaluate {
  const builtin = FUNCTIONS.get(name);
  if (builtin === undefined) throw new ExpressionError(`there is no function ${name}()`);
  const [least, most] = builtin.takes === 'values' ? [builtin.least, builtin.most] : [2, 2];
  if (args.length < least || args.length > most) {
    const more = most === Number.POSITIVE_INFINITY ? ' or more' : '';
    throw new ExpressionError(`${name}() takes ${least}${more} arguments, not ${args.length}`);
  }
  const [first, second] = args as [Ast, Ast];
  switch (builtin.takes) {
    case 'values': {
      const built = args.map(build);
      return (value) => builtin.call(...built.map((arg) => arg(value)));
    }
    case 'list and reference': {
      const [list, key] = [build(first), reference(name, second)];
      return (value) => builtin.call(list(value), key);
    }
    case 'reference and list': {
      const [apply, list] = [reference(name, first), build(second)];
      return (value) => builtin.call(apply, list(value));
    }
  }
}

function reference(name: string, arg: Ast): Evaluate {
  if (arg.type !== 'reference') throw new ExpressionError(`${name}() takes an &expression there`);
  return build(arg.operand);
}
