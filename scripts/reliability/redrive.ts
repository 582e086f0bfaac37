import { ListMessageMoveTasksCommand, StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs';
import { depthOf, drain, send } from '../../test/support/queues.ts';
import { waitUntil } from '../../test/support/wait.ts';
import { waitUntilShown } from '../promises/evidence.ts';
import type { Stage } from './stage.ts';

export interface Redrive {
  readonly moved: number;
  readonly how: 'by a move task' | 'by hand, since there are no move tasks here';
}

/** Sends everything in the dead-letter queue back to the queue, quarantined messages too, attributes and all. */
export async function redrive({ clients: { sqs }, places }: Stage): Promise<Redrive> {
  await waitUntilShown(sqs, places.dlq_url);
  const { visible } = await depthOf(sqs, places.dlq_url);
  if (visible > 0 && (await moveTask(sqs, places))) return { moved: visible, how: 'by a move task' };
  const dead = await drain(sqs, places.dlq_url);
  await send(
    sqs,
    places.queue_url,
    dead.map(({ Body = '', MessageAttributes }) => ({
      MessageBody: Body,
      ...(MessageAttributes === undefined ? {} : { MessageAttributes }),
    })),
  );
  return { moved: dead.length, how: 'by hand, since there are no move tasks here' };
}

/** Takes everything out of the dead-letter queue, so that the next run on this stage begins with an empty one. */
export async function clearDead({ clients: { sqs }, places }: Stage): Promise<void> {
  await waitUntilShown(sqs, places.dlq_url);
  await drain(sqs, places.dlq_url);
}

/** Quarantined messages were sent, so they have no source on record, and the destination has to be said. */
async function moveTask(sqs: Stage['clients']['sqs'], places: Stage['places']): Promise<boolean> {
  const dlq = `${places.queue_arn.slice(0, places.queue_arn.lastIndexOf(':'))}:${places.dlq_url.split('/').at(-1)}`;
  try {
    await sqs.send(new StartMessageMoveTaskCommand({ SourceArn: dlq, DestinationArn: places.queue_arn }));
  } catch {
    return false;
  }
  await waitUntil('the move task to end', async () => {
    const { Results = [] } = await sqs.send(new ListMessageMoveTasksCommand({ SourceArn: dlq }));
    return Results[0]?.Status !== 'RUNNING';
  });
  return true;
}
