import type { Clients } from '../../test/support/clients.ts';
import type { FaultProxy } from '../../test/support/fault-proxy.ts';
import { depthOf } from '../../test/support/queues.ts';
import type { LocalAws } from '../local/local-aws.ts';
import { type Places, readDead, readEvents, readOrders, type SentMessage } from '../promises/evidence.ts';
import { type Judgement, judge } from '../promises/judge.ts';
import { lastDeliveries, settle } from '../promises/settle.ts';
import { type Crash, crashBetweenCommitAndPublish, sendAll } from './crash.ts';
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

  progress.update(0, total, 'killing the consumer between commit and publish');
  const crash = await crashBetweenCommitAndPublish(stage, traffic);
  sent.push(...crash.sent);
  for (const call of traffic.calls) {
    sent.push(...(await sendAll(clients, places, call)));
    progress.update(0, total, `sending ${sent.length} of ${total}`);
  }

  const settled = await settle(clients, places, traffic.runId, {
    timeoutMs: 240_000,
    onProgress: (left, inFlight) =>
      progress.update(
        total - left,
        total,
        left === 0 ? 'drained' : `${left} in the queue, ${inFlight} of them in flight`,
      ),
  });
  const deliveries = [...settled.deliveries];
  const events = await readEvents(clients, places, traffic.runId);
  deliveries.push(...(await lastDeliveries(clients, places, traffic.runId, events.length, deliveries)));
  const { visible, inFlight, delayed } = await depthOf(clients.sqs, places.queue_url);
  const orders = await readOrders(clients, places, traffic.runId);
  const dead = await readDead(clients, places, sent);
  return { crash, judgement: judge({ sent, events, orders, deliveries, dead }, visible + inFlight + delayed) };
}
