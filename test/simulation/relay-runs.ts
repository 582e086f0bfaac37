import { createRelay } from '../../functions/src/core/relay.ts';
import { notifierOf } from './messaging-ports.ts';
import { relayStoreOf } from './relay-port.ts';
import { mix, Rng } from './rng.ts';
import type { World } from './world.ts';

/** The scheduled relay: the real one, under the same faults as the consumer. */
export class RelayRuns {
  readonly world: World;
  running = false;

  constructor(world: World) {
    this.world = world;
  }

  /** One run now, and the next after the interval. */
  start(): void {
    const { loop, scenario } = this.world;
    loop.after(scenario.relay.intervalMinutes * 60_000, () => this.start());
    const instance = this.world.fleet.start('relay', this.world.fleet.currentVersion());
    const invocation = this.world.fleet.newInvocation(60_000);
    instance.begin(invocation);
    this.running = true;
    const relay = createRelay({
      settings: { ...scenario.relay, leaseMarginMs: this.world.settings.leaseMarginMs },
      store: relayStoreOf(instance),
      notifier: notifierOf(instance),
      clock: instance.clock,
      random: new Rng(mix(scenario.seed, invocation.ordinal, 17)),
      telemetry: { info: () => {}, warn: () => {}, error: () => {}, count: () => {} },
    });
    loop.at(invocation.deadlineMs, () => {
      invocation.done = true;
      instance.kill('the relay ends');
      this.running = false;
    });
    const end = (): void => {
      invocation.done = true;
      this.running = false;
    };
    relay.run({ requestId: invocation.requestId, deadlineMs: invocation.deadlineMs + instance.skewMs }).then(end, end);
  }
}
