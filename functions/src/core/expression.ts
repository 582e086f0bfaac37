import { ConfigurationError } from './configuration-error.ts';
import { compile } from './jmespath/compile.ts';
import type { JsonValue } from './json-value.ts';

/** Finds a value in an event; null where it finds nothing. Throws when a function of it gets a value it cannot take. */
export type Expression = (event: JsonValue) => JsonValue;

/** Compiles a JMESPath expression at start-up. One that is refused throws a ConfigurationError that names the variable. */
export function compileExpression(text: string, variable: string): Expression {
  if (text.trim() === '') {
    throw new ConfigurationError(`${variable} is empty: write a JMESPath expression, or leave it out.`);
  }
  try {
    return compile(text);
  } catch (cause) {
    throw new ConfigurationError(`${variable} is no JMESPath expression: ${(cause as Error).message} in ${text}`, {
      cause,
    });
  }
}
