import { Instance, type Invocation } from './container.ts';
import type { Version } from './meaning.ts';
import { mix, Rng } from './rng.ts';
import type { World } from './world.ts';

/** Starts containers of the release that is deployed, each on a host with a clock of its own. */
export class Fleet {
  readonly world: World;
  #ordinal = 0;
  #instances = 0;
  #last: Version | undefined;

  constructor(world: World) {
    this.world = world;
  }

  start(prefix: string, version: Version): Instance {
    this.#instances += 1;
    const { scenario } = this.world;
    const big = scenario.bigSkew && this.world.rng.chance(0.3);
    if (big) this.world.coverage.hit('clock skew above the lease');
    const range = big ? 180_000 : scenario.skewMs;
    return new Instance(
      this.world,
      `${prefix}${this.#instances}`,
      version,
      Math.round((this.world.rng.next() * 2 - 1) * range),
    );
  }

  newInvocation(timeoutMs: number): Invocation {
    this.#ordinal += 1;
    return {
      ordinal: this.#ordinal,
      requestId: `r${this.#ordinal}`,
      startedMs: this.world.loop.now,
      deadlineMs: Math.ceil(this.world.loop.now) + timeoutMs,
      dice: new Rng(mix(this.world.scenario.seed, this.#ordinal, 5)),
      calls: 0,
      flying: new Map(),
      done: false,
    };
  }

  currentVersion(): Version {
    const { versions, quietAtMs } = this.world.scenario;
    let current = versions[0]?.version as Version;
    for (const { atMs, version } of versions) if (atMs <= this.world.loop.now) current = version;
    if (this.world.loop.now < quietAtMs) return current;
    // In the end the newest release runs: rows of a newer shape wait for it.
    if (this.#last === undefined) {
      const last = versions.at(-1)?.version as Version;
      this.#last = versions.some(({ version }) => version.row === 2) ? { ...last, row: 2 } : last;
    }
    return this.#last;
  }

  announceDeploys(): void {
    const { versions } = this.world.scenario;
    for (const [index, { atMs, version }] of versions.entries()) {
      const before = versions[index - 1]?.version;
      if (before === undefined) continue;
      if (version.schema === 'strict' && before.schema === 'lenient')
        this.world.coverage.hit('deploy: stricter schema');
      if (version.fingerprint !== before.fingerprint) this.world.coverage.hit('deploy: other fingerprint');
      if (version.filter === 'strict' && before.filter === 'lenient')
        this.world.coverage.hit('deploy: stricter filter');
      if (version.row > before.row) this.world.coverage.hit('deploy: newer row version');
      if (version.row < before.row) this.world.coverage.hit('deploy: rollback to an older row version');
      this.world.loop.at(atMs, () => this.world.trace(() => `deploy ${JSON.stringify(version)}`));
    }
  }
}
