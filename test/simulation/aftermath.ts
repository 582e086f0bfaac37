import { mix, Rng } from './rng.ts';
import type { Scenario } from './scenario.ts';
import { message, type Nature, ownOrder, SABOTAGE, type Sent } from './traffic.ts';

/** Of all seeds. The others are the runs that they would be without aftermaths. */
const SHARE = 0.15;
/** A suspect is tried from its third receive on; with four, those behind a killer come before it once. */
const RECEIVES = 4;
/** What a deploy that judges wrongly says of messages: found in decoding, in planning and in the commit. */
const REFUSED: readonly Nature[] = ['no_id', 'bad_schema', 'bad_schema', 'bad_schema', 'refused_by_dynamodb'];

/**
 * After the storm, under some seeds, a burst is received in one batch, again and again until it is at the dead-letter
 * queue: fresh messages beside one that kills the process, or a batch most of which is refused. No fault is around, so
 * whoever is harmed is harmed by a neighbour.
 */
export function aftermath(scenario: Scenario): Scenario {
  const rng = new Rng(mix(scenario.seed, 41));
  if (!rng.chance(SHARE)) return scenario;
  // One a run: of two nobody can tell which one stops the others.
  const killer = rng.chance(0.65) && !scenario.messages.some(({ nature }) => SABOTAGE.has(nature));
  const maxReceiveCount = Math.max(scenario.maxReceiveCount, RECEIVES);
  return {
    ...scenario,
    maxReceiveCount,
    batchSize: Math.max(scenario.batchSize, 10),
    // After one second, and then after two, all of a burst comes back at once.
    settings: { ...scenario.settings, maxReceiveCount, ...(!killer && { quarantine: true, backoffBaseSeconds: 1 }) },
    messages: [...scenario.messages, ...(killer ? besideAKiller(rng, scenario) : mostlyRefused(rng, scenario))],
  };
}

/** A killer, its neighbours from the first receive on, and some that arrive whenever it is received again. */
function besideAKiller(rng: Rng, scenario: Scenario): Sent[] {
  const groups = rng.int(2, 5);
  const of = (nature: Nature, round: number) => ({ nature, round, group: `a${rng.int(1, groups)}` });
  const burst = Array.from({ length: rng.int(4, 8) }, () => of(rng.chance(0.8) ? 'good' : 'several_events', 0));
  burst.splice(rng.int(0, burst.length), 0, of('killer', 0));
  for (let round = 1; round < RECEIVES; round += 1) if (rng.chance(0.4)) burst.push(of('good', round));
  return burst.map(({ nature, round, group }, index) => sent(rng, scenario, index, nature, round, group));
}

/** Each in a group of its own: what is refused blocks nobody, and all of it can be known before it is judged. */
function mostlyRefused(rng: Rng, scenario: Scenario): Sent[] {
  const refused = rng.int(6, 10) / 10;
  return Array.from({ length: rng.int(6, 10) }, (_, index) =>
    sent(rng, scenario, index, rng.chance(refused) ? rng.pick(REFUSED) : 'good', 0, `a${index}`),
  );
}

function sent(rng: Rng, scenario: Scenario, index: number, nature: Nature, round: number, group: string): Sent {
  const origin = scenario.messages.length + index;
  // A batch that a crash sends back is received again when its visibility timeout is over.
  const atMs = scenario.calmAtMs + round * (scenario.visibilityMs + 1);
  const groupId = scenario.settings.source === 'sqs_fifo' ? group : undefined;
  const event = ownOrder(origin, 1_000 + origin);
  return { ...message(rng, origin, atMs, groupId, nature, `e${origin}`, event, [], scenario.kind), together: true };
}
