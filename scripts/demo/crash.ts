import type { Clients } from '../../test/support/clients.ts';
import type { FaultProxy } from '../../test/support/fault-proxy.ts';
import { functionRuns, killFunction } from '../../test/support/function-process.ts';
import { send } from '../../test/support/queues.ts';
import { waitUntil } from '../../test/support/wait.ts';
import type { LocalAws } from '../local/local-aws.ts';
import { type Places, readEvents, type SentMessage } from '../promises/evidence.ts';
import type { Traffic } from './traffic.ts';

export interface Crash {
  readonly sent: readonly SentMessage[];
  /** How many runs of the function were killed. */
  readonly killed: number;
  /** Events that were committed and not announced when it died. */
  readonly pending: number;
}

/**
 * Kills the function between its commit and its publish: the proxy holds the publish, which proves that the commit is
 * over, the function gets SIGKILL from outside, and the held call dies with its connection.
 */
export async function crashBetweenCommitAndPublish(
  { clients, localAws, places, proxy }: { clients: Clients; localAws: LocalAws; places: Places; proxy: FaultProxy },
  traffic: Traffic,
): Promise<Crash> {
  const ids = traffic.crash.map(({ eventId }) => eventId as string);
  const held = proxy.on(
    ['Publish', 'PublishBatch'],
    { kind: 'hold' },
    { when: ({ body }) => ids.some((id) => body.includes(id)) },
  );
  const sent = await sendAll(clients, places, traffic.crash);
  await Promise.race([
    held.first,
    waitUntil('the function to commit the batch and to publish it', () => held.calls.length > 0, { timeoutMs: 90_000 }),
  ]);
  const committed = (await readEvents(clients, places, traffic.runId)).filter(({ eventId }) => ids.includes(eventId));
  const pending = committed.filter(({ status }) => status === 'pending').length;
  if (pending === 0) throw new Error('the publish is held, and yet no event of the batch is pending');
  const killed = await killFunction(places.consumer_function, localAws);
  if (killed.length === 0) throw new Error('no process of the function was found to kill');
  const survivors = functionRuns(places.consumer_function, localAws).filter((run) =>
    killed.some((dead) => JSON.stringify(dead) === JSON.stringify(run)),
  );
  if (survivors.length > 0) throw new Error(`the function survived SIGKILL: ${JSON.stringify(survivors)}`);
  held.release();
  return { sent, killed: killed.length, pending };
}

/** Sends in one call and notes the ids that SQS gave. */
export async function sendAll(
  { sqs }: Clients,
  places: Places,
  sendings: Traffic['crash'],
): Promise<readonly SentMessage[]> {
  const ids = await send(
    sqs,
    places.queue_url,
    sendings.map(({ body }) => ({ MessageBody: body })),
  );
  return sendings.map((sending, index) => ({ ...sending, messageId: ids[index] as string }));
}
