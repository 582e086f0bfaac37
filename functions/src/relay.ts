import type { Context } from 'aws-lambda';
import { createClients } from './aws/clients.ts';
import { systemClock, systemRandom } from './aws/clock.ts';
import { createNotifier } from './aws/notifier.ts';
import { createRelayStore } from './aws/relay-store.ts';
import { createTelemetry } from './aws/telemetry.ts';
import { readRelayConfig } from './config.ts';
import { createRelay, type RelayReport } from './core/relay.ts';
import { startUp } from './start-up.ts';

/** The Lambda entry of the relay. Its schedule says nothing but that it is time; the event is not looked at. */
export const handler = await startUp(() => {
  const config = readRelayConfig(process.env);
  const clients = createClients();
  const telemetry = createTelemetry(config.settings.pipelineName, config.logLevel);
  const relay = createRelay({
    settings: config.settings,
    store: createRelayStore({
      client: clients.dynamodb,
      processedEventsTable: process.env.PROCESSED_EVENTS_TABLE as string,
      clock: systemClock,
      random: systemRandom,
    }),
    notifier: createNotifier(clients.sns),
    clock: systemClock,
    random: systemRandom,
    telemetry,
  });
  return async (_event: unknown, context: Context): Promise<RelayReport> => {
    telemetry.begin(context);
    try {
      return await relay.run({
        requestId: context.awsRequestId,
        deadlineMs: Date.now() + context.getRemainingTimeInMillis(),
      });
    } finally {
      telemetry.flush();
    }
  };
});
