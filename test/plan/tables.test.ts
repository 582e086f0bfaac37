import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Plan, planned } from './planned.ts';

const events = 'module.tables.aws_dynamodb_table.processed_events[0]';
const business = 'module.tables.aws_dynamodb_table.business[0]';

let plan: Plan;
beforeAll(async () => {
  plan = await planned();
}, 300_000);

describe('processed_events', () => {
  it('is keyed by the event id, on demand, with the sparse index that the relay reads', () => {
    expect(plan.in('minimal').values(events)).toMatchObject({
      name: 'minimal-processed-events',
      billing_mode: 'PAY_PER_REQUEST',
      hash_key: 'event_id',
      range_key: null,
      global_secondary_index: [
        { name: 'relay', hash_key: 'relay_shard', range_key: 'lease_expires_at_ms', projection_type: 'KEYS_ONLY' },
      ],
    });
    expect(plan.in('minimal').values(events).attribute).toEqual(
      expect.arrayContaining([
        { name: 'event_id', type: 'S' },
        { name: 'relay_shard', type: 'S' },
        { name: 'lease_expires_at_ms', type: 'N' },
      ]),
    );
  });

  it('T-32: always has its TTL, in seconds, on the attribute that only sent rows carry', () => {
    for (const pipeline of ['minimal', 'fifo', 'tuned', 'existing_dlq']) {
      expect(plan.in(pipeline).values(events).ttl).toEqual([{ attribute_name: 'expires_at', enabled: true }]);
    }
  });

  it('T-33: is protected against deletion and can be restored, unless the caller says otherwise', () => {
    for (const table of [events, business]) {
      expect(plan.in('minimal').values(table)).toMatchObject({ deletion_protection_enabled: true });
      expect(plan.in('minimal').values(table).point_in_time_recovery).toMatchObject([{ enabled: true }]);
      expect(plan.in('tuned').values(table)).toMatchObject({ deletion_protection_enabled: false });
      expect(plan.in('tuned').values(table).point_in_time_recovery).toMatchObject([{ enabled: false }]);
    }
  });

  it('T-33: no example is protected, or it could not be removed', () => {
    const tables = plan.json.resource_changes.filter(
      ({ address, type }) => type === 'aws_dynamodb_table' && address.startsWith('module.example_'),
    );
    expect(tables.length).toBeGreaterThan(0);
    for (const { change } of tables) expect(change.after?.deletion_protection_enabled ?? false).toBe(false);
  });
});

describe('the business table', () => {
  it('has one key, pk, until the caller names them', () => {
    expect(plan.in('minimal').values(business)).toMatchObject({
      name: 'minimal-business',
      hash_key: 'pk',
      range_key: null,
      attribute: [{ name: 'pk', type: 'S' }],
    });
  });

  it('has the keys and types that the caller names', () => {
    expect(plan.in('tuned').values(business)).toMatchObject({ hash_key: 'id', range_key: 'line' });
    expect(plan.in('tuned').values(business).attribute).toEqual(
      expect.arrayContaining([
        { name: 'id', type: 'N' },
        { name: 'line', type: 'N' },
      ]),
    );
  });

  it('neither table is created when both are brought along', () => {
    expect(
      [...plan.in('existing').resources.keys()].filter((address) => address.includes('aws_dynamodb_table')),
    ).toEqual([]);
  });
});

describe('the tables with the relay and without', () => {
  /** Names and tags say which pipeline it is; everything else that a table is planned with. */
  const planOf = (call: string, name: string, table: string) => {
    const { change } = plan.in(call).resource(table);
    return JSON.parse(JSON.stringify(change).replaceAll(`"${name}`, '"NAME'));
  };

  // The same address and the same arguments are no change, whatever the provider would replace the table for.
  it.each([events, business])('%s is the same: the relay can be switched on and off at any time', (table) => {
    const relays = ({ resources }: Plan) =>
      [...resources.keys()].filter((key) => key.startsWith('module.relay')).length;
    expect(relays(plan.in('minimal'))).toBeGreaterThan(0);
    expect(relays(plan.in('existing_dlq'))).toBe(0);
    const off = planOf('existing_dlq', 'existing-dlq', table);
    expect(off).toEqual(planOf('minimal', 'minimal', table));
    expect(off).toMatchObject({ actions: ['create'], after: { name: expect.stringMatching(/^NAME-/) } });
  });
});
