import { search } from '@aws-lambda-powertools/jmespath';
import { ConfigurationError } from './configuration-error.ts';
import { isJsonObject, type JsonValue } from './json-value.ts';

/** Finds a value in an event; null where it finds nothing. Throws when a function of it gets a value it cannot take. */
export type Expression = (event: JsonValue) => JsonValue;

const PLAIN_PATH = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$/;

/**
 * Compiles a JMESPath expression at start-up. One that is refused throws a ConfigurationError that names the variable.
 * A plain path, which is what most mappings hold, becomes plain member reads.
 */
export function compileExpression(text: string, variable: string): Expression {
  if (text.trim() === '') throw new ConfigurationError(`${variable} is empty: write a JMESPath expression, or leave it out.`);
  const path = text.trim();
  if (PLAIN_PATH.test(path)) return memberPath(path.split('.'));
  try {
    search(text, {});
  } catch (cause) {
    throw new ConfigurationError(`${variable} is not a JMESPath expression: ${(cause as Error).message}.`, { cause });
  }
  return (event) => search(text, event as never) as JsonValue;
}

function memberPath(members: readonly string[]): Expression {
  return (event) => {
    let found: JsonValue = event;
    for (const member of members) found = memberOf(found, member);
    return found;
  };
}

function memberOf(value: JsonValue, member: string): JsonValue {
  return isJsonObject(value) && Object.hasOwn(value, member) ? (value[member] ?? null) : null;
}

/** JMESPath's truth: null, false and whatever is empty are false; every number is true. */
export function isTruthy(value: JsonValue): boolean {
  if (value === null || value === false || value === '') return false;
  if (Array.isArray(value)) return value.length > 0;
  return isJsonObject(value) ? Object.keys(value).length > 0 : true;
}
