import type { Clock, EventStore, Notifier, Random, SourceQueue, Telemetry } from '../ports.ts';
import type { PipelineSettings } from './settings.ts';
import type { Meaning, SourceRecord } from './types.ts';

export interface PipelineDeps {
  readonly settings: PipelineSettings;
  readonly meaning: Meaning;
  readonly store: EventStore;
  readonly notifier: Notifier;
  readonly queue: SourceQueue;
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
}

/** What Lambda gives an invocation: an id, and the time that is left. */
export interface Invocation {
  readonly requestId: string;
  /** Epoch milliseconds on this host's clock at which the function is stopped. */
  readonly deadlineMs: number;
}

export interface BatchAnswer {
  readonly batchItemFailures: { itemIdentifier: string }[];
}

/** One per container: it keeps adaptive sizes between invocations and nothing else. */
export interface Pipeline {
  run(records: readonly SourceRecord[], invocation: Invocation): Promise<BatchAnswer>;
}

export function createPipeline(_deps: PipelineDeps): Pipeline {
  throw new Error('being written');
}
