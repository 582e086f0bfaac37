import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { UpdateFunctionCodeCommand, UpdateFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import {
  CreateTopicCommand,
  DeleteTopicCommand,
  GetSubscriptionAttributesCommand,
  GetTopicAttributesCommand,
  ListSubscriptionsByTopicCommand,
  SubscribeCommand,
} from '@aws-sdk/client-sns';
import type { Rng } from '../../test/simulation/rng.ts';
import { functionRuns, killFunction } from '../../test/support/function-process.ts';
import { waitUntil } from '../../test/support/wait.ts';
import { root } from '../local/checkout.ts';
import { type Redrive, redrive } from '../reliability/redrive.ts';
import { FUNCTION_TIMEOUT_SECONDS, type Stage } from '../reliability/stage.ts';

export type DisturbanceName = 'kill' | 'redeploy' | 'short timeout' | 'topic deleted' | 'redrive';

/** What was done to the pipeline, for the account. */
export interface Disturbed {
  /** Processes of the function that got SIGKILL. */
  killed: number;
  readonly redrives: Redrive[];
}

const PUBLISHING = ['Publish', 'PublishBatch'];

/** Each does its harm, and undoes what would not end by itself. */
export const disturbances: Readonly<
  Record<DisturbanceName, (stage: Stage, rng: Rng, disturbed: Disturbed) => Promise<void>>
> = {
  kill: async ({ places, localAws }, _rng, disturbed) => {
    // Between two batches, or after a deployment, there may be none for a moment.
    const runs = () => functionRuns(places.consumer_function, localAws).length > 0;
    await waitUntil('a process to kill', runs, { timeoutMs: 10_000 }).catch(() => {});
    disturbed.killed += (await killFunction(places.consumer_function, localAws)).length;
  },

  redeploy: async ({ clients: { lambda }, places }) => {
    const ZipFile = readFileSync(join(root, 'functions', 'dist', 'pipeline.zip'));
    await lambda.send(new UpdateFunctionCodeCommand({ FunctionName: places.consumer_function, ZipFile }));
  },

  'short timeout': async ({ clients: { lambda }, places }, rng) => {
    const set = (Timeout: number) =>
      lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName: places.consumer_function, Timeout }));
    await set(rng.int(1, 2));
    await sleep(rng.int(2000, 4000));
    await set(FUNCTION_TIMEOUT_SECONDS);
  },

  'topic deleted': async ({ clients: { sns }, places, proxy }, rng) => {
    const TopicArn = places.topic_arn;
    const { Attributes: topic = {} } = await sns.send(new GetTopicAttributesCommand({ TopicArn }));
    const { Subscriptions = [] } = await sns.send(new ListSubscriptionsByTopicCommand({ TopicArn }));
    const subscriptions = await Promise.all(
      Subscriptions.map(async ({ SubscriptionArn, Protocol, Endpoint }) => {
        const { Attributes = {} } = await sns.send(new GetSubscriptionAttributesCommand({ SubscriptionArn }));
        return { Protocol, Endpoint, RawMessageDelivery: Attributes.RawMessageDelivery ?? 'false' };
      }),
    );
    await sns.send(new DeleteTopicCommand({ TopicArn }));
    await sleep(rng.int(2000, 5000));
    const Name = TopicArn.slice(TopicArn.lastIndexOf(':') + 1);
    // A topic without its subscriptions takes announcements and gives them to nobody, which no publisher can notice. So
    // that the promise is what is judged, nobody publishes until the subscription is back, and what set out before the
    // topic existed has its answer: a batch that arrived in between was announced to nobody, in one run of this script.
    const gap = proxy.on(PUBLISHING, { kind: 'hold' });
    await waitUntil('what is under way to be answered', () => proxy.underWay(PUBLISHING) === 0, { everyMs: 10 });
    const { Policy } = topic;
    await sns.send(new CreateTopicCommand({ Name, ...(Policy === undefined ? {} : { Attributes: { Policy } }) }));
    for (const { Protocol, Endpoint, RawMessageDelivery } of subscriptions) {
      await sns.send(new SubscribeCommand({ TopicArn, Protocol, Endpoint, Attributes: { RawMessageDelivery } }));
    }
    gap.release();
  },

  redrive: async (stage, _rng, disturbed) => {
    disturbed.redrives.push(await redrive(stage));
  },
};
