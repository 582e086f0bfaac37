import { mix, Rng } from './rng.ts';
import type { Scenario } from './scenario.ts';
import { eventOf, message, type Nature, ownOrder, type Payload, type Sent } from './traffic.ts';

/** Of all seeds, and of those that deploy a stricter filter. The others are the runs that they would be without rarities. */
const SHARE = 0.3;
const SHARE_FILTERED = 0.7;
/** A copy that comes this long after the deploy at most, of what was sent this long before it. */
const ECHO_MS = 5_000;
const BEFORE_MS = 30_000;
/** Natures that show a bug only together with a fault at the right call. */
const RARE: readonly Nature[] = ['one_bad_of_several', 'one_bad_of_several', 'refused_by_dynamodb', 'same_key'];

/**
 * What the dice give too seldom, in the storm of some seeds: more of the natures that are judged beside a fault, and after a
 * deploy of a stricter filter, copies of what was sent shortly before it and may be committed and unpublished.
 */
export function rarities(scenario: Scenario, startMs: number): Scenario {
  const rng = new Rng(mix(scenario.seed, 43));
  const filtered = scenario.versions.find(({ version }) => version.filter === 'strict');
  if (!rng.chance(filtered === undefined ? SHARE : SHARE_FILTERED)) return scenario;
  const messages = [...scenario.messages];
  for (let count = rng.int(2, 4); count > 0; count -= 1) {
    const atMs = startMs + rng.int(0, 60) * 1_000;
    const groupId = rng.pick(scenario.messages).groupId;
    messages.push(rare(rng, scenario, messages, atMs, groupId));
  }
  if (filtered === undefined) return { ...scenario, messages };
  const old = scenario.messages.filter(
    ({ nature, atMs }) => nature === 'legacy' && atMs < filtered.atMs && atMs > filtered.atMs - BEFORE_MS,
  );
  for (const sent of old.slice(-6)) {
    const atMs = filtered.atMs + rng.int(0, ECHO_MS);
    const origin = messages.length;
    if (rng.chance(0.7)) messages.push({ ...sent, origin, atMs, nature: 'sent_twice' });
    else messages.push(besideABadOne(sent, origin, atMs));
  }
  return { ...scenario, messages };
}

/** The same event again, in a message that is quarantined for another. */
function besideABadOne(sent: Sent, origin: number, atMs: number): Sent {
  const eventId = `e${origin}.1`;
  const bad: Payload = { id: eventId, type: 'order', note: `n${origin}`, order: { key: `k-${eventId}` } };
  return {
    ...sent,
    origin,
    atMs,
    nature: 'one_bad_of_several',
    body: JSON.stringify({ batch: [JSON.parse(sent.body), bad] }),
    events: [...sent.events, eventOf(bad, false)],
  };
}

function rare(rng: Rng, scenario: Scenario, before: readonly Sent[], atMs: number, groupId: string | undefined): Sent {
  const origin = before.length;
  const event = ownOrder(origin, 100 + origin);
  return message(rng, origin, atMs, groupId, rng.pick(RARE), `e${origin}`, event, before, scenario.kind);
}
