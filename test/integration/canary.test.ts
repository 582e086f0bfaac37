import {
  CreateEventSourceMappingCommand,
  CreateFunctionCommand,
  DeleteEventSourceMappingCommand,
  DeleteFunctionCommand,
} from '@aws-sdk/client-lambda';
import { CreateQueueCommand, DeleteQueueCommand } from '@aws-sdk/client-sqs';
import { afterAll, describe, expect, it } from '@jest/globals';
import { localAwsUp } from '../../scripts/local/local-aws.ts';
import { reproducibleZip } from '../../scripts/package/zip.ts';
import { connect } from '../support/clients.ts';
import { drain, send, waitUntilEmpty } from '../support/queues.ts';
import { waitUntil } from '../support/wait.ts';

/** Reports every message whose body is `bad` as failed, and no other. */
const handler = `
export const handler = async ({ Records }) => ({
  batchItemFailures: Records.filter(({ body }) => body === 'bad').map(({ messageId }) => ({ itemIdentifier: messageId })),
});
`;

describe('the emulator', () => {
  const remove: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const step of remove.reverse()) await step();
  });

  it('L-01: honours partial batch responses, else every other test would be believed for nothing', async () => {
    const { endpoint } = await localAwsUp();
    const { lambda, sqs, close } = connect(endpoint);
    const name = `canary-${process.pid}`;
    remove.push(async () => close());

    const queue = async (QueueName: string, Attributes: Record<string, string>) => {
      const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
      remove.push(() => sqs.send(new DeleteQueueCommand({ QueueUrl })));
      return QueueUrl as string;
    };
    const dlqUrl = await queue(`${name}-dlq`, {});
    const deadLetterTargetArn = `arn:aws:sqs:us-east-1:000000000000:${name}-dlq`;
    const queueUrl = await queue(name, {
      VisibilityTimeout: '5',
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 2 }),
    });

    await lambda.send(
      new CreateFunctionCommand({
        FunctionName: name,
        Runtime: 'nodejs22.x',
        Handler: 'index.handler',
        Role: 'arn:aws:iam::000000000000:role/canary',
        Timeout: 5,
        Code: { ZipFile: reproducibleZip(new Map([['index.mjs', new TextEncoder().encode(handler)]])) },
      }),
    );
    remove.push(() => lambda.send(new DeleteFunctionCommand({ FunctionName: name })));
    // Sent before anything listens, so that both arrive in one batch.
    await send(sqs, queueUrl, [{ MessageBody: 'bad' }, { MessageBody: 'good' }]);
    const { UUID } = await lambda.send(
      new CreateEventSourceMappingCommand({
        FunctionName: name,
        EventSourceArn: `arn:aws:sqs:us-east-1:000000000000:${name}`,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      }),
    );
    remove.push(() => lambda.send(new DeleteEventSourceMappingCommand({ UUID })));

    const dead: (string | undefined)[] = [];
    const badIsDead = async () => {
      dead.push(...(await drain(sqs, dlqUrl)).map(({ Body }) => Body));
      return dead.includes('bad');
    };
    await waitUntil('the failed message to reach the dead-letter queue (emulator too old)', badIsDead, {
      timeoutMs: 60_000,
    });
    await waitUntilEmpty(sqs, queueUrl, 30_000);
    expect([...dead, ...(await drain(sqs, dlqUrl))]).toEqual(['bad']);
  });
});
