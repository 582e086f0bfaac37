import type { AttributeMap } from '../../functions/src/core/attribute-value.ts';
import { parseRow } from '../../functions/src/core/row.ts';
import type { Row } from '../../functions/src/core/types.ts';
import type {
  CommitEvent,
  CommitOutcome,
  EventStore,
  Read,
  RowUpdate,
  RowUpdateOutcome,
} from '../../functions/src/ports.ts';
import type { Instance } from './container.ts';
import { type Code, type Transaction, textOf } from './dynamodb.ts';
import type { Rng } from './rng.ts';

/** DynamoDB as a container sees it. */
export function storeOf(host: Instance): EventStore {
  const { world } = host;
  const { db } = world;
  return {
    commit: (events, signal) => {
      const own = events.map((event) => ownVersion(host, event));
      world.token += 1;
      const token = `t${world.token}`;
      return host.call<CommitOutcome>(signal, {
        operations: ['commit'],
        execute: (dice) => transact(host, own, token, dice, false),
        retry: (dice) => transact(host, own, token, dice, true),
        refused: (dice) =>
          dice.chance(0.5)
            ? { kind: 'throttled', name: 'ThrottlingException', retried: false }
            : { kind: 'refused', name: 'AccessDeniedException', permanent: false, retried: false },
        unknown: () => ({ kind: 'unknown', name: 'TimeoutError' }),
        describe: () => `commit ${own.map(({ row }) => textOf(row.event_id)).join(' ')}`,
        outcome: describeCommit,
        flying: own.map(({ row }) => textOf(row.event_id)),
      });
    },
    readRows: (eventIds, signal) =>
      host.call<readonly Read<Row>[]>(signal, {
        operations: ['read_rows'],
        execute: (dice) =>
          eventIds.map((eventId) => {
            if (host.strikes(dice)) {
              host.hit('read: some keys unprocessed');
              return { kind: 'failed', name: 'UnprocessedKeys' };
            }
            const item = db.row(eventId);
            return item === undefined ? { kind: 'absent' } : { kind: 'found', value: parse(host, item) };
          }),
        refused: () => eventIds.map(() => ({ kind: 'failed', name: 'ThrottlingException' })),
        unknown: () => eventIds.map(() => ({ kind: 'failed', name: 'TimeoutError' })),
        describe: () => `read ${eventIds.join(' ')}`,
        outcome: (reads) => reads.map(describeRead).join(' '),
      }),
    readItems: (keys, signal) =>
      host.call<readonly Read<AttributeMap>[]>(signal, {
        operations: ['read_items'],
        execute: (dice) =>
          keys.map(({ table, key }) => {
            if (host.strikes(dice)) return { kind: 'failed', name: 'UnprocessedKeys' };
            const item = db.item(table, key);
            return item === undefined ? { kind: 'absent' } : { kind: 'found', value: item };
          }),
        refused: () => keys.map(() => ({ kind: 'failed', name: 'ThrottlingException' })),
        unknown: () => keys.map(() => ({ kind: 'failed', name: 'TimeoutError' })),
        describe: () => `read items ${keys.map(({ key }) => textOf(key.pk)).join(', ')}`,
        outcome: (reads) => reads.map(({ kind }) => kind).join(' '),
      }),
    update: (updates, signal) =>
      host.call<readonly RowUpdateOutcome[]>(signal, {
        operations: [...new Set(updates.map(({ kind }) => kind))],
        execute: (dice) => updates.map((update) => updateRow(host, update, dice, updates.length > 1)),
        refused: () => updates.map(() => ({ kind: 'failed', name: 'ThrottlingException' })),
        unknown: () => updates.map(() => ({ kind: 'failed', name: 'TimeoutError' })),
        describe: () => updates.map(({ kind, eventId }) => `${kind} ${eventId}`).join(', '),
        outcome: (outcomes) => outcomes.map(({ kind }) => kind).join(' '),
      }),
  };
}

/** The next release of the consumer writes rows of a newer shape. */
function ownVersion(host: Instance, event: CommitEvent): CommitEvent {
  return host.version.row === 1 ? event : { ...event, row: { ...event.row, v: { N: '2' } } };
}

/** Reads a row as the release in this container does. */
export function parse(host: Instance, item: AttributeMap): Row {
  return parseRow(host.version.row === 1 ? item : { ...item, v: { N: '1' } });
}

