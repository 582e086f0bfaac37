import type { SourceRecord } from '../../functions/src/core/types.ts';
import { conformanceOf, type Subject } from './conformance.ts';
import { Instance } from './container.ts';
import { toRecord } from './event-source.ts';
import { BUSINESS_TABLE, ROW_TABLE, TOPIC } from './meaning.ts';
import { notifierOf, sourceQueueOf } from './messaging-ports.ts';
import { Rng } from './rng.ts';
import { scenarioOf } from './scenario.ts';
import { storeOf } from './store-port.ts';
import { World } from './world.ts';

/** The simulated services without any fault, asked what local AWS is asked in test/integration/conformance.test.ts. */
for (const fifo of [false, true]) {
  conformanceOf(fifo ? 'the simulated AWS with a FIFO queue' : 'the simulated AWS with a standard queue', async () =>
    simulated(fifo),
  );
}

function simulated(fifo: boolean): Subject {
  let seed = 1;
  while ((scenarioOf(seed, 0).settings.source === 'sqs_fifo') !== fifo || scenarioOf(seed, 0).maxReceiveCount < 3)
    seed += 1;
  const world = new World(seed, { lenient: true, polling: false });
  world.weather = { calls: 0, answers: 0, queue: 0 };
  const host = new Instance(world, 'host', { schema: 'lenient', fingerprint: 'whole', filter: 'lenient', row: 1 }, 0);
  host.begin({
    ordinal: 1,
    requestId: 'r1',
    startedMs: world.nowMs,
    deadlineMs: Number.MAX_SAFE_INTEGER,
    dice: new Rng(1),
    calls: 0,
    flying: new Map(),
    done: false,
  });

  /** Virtual time goes on until the call has its answer. */
  const driven =
    <A extends readonly unknown[], T>(call: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      let answered = false;
      const answer = call(...args).finally(() => {
        answered = true;
      });
      await world.loop.run(() => answered);
      return answer;
    };
  const store = storeOf(host);
  const queue = sourceQueueOf(host);
  return {
    rowTable: ROW_TABLE,
    businessTable: BUSINESS_TABLE,
    topicArn: fifo ? `${TOPIC}.fifo` : TOPIC,
    fifo,
    lax: new Set(),
    visibilitySeconds: world.queue.rules.visibilityMs / 1000,
    maxReceiveCount: world.queue.rules.maxReceiveCount,
    store: {
      commit: driven(store.commit),
      readRows: driven(store.readRows),
      readItems: driven(store.readItems),
      update: driven(store.update),
    },
    notifier: { publish: driven(notifierOf(host).publish) },
    queue: {
      changeVisibility: driven(queue.changeVisibility),
      delete: driven(queue.delete),
      quarantine: driven(queue.quarantine),
    },
    send: async (body, groupId) => {
      world.queue.send(body, {}, groupId, -1, world.nowMs);
    },
    receive: async (): Promise<readonly SourceRecord[]> =>
      world.queue.receive(10, world.nowMs, (messages) => messages).map(toRecord),
    deadLetters: async () => world.queue.deadLetters,
    wait: async (seconds) => {
      let passed = false;
      world.loop.after(seconds * 1000, () => {
        passed = true;
      });
      await world.loop.run(() => passed);
    },
    close: async () => {},
  };
}
