import type { Clock, EventStore, Notifier, Random, Telemetry } from '../ports.ts';
import type { Deadline } from './deadline.ts';
import type { LeaseBounds } from './lease.ts';

/** What the stages that move a committed event on to `sent` share; the consumer and the relay both have it. */
export interface DeliveryContext {
  readonly store: EventStore;
  readonly notifier: Notifier;
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
  readonly deadline: Deadline;
  readonly settings: LeaseBounds & {
    readonly retentionDays: number;
    readonly topicMaxBytes: number;
    readonly concurrency: number;
  };
}
