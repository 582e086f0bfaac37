import { describe, expect, it } from '@jest/globals';
import { counts, createTraffic } from '../../scripts/demo/traffic.ts';
import { type Evidence, named, type SentMessage } from '../../scripts/promises/evidence.ts';
import { judge } from '../../scripts/promises/judge.ts';
import { table } from '../../scripts/promises/table.ts';

const traffic = createTraffic('r1');
const sent: readonly SentMessage[] = [traffic.crash, ...traffic.calls]
  .flat()
  .map((sending, index) => ({ ...sending, messageId: `m-${index}` }));

/** What a pipeline that keeps every promise leaves behind; the first message of an id wins. */
function kept(): Evidence {
  const winners = new Map<string, SentMessage>();
  for (const message of sent) {
    if (message.eventId !== null && !winners.has(message.eventId)) winners.set(message.eventId, message);
  }
  const dead = sent.filter(({ eventId, body }) => eventId === null || winners.get(eventId)?.body !== body);
  return {
    sent,
    events: [...winners.keys()].map((eventId) => ({ eventId, status: 'sent' })),
    orders: [...winners.values()].map(({ body }) =>
      Object.fromEntries(Object.entries(JSON.parse(body)).map(([name, value]) => [name, String(value)])),
    ),
    deliveries: [...winners.keys()].map((event_id) => ({ message: '{}', attributes: { event_id } })),
    dead: dead.map(({ messageId, body, eventId }) => ({
      messageId: `${messageId}-dead`,
      sourceMessageId: messageId,
      reason: eventId === null ? 'not_json' : 'payload_mismatch',
      body,
    })),
  };
}

function broken(evidence: Evidence, left = 0): readonly string[] {
  return judge(evidence, left)
    .verdicts.filter(({ against }) => against.length > 0)
    .map(({ promise }) => promise);
}

describe("the demo's traffic", () => {
  it('is 60 orders, some twice in one call, some sent again, one id used twice and two unreadable bodies', () => {
    expect(new Set(sent.map(({ eventId }) => eventId).filter((id) => id !== null)).size).toBe(counts.orders);
    expect(sent).toHaveLength(60 + counts.twiceInOneBatch + counts.sentAgain + counts.reusedIds + counts.unreadable);
    expect(traffic.calls.every((call) => call.length <= 10)).toBe(true);
    const twice = traffic.calls[0]?.map(({ eventId }) => eventId) ?? [];
    expect(twice).toHaveLength(2 * new Set(twice).size);
  });

  it('has ids of its own in each run', () => {
    expect(createTraffic().runId).not.toBe(createTraffic().runId);
  });
});

describe("the demo's verdict", () => {
  it('is ticks alone for a pipeline that keeps its promises, a duplicate announcement included', () => {
    const evidence = kept();
    const twice = { ...evidence, deliveries: [...evidence.deliveries, ...evidence.deliveries.slice(0, 3)] };
    expect(broken(twice)).toEqual([]);
    expect(judge(twice, 0)).toMatchObject({ distinctDeliveries: 60, deliveries: 63, rows: 60, missing: [] });
    expect(table(judge(twice, 0))).toMatch(/G1 .*✓\n.*G2 .*✓\n.*G3 .*✓\n.*G4 .*✓/);
  });

  it('crosses G1 when a row is missing, when an order is, or when one is not what was sent', () => {
    const evidence = kept();
    expect(broken({ ...evidence, events: evidence.events.slice(1) })).toContain('G1');
    expect(broken({ ...evidence, orders: evidence.orders.slice(1) })).toContain('G1');
    const wrong = evidence.orders.map((order, index) => (index === 0 ? { ...order, amount: '0' } : order));
    expect(broken({ ...evidence, orders: wrong })).toContain('G1');
    const invented = [...evidence.events, { eventId: 'r1-999', status: 'sent' }];
    expect(broken({ ...evidence, events: invented })).toContain('G1');
  });

  it('crosses G2 when a committed event was not announced', () => {
    const evidence = kept();
    expect(broken({ ...evidence, deliveries: evidence.deliveries.slice(1) })).toEqual(['G2']);
  });

  it('crosses G3 when a message is nowhere, or still in the queue', () => {
    const evidence = kept();
    expect(broken({ ...evidence, dead: evidence.dead.slice(1) })).toEqual(['G3']);
    expect(broken(evidence, 1)).toEqual(['G3']);
  });

  it('crosses G3 when the second of two payloads under one id was acknowledged', () => {
    const evidence = kept();
    const dead = evidence.dead.filter(({ reason }) => reason !== 'payload_mismatch');
    expect(broken({ ...evidence, dead })).toEqual(['G3']);
  });

  it('crosses G4 when an event is pending and its message is gone', () => {
    const evidence = kept();
    const events = evidence.events.map((event, index) => (index === 0 ? { ...event, status: 'pending' } : event));
    expect(broken({ ...evidence, events })).toContain('G4');
  });

  it('crosses G1 when AWS executed two transactions of one event', () => {
    expect(broken({ ...kept(), commits: new Map([['r1-001', 2]]) })).toEqual(['G1']);
  });

  it('crosses G5 when a message is quarantined although it says what is stored', () => {
    const evidence = kept();
    const { messageId, body } = sent[0] as SentMessage;
    const harmed = { messageId: 'd', sourceMessageId: messageId, reason: 'payload_mismatch', body };
    expect(broken({ ...evidence, dead: [...evidence.dead, harmed] })).toEqual(['G5']);
  });

  it('knows a redriven message by its body, once for each that was sent', () => {
    const again = { messageId: 'new-1', sourceMessageId: 'new-1', reason: 'not_json', body: 'order, by fax' };
    const message = { messageId: 'm-1', eventId: null, body: 'order, by fax' };
    expect(named([again, { ...again, messageId: 'new-2' }], [message])).toEqual([{ ...again, sourceMessageId: 'm-1' }]);
    expect(named([again], [{ ...message, body: 'of another run' }])).toEqual([]);
  });

  it('names what speaks against a promise', () => {
    const evidence = kept();
    expect(table(judge({ ...evidence, deliveries: evidence.deliveries.slice(1) }, 0))).toContain(
      'G2: r1-001 is committed and was never announced',
    );
  });
});
