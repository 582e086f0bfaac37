import type { Failed, SourceQueue } from '../ports.ts';
import { readSdkError } from './sdk-error.ts';

/** Undefined for a stream, which has neither; what is sent to no queue has failed. */
export interface QueueUrls {
  readonly queueUrl: string | undefined;
  readonly deadLetterQueueUrl: string | undefined;
}

/**
 * The source queue, its client loaded by the first call. The pipeline calls it when a message failed or may kill the
 * process, so most containers never do, and start faster.
 */
export function createLazySourceQueue(urls: QueueUrls): SourceQueue {
  let loading: Promise<SourceQueue> | undefined;

  async function load(): Promise<SourceQueue> {
    const [{ createSourceQueue }, { createSqsClient }] = await Promise.all([
      import('./source-queue.ts'),
      import('./sqs-client.ts'),
    ]);
    return createSourceQueue({ client: createSqsClient(), ...urls });
  }

  async function call<T>(
    entries: readonly T[],
    action: (queue: SourceQueue) => Promise<readonly Failed[]>,
  ): Promise<readonly Failed[]> {
    try {
      loading ??= load();
      return await action(await loading);
    } catch (thrown) {
      // The port never rejects; a client that cannot be loaded is tried again by the next call.
      loading = undefined;
      const { name } = readSdkError(thrown);
      return entries.map(() => name);
    }
  }

  return {
    changeVisibility: (entries, signal) => call(entries, (queue) => queue.changeVisibility(entries, signal)),
    delete: (receiptHandles, signal) => call(receiptHandles, (queue) => queue.delete(receiptHandles, signal)),
    quarantine: (messages, signal) => call(messages, (queue) => queue.quarantine(messages, signal)),
  };
}
