import { describe, expect, it } from '@jest/globals';
import { segmentAt, sweepSegments } from '../../src/core/sweep.ts';
import { Harness, order, record, START_MS } from './harness.ts';

async function dropped(receiveCount: number): Promise<Harness> {
  const h = new Harness();
  const publish = h.topic.publish.bind(h.topic);
  h.topic.publish = () => {
    throw new Error('process gone');
  };
  await h.deliver(record('m1', order('o-1'), { receiveCount }));
  h.topic.publish = publish;
  return h;
}

describe('the relay', () => {
  it('publishes a row in trouble from its stored bytes; the redriven message is then only acknowledged', async () => {
    const h = await dropped(2);
    h.clock.advance(31_001);
    expect(await h.relay()).toMatchObject({ relayed: 1, failed: 0, inTrouble: 0, oldestSeconds: 31 });
    expect(h.topic.ids).toEqual(['o-1']);
    expect(await h.deliver(record('m9', order('o-1')))).toEqual([]);
    expect(h.topic.ids).toEqual(['o-1']);
  });

  it('leaves a live lease alone, and a lease that is not over for long enough', async () => {
    const h = await dropped(2);
    h.clock.advance(20_000);
    expect(await h.relay()).toMatchObject({ relayed: 0, inTrouble: 1 });
    h.clock.advance(11_001);
    expect(await h.relay({ graceMs: 60_000 })).toMatchObject({ relayed: 0, inTrouble: 1 });
  });

  it('two relays and a redelivery at once publish once', async () => {
    const h = await dropped(2);
    h.clock.advance(31_001);
    const [a, b, failed] = await Promise.all([
      h.relay(),
      h.relay(),
      h.deliver(record('m1', order('o-1'), { receiveCount: 3 })),
    ]);
    expect(h.topic.ids).toEqual(['o-1']);
    expect((a?.relayed ?? 0) + (b?.relayed ?? 0) + (failed?.length === 0 ? 1 : 0)).toBeGreaterThanOrEqual(1);
    expect(h.store.status('o-1')).toBe('sent');
  });

  it('a row that cannot be published keeps the new lease, behind rows that were never tried', async () => {
    const h = await dropped(2);
    h.clock.advance(31_001);
    h.topic.fault = () => 'failed';
    expect(await h.relay()).toMatchObject({ relayed: 0, failed: 1, inTrouble: 1 });
    const row = h.store.row('o-1');
    expect(row !== undefined && 'leaseExpiresAtMs' in row ? row.leaseExpiresAtMs : 0).toBeGreaterThan(h.clock.now());
  });

  it('a row that the index does not know is found by the sweep, in its segment', async () => {
    const h = await dropped(1);
    h.clock.advance(31_001);
    expect(await h.relay()).toMatchObject({ relayed: 0, inTrouble: 0 });
    expect(await h.relay({ sweepHours: 1, intervalMinutes: 60 })).toMatchObject({
      relayed: 1,
      sweep: { segments: 1, complete: true },
    });
    expect(h.topic.ids).toEqual(['o-1']);
  });

  it('the sweep leaves a live lease alone, and one that is not over for long enough, whatever the grace', async () => {
    const h = await dropped(1);
    const sweep = { graceMs: 60_000, sweepHours: 1, intervalMinutes: 60 };
    for (const ms of [1_000, 28_000, 3_000, 58_000]) {
      h.clock.advance(ms);
      expect(await h.relay(sweep)).toMatchObject({ relayed: 0, sweep: { pending: 1 } });
    }
    h.clock.advance(2_000);
    expect(await h.relay(sweep)).toMatchObject({ relayed: 1 });
    expect(h.topic.ids).toEqual(['o-1']);
  });

  it('a segment that does not fit its run is reported', async () => {
    const h = await dropped(1);
    h.store.scanPending = async () => {
      h.clock.advance(60_000);
      return { rows: [], next: { event_id: { S: 'x' } } };
    };
    expect((await h.relay({ sweepHours: 24 })).sweep?.complete).toBe(false);
    expect(h.telemetry.sum('SweepIncomplete')).toBe(1);
  });

  it.each(['queryTroubled', 'countTroubled', 'scanPending'] as const)(
    'a run whose %s is aborted at its deadline still reports what it did',
    async (call) => {
      const h = await dropped(2);
      h.clock.advance(31_001);
      h.store[call] = async () => {
        h.clock.advance(60_000);
        throw new Error('Request aborted');
      };
      const report = await h.relay({ sweepHours: 24 });
      expect(report.sweep?.complete).toBe(call === 'countTroubled');
      const relayed = call === 'queryTroubled' ? 0 : 1;
      expect(report.relayed).toBe(relayed);
      expect(h.telemetry.sum('Relayed')).toBe(relayed);
      expect(h.telemetry.metrics.map(({ metric }) => metric)).toContain('RowsInTrouble');
    },
  );

  it('a failure that is no abort ends the run', async () => {
    const h = await dropped(2);
    h.store.queryTroubled = async () => {
      throw new Error('AccessDeniedException');
    };
    await expect(h.relay()).rejects.toThrow('AccessDeniedException');
  });
});

