import type { Context } from 'aws-lambda';
import { createClients } from './aws/clients.ts';
import { systemClock, systemRandom } from './aws/clock.ts';
import { createEventStore } from './aws/event-store.ts';
import { createLazySourceQueue } from './aws/lazy-source-queue.ts';
import { createNotifier } from './aws/notifier.ts';
import { readRecords, type SourceEvent } from './aws/records.ts';
import { createTelemetry } from './aws/telemetry.ts';
import { type ConsumerConfig, readConsumerConfig } from './config.ts';
import { type BatchAnswer, createPipeline } from './core/pipeline.ts';
import type { Meaning } from './core/types.ts';
import { startUp } from './start-up.ts';

export type ConsumerHandler = (event: SourceEvent, context: Context) => Promise<BatchAnswer>;

/**
 * Reads the configuration, makes the clients and one pipeline, and gives the function that Lambda calls. What an event
 * means is the one thing that is handed in.
 */
export function startConsumer(
  meaningOf: (config: ConsumerConfig) => Meaning | Promise<Meaning>,
): Promise<ConsumerHandler> {
  return startUp(async () => {
    const config = readConsumerConfig(process.env);
    const { settings } = config;
    const clients = createClients();
    const telemetry = createTelemetry(settings.pipelineName, config.logLevel);
    const pipeline = createPipeline({
      settings,
      meaning: await meaningOf(config),
      store: createEventStore({
        client: clients.dynamodb,
        processedEventsTable: settings.processedEventsTable,
        clock: systemClock,
        random: systemRandom,
      }),
      notifier: createNotifier(clients.sns),
      queue: createLazySourceQueue({ queueUrl: config.queueUrl, deadLetterQueueUrl: config.dlqUrl }),
      clock: systemClock,
      random: systemRandom,
      telemetry,
    });
    return async (event, context) => {
      telemetry.begin(context);
      try {
        return await pipeline.run(readRecords(event), {
          requestId: context.awsRequestId,
          deadlineMs: Date.now() + context.getRemainingTimeInMillis(),
        });
      } finally {
        telemetry.flush();
      }
    };
  });
}
