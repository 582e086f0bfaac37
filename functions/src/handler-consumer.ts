import userHandler from '#handler';
import { handlerMeaning } from './core/handler.ts';
import { startConsumer } from './start-consumer.ts';

/**
 * The Lambda entry around a handler of one's own: what an event means is said by code. Where its ids are found, the topic
 * and everything else stay configuration.
 */
export const handler = await startConsumer(({ decoding, topicArn, topicFifo }) =>
  handlerMeaning(userHandler, decoding, { topicArn, topicFifo }),
);
