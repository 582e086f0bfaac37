import { setTimeout as sleep } from 'node:timers/promises';
import type { Clients } from '../../test/support/clients.ts';
import type { FaultProxy } from '../../test/support/fault-proxy.ts';
import { depthOf } from '../../test/support/queues.ts';
import type { Delivery } from '../../test/support/subscriber.ts';
import type { LocalAws } from '../local/local-aws.ts';
import { type Crash, crashBetweenCommitAndPublish, sendAll } from './crash.ts';
import {
  eventIdOf,
  type Places,
  readDead,
  readEvents,
  readOrders,
  type SentMessage,
  takeDeliveries,
} from './evidence.ts';
import { type Judgement, judge } from './judge.ts';
import { createTraffic } from './traffic.ts';

export interface Stage {
  readonly clients: Clients;
  readonly localAws: LocalAws;
  readonly places: Places;
  readonly proxy: FaultProxy;
}

export interface Progress {
  /** `done` of `total` messages are settled: their event is sent, or they are in the dead-letter queue. */
  update(done: number, total: number, phase: string): void;
}

export interface RunResult {
  readonly judgement: Judgement;
  readonly crash: Crash;
}

/** One run of the demo's traffic on a stack that is up: sends, crashes, waits for the queue to drain, judges. */
export async function runTraffic(stage: Stage, progress: Progress): Promise<RunResult> {
  const { clients, places } = stage;
  const traffic = createTraffic();
  const total = traffic.crash.length + traffic.calls.reduce((sum, call) => sum + call.length, 0);
  const sent: SentMessage[] = [];
  const deliveries: Delivery[] = [];

  progress.update(0, total, 'killing the consumer between commit and publish');
  const crash = await crashBetweenCommitAndPublish(stage, traffic);
  sent.push(...crash.sent);
  for (const call of traffic.calls) {
    sent.push(...(await sendAll(clients, places, call)));
    progress.update(0, total, `sending ${sent.length} of ${total}`);
  }

  const deadline = Date.now() + 240_000;
  for (;;) {
    const { visible, inFlight, delayed } = await depthOf(clients.sqs, places.queue_url);
    const left = visible + inFlight + delayed;
    deliveries.push(...(await takeDeliveries(clients, places, traffic.runId)));
    progress.update(
      total - left,
      total,
      left === 0 ? 'drained' : `${left} in the queue, ${inFlight} of them in flight`,
    );
    if (left === 0 || Date.now() > deadline) break;
    await sleep(500);
  }
  const events = await readEvents(clients, places, traffic.runId);
  deliveries.push(...(await lastDeliveries(stage, traffic.runId, events.length, deliveries)));
  const { visible, inFlight, delayed } = await depthOf(clients.sqs, places.queue_url);
  const orders = await readOrders(clients, places, traffic.runId);
  const dead = await readDead(clients, places, sent);
  return { crash, judgement: judge({ sent, events, orders, deliveries, dead }, visible + inFlight + delayed) };
}

/** SNS delivers on its own time: what was published may arrive a moment after the queue is empty. */
async function lastDeliveries(
  { clients, places }: Stage,
  runId: string,
  expected: number,
  sofar: readonly Delivery[],
): Promise<readonly Delivery[]> {
  const late: Delivery[] = [];
  for (const end = Date.now() + 15_000; Date.now() < end; await sleep(300)) {
    late.push(...(await takeDeliveries(clients, places, runId)));
    if (new Set([...sofar, ...late].map(eventIdOf)).size >= expected) break;
  }
  return late;
}
