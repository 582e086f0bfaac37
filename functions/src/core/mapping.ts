import { type BusinessMapping, businessWriter } from './business-write.ts';
import { attempt, createDecoder, type DecodeMapping } from './decode.ts';
import { type NotificationMapping, notificationRenderer } from './render-notification.ts';
import { compileSchema } from './schema.ts';
import type { Meaning } from './types.ts';

/** What an event means, as the operator says it in the module's variables. Names follow the variables. */
export interface Mapping extends DecodeMapping, BusinessMapping, NotificationMapping {
  /** The text of a JSON Schema that every event must match. */
  readonly jsonSchema?: string;
}

/**
 * The meaning that needs no code. Everything that can be refused is refused here, at start-up, with a
 * ConfigurationError; afterwards an event is planned or has a permanent reason, and nothing throws.
 */
export function declarativeMeaning(mapping: Mapping): Meaning {
  const decoder = createDecoder(mapping);
  const matches = mapping.jsonSchema === undefined ? undefined : compileSchema(mapping.jsonSchema, 'json_schema');
  const toWrite = businessWriter(mapping);
  const render = notificationRenderer(mapping);
  return {
    decode: decoder.decode,
    plan(event) {
      if (!decoder.isOurs(event)) return { kind: 'not_ours', reason: 'filtered' };
      if (matches !== undefined && !matches(event.payload)) return { kind: 'rejected', reason: 'schema_violation' };
      const write = attempt(() => toWrite(event.payload));
      if (!write.ok) return { kind: 'rejected', reason: write.reason };
      const notification = attempt(() => render(event));
      if (!notification.ok) return { kind: 'rejected', reason: notification.reason };
      return { kind: 'plan', plan: { writes: [write.value], notifications: [notification.value] } };
    },
  };
}
