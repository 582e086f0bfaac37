import { setTimeout as sleep } from 'node:timers/promises';
import type { Clients } from '../../test/support/clients.ts';
import { depthOf } from '../../test/support/queues.ts';
import type { Delivery } from '../../test/support/subscriber.ts';
import { eventIdOf, type Places, takeDeliveries } from './evidence.ts';

export interface Settled {
  /** What arrived at the subscriber meanwhile. */
  readonly deliveries: readonly Delivery[];
  /** Messages that are still in the queue, when patience ended first. */
  readonly left: number;
}

export interface Patience {
  readonly timeoutMs: number;
  readonly onProgress?: (left: number, inFlight: number) => void;
}

/** Waits until nothing is left in the queue, in flight or delayed, and takes what is announced meanwhile. */
export async function settle(
  clients: Clients,
  places: Places,
  runId: string,
  { timeoutMs, onProgress = () => undefined }: Patience,
): Promise<Settled> {
  const deliveries: Delivery[] = [];
  for (const deadline = Date.now() + timeoutMs; ; await sleep(500)) {
    const { visible, inFlight, delayed } = await depthOf(clients.sqs, places.queue_url);
    const left = visible + inFlight + delayed;
    deliveries.push(...(await takeDeliveries(clients, places, runId)));
    onProgress(left, inFlight);
    if (left === 0 || Date.now() > deadline) return { deliveries, left };
  }
}

/** SNS delivers on its own time, and a look whose answer was lost hides what it took for 30 s: patience, if any is missing. */
export async function lastDeliveries(
  clients: Clients,
  places: Places,
  runId: string,
  expected: number,
  sofar: readonly Delivery[],
): Promise<readonly Delivery[]> {
  const late: Delivery[] = [];
  for (const end = Date.now() + 45_000; Date.now() < end; await sleep(300)) {
    late.push(...(await takeDeliveries(clients, places, runId)));
    if (new Set([...sofar, ...late].map(eventIdOf)).size >= expected) break;
  }
  return late;
}
