import { type BusinessMapping, businessWriter } from './business-write.ts';
import { ConfigurationError } from './configuration-error.ts';
import { attempt, createDecoder, type DecodeMapping } from './decode.ts';
import type { JsonObject } from './json-value.ts';
import { type NotificationMapping, notificationRenderer } from './render-notification.ts';
import type { Meaning } from './types.ts';

/** What an event means, as the operator says it in the module's variables. Names follow the variables. */
export interface Mapping extends DecodeMapping, BusinessMapping, NotificationMapping {
  /** The text of a JSON Schema that every event must match. */
  readonly jsonSchema?: string;
}

/**
 * Compiles the text of a JSON Schema. It is handed in, so that a function without a schema never loads the validator,
 * which is a tenth of a cold start.
 */
export type SchemaCompiler = (text: string, variable: string) => (event: JsonObject) => boolean;

/**
 * The meaning that needs no code. Everything that can be refused is refused here, at start-up, with a
 * ConfigurationError; afterwards an event is planned or has a permanent reason, and nothing throws.
 */
export function declarativeMeaning(mapping: Mapping, compileSchema?: SchemaCompiler): Meaning {
  const { decode } = createDecoder(mapping);
  if (mapping.jsonSchema !== undefined && compileSchema === undefined) {
    throw new ConfigurationError('json_schema is set, but this package was bundled without a validator.');
  }
  const matches = mapping.jsonSchema === undefined ? undefined : compileSchema?.(mapping.jsonSchema, 'json_schema');
  const toWrite = businessWriter(mapping);
  const render = notificationRenderer(mapping);
  return {
    decode,
    plan(event) {
      if (matches !== undefined && !matches(event.payload)) return { kind: 'rejected', reason: 'schema_violation' };
      const write = attempt(toWrite, event.payload);
      if (!write.ok) return { kind: 'rejected', reason: write.reason };
      const notification = attempt(render, event);
      if (!notification.ok) return { kind: 'rejected', reason: notification.reason };
      return { kind: 'plan', plan: { writes: [write.value], notifications: [notification.value] } };
    },
  };
}
