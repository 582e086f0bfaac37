import { ConfigurationError } from './core/configuration-error.ts';
import { declarativeMeaning } from './core/mapping.ts';
import { startConsumer } from './start-consumer.ts';

/** The Lambda entry of the module's own zip: what an event means is said by the module's variables. */
export const handler = await startConsumer(async ({ mapping }) => {
  if (mapping === undefined) throw new ConfigurationError('PIPELINE_CONFIG: business_key is missing.');
  // The validator is loaded only where there is a schema to compile.
  const schema = mapping.jsonSchema === undefined ? undefined : await import('./core/schema.ts');
  return declarativeMeaning(mapping, schema?.compileSchema);
});
