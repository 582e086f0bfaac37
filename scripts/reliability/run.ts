import { invoke } from '../../test/support/invoke.ts';
import { send } from '../../test/support/queues.ts';
import type { Delivery } from '../../test/support/subscriber.ts';
import { waitUntil } from '../../test/support/wait.ts';
import { RECEIVED_TOO_OFTEN, readDead, readEvents, readOrders, type SentMessage } from '../promises/evidence.ts';
import { type Judgement, judge, tally } from '../promises/judge.ts';
import { lastDeliveries, settle } from '../promises/settle.ts';
import { clearDead, type Redrive, redrive } from './redrive.ts';
import type { Stage } from './stage.ts';
import type { Sending } from './traffic.ts';

export interface StressAccount {
  readonly judgement: Judgement;
  /** From the first message until the queue was empty, the trouble still on; more when `left` messages outlasted it. */
  readonly stormSeconds: number;
  /** From the end of the trouble until every message was settled, the redrive apart. */
  readonly recoverySeconds: number;
  /** Messages in the queue when the trouble ended. */
  readonly leftAtEnd: number;
  /** The dead-letter queue at the end of the trouble, by reason. */
  readonly deadAfterTrouble: ReadonlyMap<string, number>;
  /** Committed events at the end of the trouble whose announcement was owed, their message dead: the relay's work. */
  readonly owed: number;
  readonly redrives: readonly Redrive[];
}

export interface Trouble {
  readonly runId: string;
  readonly calls: readonly (readonly Sending[])[];
  /** Makes trouble and resolves when nothing more comes by itself; what it did is undone by `end`. */
  during(sending: Promise<unknown>): Promise<readonly Redrive[]>;
  end(): Promise<void>;
  /** How long the trouble goes on after the last message was sent, if the queue does not empty before. */
  readonly patienceMs: number;
  /** Whether what was quarantined is redriven at the end too. */
  readonly redrivesAll: boolean;
  /** Milliseconds between two calls of ten. */
  readonly paceMs: number;
}

/**
 * Puts the traffic through the deployed pipeline while there is trouble, ends the trouble, lets the relay publish what
 * is owed, redrives the dead-letter queue, and judges the promises by tables, subscriber and dead-letter queue.
 */
export async function runThrough(stage: Stage, trouble: Trouble, log: (line: string) => void): Promise<StressAccount> {
  const { clients, places } = stage;
  const { runId } = trouble;
  const sent: SentMessage[] = [];
  const deliveries: Delivery[] = [];
  const take = async (timeoutMs: number) => {
    const settled = await settle(clients, places, runId, { timeoutMs });
    deliveries.push(...settled.deliveries);
    return settled.left;
  };

  const startedAt = Date.now();
  const sending = sendAll(stage, trouble, sent);
  const [redrives] = await Promise.all([trouble.during(sending), sending]);
  log(`${sent.length} messages sent`);
  const leftAtEnd = await take(trouble.patienceMs);
  const endedAt = Date.now();
  await trouble.end();
  await take(180_000);
  const settledAt = Date.now();
  const deadAfterTrouble = tally((await readDead(clients, places, sent)).map(({ reason }) => reason));
  const owed = await relayWhatIsOwed(stage, runId);
  log(`settled; dead: ${describe(deadAfterTrouble)}; owed to the topic: ${owed}`);

  // Twice in chaos, whatever is in there. In a storm only when SQS moved something, which must get through now.
  const isRedriven = trouble.redrivesAll || deadAfterTrouble.has(RECEIVED_TOO_OFTEN);
  const last = isRedriven ? [await redrive(stage)] : [];
  const left = await take(180_000);
  const events = await readEvents(clients, places, runId);
  deliveries.push(...(await lastDeliveries(clients, places, runId, events.length, deliveries)));
  const dead = await readDead(clients, places, sent);
  const orders = await readOrders(clients, places, runId);
  const commits = stage.commits.of(`${runId}-`);
  const judgement = judge({ sent, events, orders, deliveries, dead, commits }, left);
  await clearDead(stage);
  return {
    judgement,
    stormSeconds: (endedAt - startedAt) / 1000,
    recoverySeconds: (settledAt - endedAt) / 1000,
    leftAtEnd,
    deadAfterTrouble,
    owed,
    redrives: [...redrives, ...last],
  };
}

async function sendAll({ clients, places }: Stage, { calls, paceMs }: Trouble, sent: SentMessage[]): Promise<void> {
  for (const call of calls) {
    const ids = await send(
      clients.sqs,
      places.queue_url,
      call.map(({ body }) => ({ MessageBody: body })),
    );
    sent.push(...call.map((sending, index) => ({ ...sending, messageId: ids[index] as string })));
    await new Promise((resolve) => setTimeout(resolve, paceMs));
  }
}

/** Runs the relay, as its schedule would, until nothing is pending; leases of the dead have to run out first. */
async function relayWhatIsOwed({ clients, places }: Stage, runId: string): Promise<number> {
  const pending = async () =>
    (await readEvents(clients, places, runId)).filter(({ status }) => status === 'pending').length;
  const owed = await pending();
  if (owed === 0) return 0;
  const done = async () => {
    await invoke(clients.lambda, places.relay_function, []);
    return (await pending()) === 0;
  };
  // The judge says so when some stay pending: a timeout here is no verdict.
  await waitUntil('the relay to publish what is owed', done, { timeoutMs: 30_000, everyMs: 1000 }).catch(() => {});
  return owed;
}

/** `not_json 3, received too often 1`, or `none`. */
export function describe(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([name, count]) => `${name} ${count}`).join(', ') || 'none';
}

export function broken({ judgement }: StressAccount): readonly string[] {
  return judgement.verdicts.flatMap(({ promise, against }) => against.map((reason) => `${promise}: ${reason}`));
}
