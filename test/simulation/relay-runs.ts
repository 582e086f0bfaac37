import { createRelay } from '../../functions/src/core/relay.ts';
import { Broken } from './broken.ts';
import { notifierOf } from './messaging-ports.ts';
import { relayStoreOf } from './relay-port.ts';
import { mix, Rng } from './rng.ts';
import type { World } from './world.ts';

/** Milliseconds of one run of the relay's function. */
const TIMEOUT_MS = 60_000;

/** The scheduled relay: the real one, under the same faults as the consumer. */
export class RelayRuns {
  readonly world: World;
  readonly #dice: Rng;
  #running = 0;

  constructor(world: World) {
    this.world = world;
    this.#dice = new Rng(mix(world.scenario.seed, 29));
  }

  get running(): boolean {
    return this.#running > 0;
  }

  /** One run now, and the next after the interval. Scheduler may deliver an event twice, so two runs may overlap. */
  start(): void {
    const { loop, scenario, coverage } = this.world;
    loop.after(scenario.relay.intervalMinutes * 60_000, () => this.start());
    this.#run();
    if (!this.#dice.chance(0.15)) return;
    coverage.hit('relay: two runs at once');
    loop.after(this.#dice.next() * 60, () => this.#run());
  }

  #run(): void {
    const { loop, scenario, fleet } = this.world;
    const instance = fleet.start('relay', fleet.currentVersion());
    const invocation = fleet.newInvocation(TIMEOUT_MS);
    instance.begin(invocation);
    this.#running += 1;
    const relay = createRelay({
      settings: { ...scenario.relay, leaseMarginMs: this.world.settings.leaseMarginMs },
      store: relayStoreOf(instance),
      notifier: notifierOf(instance),
      clock: instance.clock,
      random: new Rng(mix(scenario.seed, invocation.ordinal, 17)),
      telemetry: { info: () => {}, warn: () => {}, error: () => {}, count: () => {} },
    });
    const end = (): void => {
      if (invocation.done) return;
      invocation.done = true;
      this.#running -= 1;
    };
    loop.at(invocation.deadlineMs, () => {
      const late = !invocation.done && !instance.dead && instance.pausedUntilMs <= invocation.startedMs;
      if (late) this.world.fail(new Broken('time-out', `the relay ${invocation.requestId} runs into its timeout`));
      end();
      instance.kill('the relay ends');
    });
    relay.run({ requestId: invocation.requestId, deadlineMs: invocation.deadlineMs + instance.skewMs }).then(end, end);
  }
}
