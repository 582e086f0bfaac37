import { expect, it, jest } from '@jest/globals';
import { createLazySourceQueue } from '../../src/aws/lazy-source-queue.ts';

let starts = 0;
jest.unstable_mockModule('../../src/aws/sqs-client.ts', () => ({
  createSqsClient: () => {
    starts += 1;
    throw Object.assign(new Error('no credentials'), { name: 'CredentialsProviderError' });
  },
}));

it('a client that cannot be made fails every entry under its error, and is tried again by the next call', async () => {
  const queue = createLazySourceQueue({ queueUrl: 'https://q', deadLetterQueueUrl: 'https://dlq' });
  const { signal } = new AbortController();
  const name = 'CredentialsProviderError';
  expect(await queue.delete(['a', 'b'], signal)).toEqual([name, name]);
  expect(await queue.changeVisibility([{ receiptHandle: 'a', seconds: 1 }], signal)).toEqual([name]);
  expect(await queue.quarantine([{ messageId: 'm', body: '', attributes: {} }], signal)).toEqual([name]);
  expect(starts).toBe(3);
});
