import { search } from '@aws-lambda-powertools/jmespath';
import { ConfigurationError } from './configuration-error.ts';
import { doubles, holdsExactNumber } from './doubles.ts';
import { refusal } from './expression-check.ts';
import { type GuardedFunctions, guardedFunctions } from './expression-functions.ts';
import { writeJson } from './json.ts';
import { ExactNumber, isJsonObject, type JsonValue } from './json-value.ts';

/** Finds a value in an event; null where it finds nothing. Throws when a function of it gets a value it cannot take. */
export type Expression = (event: JsonValue) => JsonValue;

/** Members joined by dots, which nearly every expression is: read without a look through the whole event. */
const PLAIN_PATH = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/;

const EXACT = guardedFunctions('exact');
const DOUBLE = guardedFunctions('double');

/** Compiles a JMESPath expression at start-up. One that is refused throws a ConfigurationError that names the variable. */
export function compileExpression(text: string, variable: string): Expression {
  const path = plainPath(text, variable);
  if (path !== undefined) return (event) => member(event, path);
  return (event) => {
    const found = evaluate(text, event, EXACT);
    if (holdsExactNumber(event)) mustNotLookInside(text, event);
    return found;
  };
}

/**
 * Compiles a condition: whether an expression finds something that JMESPath holds for true. It judges doubles, so that
 * `amount > 100` is true for an amount of thirty digits too.
 */
export function compileCondition(text: string, variable: string): (event: JsonValue) => boolean {
  plainPath(text, variable);
  // Powertools decides what is true: it has no function for it, but an operator.
  const untrue = `!(${text})`;
  return (event) => evaluate(untrue, holdsExactNumber(event) ? doubles(event) : event, DOUBLE) === false;
}

/** The names of a plain path; undefined for any other expression. */
function plainPath(text: string, variable: string): readonly string[] | undefined {
  if (text.trim() === '') {
    throw new ConfigurationError(`${variable} is empty: write a JMESPath expression, or leave it out.`);
  }
  if (PLAIN_PATH.test(text)) return text.split('.');
  const reason = refusal(text);
  if (reason === undefined) return undefined;
  throw new ConfigurationError(`${variable} is no JMESPath expression for a pipeline: ${reason}, in ${text}`);
}

function member(event: JsonValue, path: readonly string[]): JsonValue {
  let value: JsonValue = event;
  for (const name of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return null;
    value = value[name] ?? null;
  }
  return value;
}

function evaluate(text: string, event: JsonValue, guarded: GuardedFunctions): JsonValue {
  guarded.failure = undefined;
  const found = search(text, event as object, { customFunctions: guarded.functions });
  if (guarded.failure !== undefined) throw guarded.failure;
  return jsonOf(found);
}

/**
 * To Powertools an {@link ExactNumber} is an object. It may be passed on, never compared, added or read: an expression
 * that does so finds something else when the same numbers are doubles. It throws then, instead of a wrong value.
 */
function mustNotLookInside(text: string, event: JsonValue): void {
  const exact = doubles(evaluate(text, event, DOUBLE));
  if (writeJson(exact) === writeJson(evaluate(text, doubles(event), DOUBLE))) return;
  throw new TypeError('a number with more digits than a double holds can be passed on, not computed with');
}

/** What Powertools found as a value of ours: undefined, its answer to an order of other things than numbers, is null. */
function jsonOf(found: unknown): JsonValue {
  if (found === undefined || found === null) return null;
  if (typeof found === 'number' && !Number.isFinite(found)) throw new RangeError('not a number');
  if (typeof found === 'function' || found === Object.prototype || found === ExactNumber.prototype) {
    throw new TypeError('not a value of the event');
  }
  if (typeof found !== 'object' || found instanceof ExactNumber) return found as JsonValue;
  const prototype: unknown = Object.getPrototypeOf(found);
  if (!Array.isArray(found) && prototype !== null && prototype !== Object.prototype) {
    throw new TypeError('not a value of the event');
  }
  // In place where Powertools made it; whatever belongs to the event has nothing to change.
  const parts = found as { [member: string]: unknown };
  for (const name of Object.keys(parts)) {
    const part = parts[name];
    const value = jsonOf(part);
    if (value !== part) parts[name] = value;
  }
  return found as JsonValue;
}
