/**
 * What a bundle with a user's own handler starts from. The build script writes an entry of three lines around it:
 *
 *     import { startConsumer } from '.../handler-entry.ts';
 *     import { meaningOf } from '.../their-handler.ts';
 *     export const handler = await startConsumer(meaningOf);
 *
 * The consumer of the module is the same three lines around the declarative meaning.
 */
export { type ConsumerHandler, startConsumer } from './start-consumer.ts';
