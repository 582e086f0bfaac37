import { ConfigurationError } from './core/configuration-error.ts';
import { declarativeMeaning } from './core/mapping.ts';
import { startConsumer } from './start-consumer.ts';

/** The Lambda entry of the module's own zip: what an event means is said by the module's variables. */
export const handler = startConsumer(({ mapping }) => {
  if (mapping === undefined) throw new ConfigurationError('PIPELINE_CONFIG: business_key is missing.');
  return declarativeMeaning(mapping);
});
