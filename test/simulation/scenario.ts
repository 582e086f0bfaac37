import type { PipelineSettings, RelaySettings } from '../../functions/src/core/settings.ts';
import type { CallFate } from './coverage.ts';
import type { Version, WorldKind } from './meaning.ts';
import { ROW_TABLE } from './meaning.ts';
import { mix, Rng } from './rng.ts';

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

/** One message of the producer. */
export interface Sent {
  readonly origin: number;
  readonly atMs: number;
  readonly body: string;
  readonly groupId: string | undefined;
  readonly nature: Nature;
  /** Ids that can be read from it, with what tells two events under one id apart. */
  readonly events: readonly {
    readonly eventId: string;
    readonly content: string;
    readonly good: boolean;
    readonly key: string;
    readonly version: number;
    readonly silent: boolean;
    readonly legacy: boolean;
  }[];
}

export type Nature =
  | 'good'
  | 'sent_twice'
  | 'several_events'
  | 'shared_event'
  | 'one_event_twice'
  | 'one_bad_of_several'
  | 'legacy'
  | 'not_json'
  | 'no_id'
  | 'bad_schema'
  | 'refused_by_dynamodb'
  | 'not_ours'
  | 'same_id_other_payload'
  | 'same_key'
  | 'killer'
  | 'endless'
  | 'throws_at_first';

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
  return {
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

function traffic(rng: Rng, startMs: number, kind: WorldKind, fifo: boolean, versions: readonly Deploy[]): Sent[] {
  const count = rng.int(14, 26);
  const spreadMs = rng.pick([200, 20_000, 60_000]);
  const groups = rng.int(2, 5);
  const trouble = rng.pick([0.1, 0.25, 0.45]);
  const judging = versions.some(({ version }) => version.schema === 'strict' || version.filter === 'strict');
  const sent: Sent[] = [];
  let keys = 0;
  for (let origin = 0; origin < count; origin += 1) {
    let nature = rng.chance(trouble) ? rng.pick(NATURES) : 'good';
    // A deploy that judges otherwise must meet events of which it thinks otherwise.
    if (judging && nature === 'good' && rng.chance(0.3)) nature = 'legacy';
    // One a run: of two nobody can tell which one stops the others.
    if (SABOTAGE.has(nature) && sent.some((other) => SABOTAGE.has(other.nature))) nature = 'good';
    const atMs = startMs + Math.floor((spreadMs * origin) / count);
    const groupId = fifo || rng.chance(0.1) ? `g${rng.int(1, groups)}` : undefined;
    const id = `e${origin}`;
    const shared = kind === 'reject' ? `k${origin}` : `k${rng.int(1, 4)}`;
    keys += 1;
    const event = (eventId: string, more: object = {}): Payload => ({
      id: eventId,
      type: 'order',
      note: `n${origin}`,
      order: { key: kind === 'reject' ? `k-${eventId}` : shared, amount: origin, version: keys },
      ...(rng.chance(0.08) && kind === 'handler' && { silent: true }),
      ...more,
    });
    sent.push(message(rng, origin, atMs, groupId, nature, id, event, sent, kind));
  }
  return sent;
}

interface Payload {
  readonly id?: string;
  readonly type: string;
  readonly note: string;
  readonly order: {
    readonly key?: string;
    readonly amount?: number;
    readonly version?: number;
    readonly aws_refuses?: boolean;
  };
  readonly legacy?: boolean;
  readonly silent?: boolean;
  readonly kill?: boolean;
  readonly endless?: boolean;
  readonly throws?: boolean;
}

export const SABOTAGE: ReadonlySet<string> = new Set(['killer', 'endless']);

const NATURES: readonly Nature[] = [
  'sent_twice',
  'sent_twice',
  'sent_twice',
  'several_events',
  'several_events',
  'shared_event',
  'shared_event',
  'one_event_twice',
  'one_bad_of_several',
  'one_bad_of_several',
  'legacy',
  'legacy',
  'legacy',
  'not_json',
  'no_id',
  'bad_schema',
  'refused_by_dynamodb',
  'not_ours',
  'same_id_other_payload',
  'same_id_other_payload',
  'same_key',
  'killer',
  'endless',
  'throws_at_first',
];

function message(
  rng: Rng,
  origin: number,
  atMs: number,
  groupId: string | undefined,
  nature: Nature,
  id: string,
  event: (eventId: string, more?: object) => Payload,
  before: readonly Sent[],
  kind: WorldKind,
): Sent {
  const base = { origin, atMs, groupId, nature };
  const of = (payload: Payload, good: boolean) => ({
    eventId: payload.id ?? '',
    content: JSON.stringify(payload),
    good,
    key: payload.order.key ?? '',
    version: payload.order.version ?? 0,
    silent: payload.silent === true,
    legacy: payload.legacy === true,
  });
  const single = (payload: Payload, good: boolean): Sent => ({
    ...base,
    body: JSON.stringify(payload),
    events: payload.id === undefined ? [] : [of(payload, good)],
  });
  const earlier = before.filter((other) => other.events.length === 1 && ['good', 'legacy'].includes(other.nature));
  switch (nature) {
    case 'good':
      return single(event(id), true);
    case 'sent_twice': {
      if (earlier.length === 0) return { ...single(event(id), true), nature: 'good' };
      const several = before.filter((other) => other.nature === 'several_events');
      const other = rng.pick([...earlier, ...several].slice(-6));
      return { ...base, groupId: other.groupId, body: other.body, events: other.events };
    }
    case 'several_events': {
      const parts = Array.from({ length: rng.int(2, 3) }, (_, index) => event(`${id}.${index}`));
      return { ...base, body: JSON.stringify({ batch: parts }), events: parts.map((part) => of(part, true)) };
    }
    case 'shared_event': {
      // Two messages of several events have one of them in common, as two notifications about one object have.
      const other = earlier.at(-1)?.events[0];
      if (other === undefined) return { ...single(event(id), true), nature: 'good' };
      const fresh = event(`${id}.0`);
      const parts = [JSON.parse(other.content) as Payload, fresh];
      if (rng.chance(0.5)) parts.reverse();
      return { ...base, body: JSON.stringify({ batch: parts }), events: parts.map((part) => of(part, true)) };
    }
    case 'one_event_twice': {
      const payload = event(id);
      return { ...base, body: JSON.stringify({ batch: [payload, payload] }), events: [of(payload, true)] };
    }
    case 'one_bad_of_several': {
      const fine = event(`${id}.0`);
      const bad: Payload = { ...event(`${id}.1`), order: { key: `k-${id}.1` } };
      return { ...base, body: JSON.stringify({ batch: [fine, bad] }), events: [of(fine, true), of(bad, false)] };
    }
    case 'legacy':
      return single(event(id, { legacy: true }), true);
    case 'not_json':
      return { ...base, body: `{"id": "${id}", `, events: [] };
    case 'no_id': {
      const { id: _, ...rest } = event(id);
      return single(rest, false);
    }
    case 'bad_schema':
      return single({ ...event(id), order: { key: `k-${id}` } }, false);
    case 'refused_by_dynamodb': {
      const payload = event(id);
      return single({ ...payload, order: { ...payload.order, aws_refuses: true } }, false);
    }
    case 'not_ours':
      return single({ ...event(id), type: 'other' }, false);
    case 'same_id_other_payload': {
      if (earlier.length === 0) return { ...single(event(id), true), nature: 'good' };
      const other = rng.pick(earlier.slice(-6)).events[0] as Sent['events'][number];
      const payload = event(other.eventId);
      return single({ ...payload, note: 'another', order: { ...payload.order, amount: 1_000_000 + origin } }, true);
    }
    case 'same_key': {
      const other = earlier.at(-1)?.events[0];
      if (other === undefined || kind !== 'reject') return { ...single(event(id), true), nature: 'good' };
      const payload = event(id);
      return single({ ...payload, order: { ...payload.order, key: other.key } }, true);
    }
    case 'killer':
      return single(event(id, { kill: true }), false);
    case 'endless':
      return single(event(id, { endless: true }), false);
    case 'throws_at_first':
      return single(event(id, { throws: true }), true);
  }
}
