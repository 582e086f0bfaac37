import type { PipelineSettings, RelaySettings } from '../../functions/src/core/settings.ts';
import { aftermath } from './aftermath.ts';
import type { CallFate } from './coverage.ts';
import type { Version, WorldKind } from './meaning.ts';
import { ROW_TABLE } from './meaning.ts';
import { rarities } from './rarities.ts';
import { mix, Rng } from './rng.ts';
import { type Sent, traffic } from './traffic.ts';

/** How much goes wrong in a run. */
export interface Weather {
  /** Chance that a call meets a fault. */
  readonly calls: number;
  /** Chance that an answer of a service is partly bad. */
  readonly answers: number;
  /** Chance of what happens around the calls: shown twice, acknowledgement lost. */
  readonly queue: number;
  /** The only thing that happens to calls; absent: anything. */
  readonly only?: CallFate;
}

export interface Deploy {
  readonly atMs: number;
  readonly version: Version;
}

export interface Scenario {
  readonly seed: number;
  readonly kind: WorldKind;
  readonly settings: PipelineSettings;
  readonly relay: RelaySettings;
  readonly visibilityMs: number;
  readonly maxReceiveCount: number;
  readonly batchSize: number;
  readonly concurrency: number;
  readonly weather: Weather;
  readonly skewMs: number;
  readonly bigSkew: boolean;
  /** Faults end here; from then on everything must come to rest. */
  readonly quietAtMs: number;
  /** Leases that the storm left behind are over too: a message that is sent from here on is harmed by nothing but another. */
  readonly calmAtMs: number;
  readonly versions: readonly Deploy[];
  readonly messages: readonly Sent[];
  readonly topicFifo: boolean;
}

const LENIENT: Version = { schema: 'lenient', fingerprint: 'whole', filter: 'lenient', row: 1 };

/** Everything that a seed decides before the run begins. */
export function scenarioOf(seed: number, startMs: number): Scenario {
  const rng = new Rng(mix(seed, 1));
  const kind = rng.pick<WorldKind>(['reject', 'reject', 'newer', 'overwrite', 'handler', 'handler']);
  const fifo = rng.chance(0.4);
  const topicFifo = fifo && rng.chance(0.7);
  const functionTimeoutMs = rng.pick([5_000, 10_000, 30_000]);
  const maxReceiveCount = rng.pick([1, 2, 3, 3, 4, 5]);
  const storm = rng.next();
  const scale = storm < 0.25 ? 0.4 : storm < 0.8 ? 1 : 2.5;
  const weather = { calls: 0.05 * scale, answers: 0.04 * scale, queue: 0.03 * scale };
  const graceMs = rng.pick([2_000, 20_000, 60_000]);
  const common = {
    pipelineName: 'simulated',
    functionTimeoutMs,
    deadlineMarginMs: 1_500,
    leaseMarginMs: 1_000,
    retentionDays: 30,
    topicMaxBytes: 262_144,
    concurrency: rng.pick([1, 4, 16]),
  };
  const settings: PipelineSettings = {
    ...common,
    source: fifo ? 'sqs_fifo' : 'sqs',
    processedEventsTable: ROW_TABLE,
    maxReceiveCount,
    backoffBaseSeconds: rng.pick([1, 5, 10]),
    backoffCapSeconds: rng.pick([20, 60]),
    quarantine: rng.chance(0.85),
    grouping: rng.chance(0.9),
  };
  const versions = deploys(rng, startMs);
  const scenario = {
    seed,
    kind,
    settings,
    relay: { ...common, graceMs, intervalMinutes: 5, sweepHours: 0.25 },
    visibilityMs: functionTimeoutMs * (rng.chance(0.85) ? 6 : 1),
    maxReceiveCount,
    batchSize: rng.pick([1, 5, 10, 10, 30]),
    concurrency: rng.int(1, 4),
    weather,
    skewMs: rng.pick([0, 50, 800]),
    bigSkew: rng.chance(0.15),
    quietAtMs: startMs + rng.int(90, 600) * 1_000,
    versions,
    messages: traffic(rng, startMs, kind, fifo, versions),
    topicFifo,
  };
  const leaseMs = functionTimeoutMs + common.leaseMarginMs;
  const calmAtMs = scenario.quietAtMs + 2 * leaseMs + (scenario.bigSkew ? 400_000 : 0);
  return aftermath(rarities({ ...scenario, calmAtMs }, startMs));
}

function deploys(rng: Rng, startMs: number): Deploy[] {
  const versions: Deploy[] = [{ atMs: startMs, version: LENIENT }];
  let version = LENIENT;
  let atMs = startMs;
  for (let count = rng.pick([0, 0, 1, 2, 3]); count > 0; count -= 1) {
    atMs += rng.int(1, 60) * 1_000;
    switch (rng.int(0, 3)) {
      case 0:
        version = { ...version, schema: version.schema === 'lenient' ? 'strict' : 'lenient' };
        break;
      case 1:
        version = { ...version, fingerprint: version.fingerprint === 'whole' ? 'order' : 'whole' };
        break;
      case 2:
        version = { ...version, filter: version.filter === 'lenient' ? 'strict' : 'lenient' };
        break;
      default:
        version = { ...version, row: version.row === 1 ? 2 : 1 };
    }
    versions.push({ atMs, version });
  }
  return versions;
}