function transact(
  host: Instance,
  events: readonly CommitEvent[],
  token: string,
  dice: Rng,
  retried: boolean,
): CommitOutcome {
  const { world } = host;
  const injected = injectCancellation(host, events, dice, retried);
  if (injected !== undefined) return injected;
  return toOutcome(host, events, world.db.transact(events, token, world.loop.now), dice, retried);
}

/** A reason that has nothing to do with any condition, beside whatever the conditions say. */
function injectCancellation(
  host: Instance,
  events: readonly CommitEvent[],
  dice: Rng,
  retried: boolean,
): CommitOutcome | undefined {
  const [strikes, which, where] = [dice.next(), dice.next(), dice.next()];
  if (strikes >= host.world.weather.answers * 2) return undefined;
  const judged = host.world.db.judge(events, host.world.loop.now);
  if (judged.kind === 'refused') return undefined;
  if (which < 0.15) {
    host.hit('commit: cancelled without reasons');
    return { kind: 'cancelled', reasons: [], retried };
  }
  const code =
    which < 0.6
      ? 'TransactionConflict'
      : which < 0.75
        ? 'ThrottlingError'
        : which < 0.9
          ? 'ProvisionedThroughputExceeded'
          : 'SomethingNew';
  host.hit(
    which < 0.6
      ? 'commit: conflict injected'
      : which < 0.9
        ? 'commit: throttling among the reasons'
        : 'commit: unknown reason',
  );
  const flat = judged.codes.flatMap((codes, event) => codes.map((_, action) => ({ event, action })));
  const hit = flat[Math.floor(where * flat.length)];
  const codes = judged.codes.map((all, event) =>
    all.map((own, action): Code => (hit?.event === event && hit.action === action ? { code } : own)),
  );
  return toOutcome(host, events, { kind: 'cancelled', codes }, dice, retried);
}

function toOutcome(
  host: Instance,
  events: readonly CommitEvent[],
  transaction: Transaction,
  dice: Rng,
  retried: boolean,
): CommitOutcome {
  switch (transaction.kind) {
    case 'committed':
      return { kind: 'committed', writeUnits: events.length * 4 };
    case 'refused':
      host.hit('commit: refused as invalid');
      return {
        kind: 'refused',
        name: transaction.name,
        permanent: transaction.name === 'ValidationException',
        retried,
      };
    case 'cancelled':
      return {
        kind: 'cancelled',
        reasons: transaction.codes.map((codes) =>
          codes.map(({ code, item }, index) => {
            if (code === 'TransactionConflict') host.hit('commit: real conflict between transactions');
            if (code === 'ConditionalCheckFailed' && index > 0) host.hit('commit: business condition failed');
            if (item === undefined) return { code };
            host.hit('commit: cancelled by an existing row');
            if (host.strikes(dice)) {
              host.hit('commit: existing row left out of the reason');
              return { code };
            }
            return { code, row: parse(host, item) };
          }),
        ),
        retried,
      };
  }
}

function updateRow(host: Instance, update: RowUpdate, dice: Rng, several: boolean): RowUpdateOutcome {
  const { world } = host;
  if (host.strikes(dice)) {
    if (several) host.hit('update: one statement of several failed');
    return { kind: 'failed', name: 'ThrottlingError' };
  }
  const updated = world.db.update(update, world.loop.now);
  switch (updated.kind) {
    case 'done':
      if (update.kind === 'takeover') world.tookOver(host, update.eventId);
      return { kind: 'done' };
    case 'conflict':
      return { kind: 'failed', name: 'TransactionConflict' };
    case 'condition_failed':
      if (host.strikes(dice)) {
        host.hit('update: row left out of a failed condition');
        return { kind: 'condition_failed', row: undefined };
      }
      return { kind: 'condition_failed', row: updated.item === undefined ? null : parse(host, updated.item) };
  }
}

function describeCommit(outcome: CommitOutcome): string {
  if (outcome.kind === 'cancelled')
    return `cancelled${outcome.retried ? ' (retried)' : ''}: ${outcome.reasons.map((codes) => codes.map(({ code, row }) => code + (row === undefined ? '' : `(${describeRow(row)})`)).join('+')).join(' ')}`;
  return outcome.kind === 'committed' ? 'committed' : `${outcome.kind} ${outcome.name}`;
}

function describeRead(read: Read<Row>): string {
  return read.kind === 'found' ? describeRow(read.value) : read.kind;
}

function describeRow(row: Row): string {
  return 'unknown' in row ? 'unknown' : `${row.status} by ${row.leaseOwner} until ${row.leaseExpiresAtMs}`;
}
