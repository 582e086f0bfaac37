import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ConfigurationError } from './configuration-error.ts';
import { readJson } from './json.ts';
import { ExactNumber, isJsonObject, type JsonObject, type JsonValue } from './json-value.ts';

/**
 * Compiles a JSON Schema at start-up: draft 2020-12, or draft-07 where `$schema` says so. `format` is an annotation, as
 * both drafts have it by default.
 */
export function compileSchema(text: string, variable: string): (event: JsonObject) => boolean {
  const schema = readJson(text);
  if (!schema.ok || !(isJsonObject(schema.value) || typeof schema.value === 'boolean')) {
    throw new ConfigurationError(`${variable} is not a JSON Schema: it must be the text of one JSON object.`);
  }
  // A message could hold `constructor` or `toString`: only its own members count.
  const options = {
    strict: true,
    strictTypes: false,
    strictRequired: false,
    strictTuples: false,
    validateFormats: false,
    ownProperties: true,
    // 19.99 is a multiple of 0.01, which division in doubles denies.
    multipleOfPrecision: 9,
    logger: false,
  } as const;
  let validate: ValidateFunction;
  try {
    const plain = toPlain(schema.value) as JsonObject;
    const draft7 = typeof plain.$schema === 'string' && plain.$schema.includes('draft-07');
    const ajv = draft7 ? new Ajv(options) : new Ajv2020(options);
    validate = ajv.compile(plain);
  } catch (cause) {
    throw new ConfigurationError(`${variable} is not a JSON Schema: ${(cause as Error).message}.`, { cause });
  }
  return (event) => {
    try {
      return validate(toPlain(event));
    } catch {
      // Comparing an object that has a member called `valueOf` throws in ajv: it equals no constant of the schema.
      return false;
    }
  };
}

/**
 * What ajv can look at: objects with the usual prototype, numbers as doubles. A number that no double holds is judged as
 * the nearest one; what is stored keeps its digits.
 */
function toPlain(value: JsonValue): unknown {
  if (value instanceof ExactNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map(toPlain);
  if (!isJsonObject(value)) return value;
  const members: [string, unknown][] = [];
  for (const member of Object.keys(value)) members.push([member, toPlain(value[member] as JsonValue)]);
  return Object.fromEntries(members);
}
