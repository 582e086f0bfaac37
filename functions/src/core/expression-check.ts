import { search } from '@aws-lambda-powertools/jmespath';
import { holdsExactNumber } from './doubles.ts';
import { readJson } from './json.ts';

const QUOTED = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/gs;

/** Why an expression is refused at start-up; undefined for one that may be used. */
export function refusal(text: string): string | undefined {
  return refusedByLibrary(text) ?? unknownFunction(text) ?? neverFinds(text) ?? changesValues(text);
}

/** Parses it, and evaluates it against events with nothing in them: as much as the library offers before an event. */
function refusedByLibrary(text: string): string | undefined {
  for (const nothing of [null, {}]) {
    try {
      search(text, nothing);
    } catch (error) {
      const { name, message } = error as Error;
      // An event brings other types; everything else is the same for every event.
      if (name !== 'JMESPathTypeError') return message.replace(` in expression: ${text}`, '');
    }
  }
  return undefined;
}

/** Where the probe does not come by, such as inside of a projection. The library says which functions it has. */
function unknownFunction(text: string): string | undefined {
  for (const [, name] of bare(text).matchAll(/([A-Za-z_]\w*)\s*\(/g)) {
    try {
      search(`${name}()`, null);
    } catch (error) {
      if ((error as Error).name === 'UnknownFunctionError') return `Unknown function: ${name}()`;
    }
  }
  return undefined;
}

/** What is valid, but finds nothing in any event: as a filter it would acknowledge every event without a word. */
function neverFinds(text: string): string | undefined {
  const rest = bare(text);
  // The commonest slip: double quotes name a member, so kind == "order" compares with a member that is never there.
  const slip = /[=!<>]=?\s*"([A-Za-z_]\w*)"\s*(?:$|[)\]|&,])/.exec(
    text.replace(/'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/gs, "''"),
  );
  if (slip !== null)
    return `"${slip[1]}" in double quotes names a member: write '${slip[1]}' for the string, or no quotes for the member`;
  const not = /!\s*\w+\s*\./.exec(rest);
  if (not !== null) return '! binds more tightly than a dot: write !(a.b), not !a.b';
  return /[<>]=?\s*§|§\s*[<>]/.test(rest)
    ? 'strings have no order in JMESPath: <, <=, > and >= compare numbers only'
    : undefined;
}

function changesValues(text: string): string | undefined {
  for (const [quoted] of text.matchAll(QUOTED)) {
    const literal = quoted.startsWith('`') ? readJson(quoted.slice(1, -1).replaceAll('\\`', '`')) : undefined;
    if (literal?.ok === true && holdsExactNumber(literal.value)) {
      return `the literal ${quoted} has a number with more digits than a double holds`;
    }
  }
  return /__proto__"?\s*:/.test(text) ? 'no object may have a member __proto__' : undefined;
}

/** The text without what is quoted: § stands for a string, N for a name. */
function bare(text: string): string {
  return text.replace(QUOTED, (quoted) =>
    quoted.startsWith("'") || /^`\s*"/.test(quoted) ? '§' : quoted.startsWith('"') ? 'N' : '` `',
  );
}
