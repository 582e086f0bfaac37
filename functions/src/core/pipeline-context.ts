import type { SourceQueue } from '../ports.ts';
import type { Adaptive } from './adaptive.ts';
import type { DeliveryContext } from './context.ts';
import type { PipelineSettings } from './settings.ts';
import type { Meaning } from './types.ts';

/** What the stages of one invocation share. */
export interface PipelineContext extends DeliveryContext {
  readonly settings: PipelineSettings;
  readonly meaning: Meaning;
  readonly queue: SourceQueue;
  readonly requestId: string;
  readonly adaptive: Adaptive;
  /** When the leases of this invocation end, epoch milliseconds. */
  readonly leaseExpiresAtMs: number;
  /**
   * Events of which a commit of this invocation has an unknown outcome: it may be executed, now or later. By event and not
   * by record, since another copy of the event may be judged meanwhile.
   */
  readonly unknownCommits: Set<string>;
  /** Whether the last delete of what is finished failed for all of it. */
  readonly deletes: { failing: boolean };
}
