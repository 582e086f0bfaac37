import { Functions } from '@aws-lambda-powertools/jmespath/functions';
import { doubles } from './doubles.ts';
import { readJson, writeJson } from './json.ts';
import { ExactNumber, isPresent, type JsonValue } from './json-value.ts';

type Call = (args: readonly JsonValue[]) => JsonValue | undefined;

/** `&expression` as its functions get it. */
interface Reference {
  visit(value: JsonValue): JsonValue | undefined;
}

/** Powertools' functions, and the first exception that one of them threw in an evaluation. */
export interface GuardedFunctions {
  readonly functions: Functions;
  failure: unknown;
}

/**
 * What Powertools 2.36 does to values that may not be changed here, each to be dropped with the release that mends it.
 * The functions themselves stay Powertools'.
 */
const GUARDS: Readonly<Record<string, (theirs: Call) => Call>> = {
  // They sort and reverse in place: the event that is written afterwards, or the expression's own literal.
  funcSort: onCopy,
  funcReverse: onCopy,
  // They answer null for 0, false and ''.
  funcNotNull: () => (args) => args.find(isPresent) ?? null,
  funcMap: (theirs) => (args) => {
    const [reference, list] = args as unknown as [Reference, readonly JsonValue[]];
    const found = theirs(args) as readonly JsonValue[];
    return found.map((item, at) => item ?? reference.visit(list[at] as JsonValue) ?? null);
  },
};

/** Numbers that no double holds: written with every digit, and never made from a text. */
const EXACT_GUARDS: typeof GUARDS = {
  funcToString: (theirs) => (args) =>
    args.length === 1 && typeof args[0] === 'object' ? writeJson(args[0]) : theirs(args),
  funcToNumber: (theirs) => (args) => {
    const read = typeof args[0] === 'string' ? readJson(args[0]) : undefined;
    if (read?.ok === true && read.value instanceof ExactNumber) throw new TypeError('to_number() would lose digits');
    return theirs(args);
  },
};

/** The same for an evaluation in which every number is a double. */
const DOUBLE_GUARDS: typeof GUARDS = {
  funcToString: (theirs) => (args) => theirs(args.map(doubles)),
};

/** Makes the functions once for all evaluations: Powertools makes and lists them for each one otherwise. */
export function guardedFunctions(numbers: 'exact' | 'double'): GuardedFunctions {
  const functions = new Functions();
  const names = functions.introspectMethods();
  functions.introspectMethods = () => names;
  const guarded: GuardedFunctions = { functions, failure: undefined };
  const guards = { ...GUARDS, ...(numbers === 'exact' ? EXACT_GUARDS : DOUBLE_GUARDS) };
  const calls = functions as unknown as Record<string, Call>;
  for (const name of names) {
    const theirs = (calls[name] as Call).bind(functions);
    const call = guards[name]?.(theirs) ?? theirs;
    // Its interpreter swallows every exception but three of its own, and goes on with undefined: keep it to be thrown.
    calls[name] = (args) => {
      try {
        return call(args);
      } catch (error) {
        guarded.failure ??= error;
        throw error;
      }
    };
  }
  return guarded;
}

function onCopy(theirs: Call): Call {
  return ([list, ...more]) => theirs([Array.isArray(list) ? [...list] : (list ?? null), ...more]);
}