describe('what a run says and asks', () => {
  const measured = (h: Harness) => h.telemetry.metrics.map(({ metric, value }) => [metric, value]);

  it('its metrics and its line, when all went well', async () => {
    const h = await dropped(2);
    h.clock.advance(31_001);
    h.telemetry.metrics.length = 0;
    h.telemetry.lines.length = 0;
    await h.relay({ sweepHours: 1, intervalMinutes: 60 });
    expect(measured(h)).toEqual([
      ['RowsInTrouble', 0],
      ['OldestRowInTrouble', 31],
      ['Relayed', 1],
      ['RelayFailed', 0],
      ['SweepIncomplete', 0],
    ]);
    expect(h.telemetry.lines).toEqual([{ level: 'info', message: 'relay', fields: { count: 1, failed: 0 } }]);
  });

  it('and when a row could not be published', async () => {
    const h = await dropped(2);
    h.clock.advance(31_001);
    h.topic.fault = () => 'failed';
    h.telemetry.metrics.length = 0;
    h.telemetry.lines.length = 0;
    await h.relay();
    expect(measured(h)).toEqual([
      ['RowsInTrouble', 1],
      ['OldestRowInTrouble', 31],
      ['Relayed', 0],
      ['RelayFailed', 1],
    ]);
    expect(h.telemetry.lines.slice(-2)).toEqual([
      { level: 'error', message: 'not relayed', fields: { event_id: 'o-1', reason: 'publish_failed' } },
      { level: 'info', message: 'relay', fields: { count: 0, failed: 1 } },
    ]);
  });

  it('its lease has its own name, so that nobody takes it for theirs', async () => {
    const h = await dropped(2);
    h.clock.advance(31_001);
    await h.relay();
    expect(h.store.updates.flat().find(({ kind }) => kind === 'takeover')).toMatchObject({
      owner: expect.stringMatching(/^relay\/relay-\d+$/),
    });
  });

  it('asks each shard of the index for leases that are over for the grace, page by page', async () => {
    const h = new Harness();
    const asked: unknown[] = [];
    const next = { event_id: { S: 'o-9' } };
    h.store.queryTroubled = async (shard, beforeMs, limit, from) => {
      asked.push([shard, beforeMs, limit, from]);
      return { eventIds: [], ...(shard === '0' && from === undefined && { next }) };
    };
    await h.relay({ graceMs: 60_000 });
    const before = START_MS - 60_000;
    expect(asked).toEqual([
      ['0', before, 50, undefined],
      ['0', before, 50, next],
      ...['1', '2', '3'].map((shard) => [shard, before, 50, undefined]),
    ]);
  });

  it('with the sweep off the table is not scanned', async () => {
    const h = await dropped(1);
    h.store.scanPending = async () => {
      throw new Error('scanned');
    };
    expect(await h.relay({ sweepHours: null })).toMatchObject({ sweep: undefined });
  });

  it('within its deadline margin it asks for nothing, and is no failure', async () => {
    const h = await dropped(2);
    h.clock.advance(31_001);
    const asked: string[] = [];
    h.store.queryTroubled = async () => {
      asked.push('index');
      return { eventIds: [] };
    };
    h.store.scanPending = async () => {
      asked.push('table');
      return { rows: [], next: undefined };
    };
    const report = await h.relay({ deadlineMarginMs: 60_000, sweepHours: 24 });
    expect(asked).toEqual([]);
    expect(report.sweep?.complete).toBe(false);
  });

  it('once its calls are aborted it counts no further', async () => {
    const h = await dropped(2);
    h.clock.advance(31_001);
    const counted: string[] = [];
    h.store.countTroubled = async (shard) => {
      counted.push(shard);
      h.clock.advance(60_000);
      return { rows: 1 };
    };
    expect(await h.relay()).toMatchObject({ inTrouble: 1 });
    expect(counted).toHaveLength(1);
  });

  it('leaves no alarm behind, whether it ends well or not', async () => {
    const h = await dropped(2);
    let open = 0;
    const alarm = h.clock.alarm.bind(h.clock);
    h.clock.alarm = (atMs, callback) => {
      open += 1;
      const cancel = alarm(atMs, callback);
      return () => {
        open -= 1;
        cancel();
      };
    };
    await h.relay();
    h.store.queryTroubled = async () => {
      throw new Error('AccessDeniedException');
    };
    await expect(h.relay()).rejects.toThrow();
    expect(open).toBe(0);
  });
});

describe('an index that cannot be read', () => {
  it('fails the run, and not the sweep', async () => {
    const h = await dropped(1);
    h.clock.advance(31_001);
    h.store.queryTroubled = async () => {
      throw new Error('AccessDeniedException');
    };
    await expect(h.relay({ sweepHours: 1, intervalMinutes: 60 })).rejects.toThrow('AccessDenied');
    expect(h.topic.ids).toEqual(['o-1']);
  });
});

describe('the sweep', () => {
  it('reads the segment of the time that the run was due, however late it begins', async () => {
    const h = new Harness();
    const due = START_MS + 149_000;
    h.clock.advance(151_000);
    const report = await h.relay({ sweepHours: 24, intervalMinutes: 5 }, due);
    expect(report.sweep?.segment).toBe(segmentAt(due, 288, 5));
    expect(report.sweep?.segment).not.toBe(segmentAt(h.clock.now(), 288, 5));
  });

  it('reads every segment once in its time, chosen by the clock', () => {
    const segments = sweepSegments(24, 5);
    expect(segments).toBe(288);
    const seen = new Set(
      Array.from({ length: segments }, (_, run) => segmentAt(START_MS + run * 300_000 + 4_000, segments, 5)),
    );
    expect(seen.size).toBe(288);
  });
});
