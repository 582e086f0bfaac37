import type { Context } from 'aws-lambda';
import { createClients } from './aws/clients.ts';
import { systemClock, systemRandom } from './aws/clock.ts';
import { createNotifier } from './aws/notifier.ts';
import { createRelayStore } from './aws/relay-store.ts';
import { createTelemetry } from './aws/telemetry.ts';
import { readRelayConfig } from './config.ts';
import { createRelay, type RelayReport } from './core/relay.ts';
import { startUp } from './start-up.ts';

/** The Lambda entry of the relay. Its schedule says when it is due; anything else that invokes it says nothing. */
export const handler = await startUp(() => {
  const config = readRelayConfig(process.env);
  const clients = createClients();
  const telemetry = createTelemetry(config.settings.pipelineName, config.logLevel);
  const relay = createRelay({
    settings: config.settings,
    store: createRelayStore({
      client: clients.dynamodb,
      processedEventsTable: config.processedEventsTable,
      clock: systemClock,
      random: systemRandom,
    }),
    notifier: createNotifier(clients.sns),
    clock: systemClock,
    random: systemRandom,
    telemetry,
  });
  return async (event: { readonly time?: unknown } | null, context: Context): Promise<RelayReport> => {
    telemetry.begin(context);
    try {
      return await relay.run({
        requestId: context.awsRequestId,
        deadlineMs: Date.now() + context.getRemainingTimeInMillis(),
        ...dueAt(event?.time),
      });
    } finally {
      telemetry.flush();
    }
  };
});

/** `time` of a scheduled event. docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-rule-schedule.html */
function dueAt(time: unknown): { dueAtMs?: number } {
  const dueAtMs = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(dueAtMs) ? {} : { dueAtMs };
}
