import { describe, expect, it } from '@jest/globals';
import { type Lane, publishAll } from '../../src/core/publish.ts';
import type { Notification } from '../../src/core/types.ts';
import type { PublishOutcome } from '../../src/ports.ts';
import { TOPIC } from './harness.ts';
import { type StageWorld, type WorldOptions, world } from './stage-world.ts';

const FIFO = `${TOPIC}.fifo`;
const OTHER = `${TOPIC}-other`;

const on = (topicArn: string, message: string, groupId?: string): Notification => ({
  topicArn,
  message,
  attributes: {},
  ...(groupId === undefined ? {} : { groupId }),
});
const failed = (name = 'InternalError', unknown = false): PublishOutcome => ({ kind: 'failed', name, unknown });
const published = (...messages: string[]) => ({
  kind: 'published',
  snsMessageIds: messages.map((message) => `sns of ${message}`),
});

interface Sent {
  readonly topicArn: string;
  readonly messages: readonly string[];
}

/** A topic that accepts everything but what `answer` says of a message and its try, counted from 1. */
function topic(
  options: WorldOptions = {},
  answer: (message: string, tried: number, w: StageWorld) => PublishOutcome | undefined = () => undefined,
) {
  const w = world(options);
  const sent: Sent[] = [];
  const tries = new Map<string, number>();
  w.h.topic.publish = async (topicArn, entries) => {
    const messages = entries.map(({ notification }) => notification.message);
    sent.push({ topicArn, messages });
    return messages.map((message) => {
      const tried = (tries.get(message) ?? 0) + 1;
      tries.set(message, tried);
      return answer(message, tried, w) ?? { kind: 'published', snsMessageId: `sns of ${message}` };
    });
  };
  return { ...w, sent, messages: () => sent.map(({ messages }) => messages) };
}

describe('what one call to the topic holds', () => {
  it('notifications of many events, ten at most', async () => {
    const t = topic();
    const names = Array.from({ length: 21 }, (_, i) => `m${i}`);
    const outcomes = await publishAll(
      t.ctx,
      names.map((name) => [on(TOPIC, name)]),
    );
    expect(outcomes).toEqual(names.map((name) => published(name)));
    expect(t.sent).toEqual([
      { topicArn: TOPIC, messages: names.slice(0, 10) },
      { topicArn: TOPIC, messages: names.slice(10, 20) },
      { topicArn: TOPIC, messages: names.slice(20) },
    ]);
    expect(t.h.telemetry.lines).toEqual([]);
    expect(t.sleeps).toEqual([]);
  });

  it.each([
    ['exactly what the topic takes', 12, [['aaaa', 'bbbb', 'cccc']]],
    ['one byte less', 11, [['aaaa', 'bbbb'], ['cccc']]],
    ['what only one fits in', 7, [['aaaa'], ['bbbb'], ['cccc']]],
  ])('no more bytes than the topic takes: %s', async (_, topicMaxBytes, calls) => {
    const t = topic({ settings: { topicMaxBytes } });
    await publishAll(t.ctx, [[on(TOPIC, 'aaaa'), on(TOPIC, 'bbbb'), on(TOPIC, 'cccc')]]);
    expect(t.messages()).toEqual(calls);
  });

  it('one topic: events that publish to two are answered for both', async () => {
    const t = topic();
    const both = (name: string) => [on(TOPIC, `${name} here`), on(OTHER, `${name} there`)];
    expect(await publishAll(t.ctx, [both('a'), both('b')])).toEqual([
      published('a here', 'a there'),
      published('b here', 'b there'),
    ]);
    expect(t.sent).toEqual([
      { topicArn: TOPIC, messages: ['a here', 'b here'] },
      { topicArn: OTHER, messages: ['a there', 'b there'] },
    ]);
  });

  it('as many calls at a time as the concurrency allows', async () => {
    const w = world({ settings: { concurrency: 2 } });
    let flying = 0;
    let most = 0;
    w.h.topic.publish = async (_, entries) => {
      flying += 1;
      most = Math.max(most, flying);
      await new Promise((resolve) => setImmediate(resolve));
      flying -= 1;
      return entries.map(() => ({ kind: 'published', snsMessageId: 'sns' }));
    };
    await publishAll(
      w.ctx,
      [1, 2, 3, 4].map((n) => [on(`${TOPIC}-${n}`, 'm')]),
    );
    expect(most).toBe(2);
  });

  it('an event without notifications owes nothing, and no call is made', async () => {
    const t = topic();
    expect(await publishAll(t.ctx, [[]])).toEqual([published()]);
    expect(t.sent).toEqual([]);
  });
});

describe('what was not published is tried once more', () => {
  it('alone, with jitter', async () => {
    const t = topic({}, (message, tried) => (message === 'b' && tried === 1 ? failed() : undefined));
    expect(await publishAll(t.ctx, [[on(TOPIC, 'a')], [on(TOPIC, 'b'), on(TOPIC, 'c')]])).toEqual([
      published('a'),
      published('b', 'c'),
    ]);
    expect(t.messages()).toEqual([['a', 'b', 'c'], ['b']]);
    expect(t.sleeps).toEqual([50]);
    expect(t.h.telemetry.lines).toEqual([]);
  });

  it('then it is owed; the log names each error once with its count', async () => {
    const t = topic({}, (message) => {
      if (message.startsWith('denied')) return failed('AuthorizationErrorException');
      return message === 'lost' ? failed('TimeoutError', true) : undefined;
    });
    const events = [['denied 1'], ['fine'], ['denied 2', 'lost'], ['denied 3']];
    expect(
      await publishAll(
        t.ctx,
        events.map((messages) => messages.map((message) => on(TOPIC, message))),
      ),
    ).toEqual([
      { kind: 'failed', reason: 'publish_failed' },
      published('fine'),
      { kind: 'failed', reason: 'publish_unknown' },
      { kind: 'failed', reason: 'publish_failed' },
    ]);
    expect(t.messages()).toEqual([
      ['denied 1', 'fine', 'denied 2', 'lost', 'denied 3'],
      ['denied 1', 'denied 2', 'lost', 'denied 3'],
    ]);
    expect(t.h.telemetry.lines).toEqual([
      {
        level: 'warn',
        message: 'notifications not published',
        fields: { error_name: 'AuthorizationErrorException', count: 3 },
      },
      { level: 'warn', message: 'notifications not published', fields: { error_name: 'TimeoutError', count: 1 } },
    ]);
  });

  it('an answer that does not name a notification says nothing about it', async () => {
    const w = world();
    w.h.topic.publish = async () => [{ kind: 'published', snsMessageId: 'sns-1' }];
    // Of two, the first try answers for `a` only; alone in the second call, `b` is answered for.
    expect(await publishAll(w.ctx, [[on(TOPIC, 'a')], [on(TOPIC, 'b')]])).toEqual([
      { kind: 'published', snsMessageIds: ['sns-1'] },
      { kind: 'published', snsMessageIds: ['sns-1'] },
    ]);
    w.h.topic.publish = async () => [];
    expect(await publishAll(w.ctx, [[on(TOPIC, 'a')]])).toEqual([{ kind: 'failed', reason: 'publish_unknown' }]);
    expect(w.h.telemetry.lines).toEqual([
      { level: 'warn', message: 'notifications not published', fields: { error_name: 'MissingFromAnswer', count: 1 } },
    ]);
  });
});

describe('on a FIFO topic', () => {
  it('one notification of a group at a time, other groups beside it', async () => {
    const t = topic();
    expect(
      await publishAll(t.ctx, [
        [on(FIFO, 'x1', 'x'), on(FIFO, 'x2', 'x')],
        [on(FIFO, 'y1', 'y')],
        [on(FIFO, 'x3', 'x'), on(FIFO, 'y2', 'y')],
      ]),
    ).toEqual([published('x1', 'x2'), published('y1'), published('x3', 'y2')]);
    expect(t.messages()).toEqual([['x1', 'y1'], ['x2', 'y2'], ['x3']]);
  });

  it('a later message of a group never overtakes one that failed, and is not tried without it', async () => {
    const t = topic({}, (message) => (message === 'x1' ? failed() : undefined));
    expect(
      await publishAll(t.ctx, [
        [on(FIFO, 'x1', 'x')],
        [on(FIFO, 'y1', 'y')],
        [on(FIFO, 'x2', 'x')],
        [on(FIFO, 'y2', 'y')],
      ]),
    ).toEqual([
      { kind: 'failed', reason: 'publish_failed' },
      published('y1'),
      { kind: 'failed', reason: 'publish_failed' },
      published('y2'),
    ]);
    expect(t.messages()).toEqual([['x1', 'y1'], ['y2'], ['x1']]);
    expect(t.h.telemetry.lines.map(({ fields }) => fields)).toEqual([{ error_name: 'InternalError', count: 1 }]);
  });

  it('the second try of the first message lets the rest of its group follow in order', async () => {
    const t = topic({}, (message, tried) => (message === 'x1' && tried === 1 ? failed() : undefined));
    expect(await publishAll(t.ctx, [[on(FIFO, 'x1', 'x'), on(FIFO, 'x2', 'x'), on(FIFO, 'x3', 'x')]])).toEqual([
      published('x1', 'x2', 'x3'),
    ]);
    expect(t.messages()).toEqual([['x1'], ['x1'], ['x2'], ['x3']]);
  });

  it('nor one that failed in an earlier call of the same events; other groups and standard topics go on', async () => {
    const t = topic({}, (message) => (message.endsWith('1') ? failed() : undefined));
    const held = new Set<Lane>();
    await publishAll(t.ctx, [[on(FIFO, 'x1', 'x')], [on(TOPIC, 's1')], [on(FIFO, 'y2', 'y')]], held);
    t.sent.length = 0;
    const later = [[on(FIFO, 'x2', 'x')], [on(TOPIC, 's2')], [on(FIFO, 'y3', 'y')]];
    expect(await publishAll(t.ctx, later, held)).toEqual([
      { kind: 'failed', reason: 'publish_failed' },
      published('s2'),
      published('y3'),
    ]);
    expect(t.messages().flat().sort()).toEqual(['s2', 'y3']);
  });

  it('groups of the same name on two topics do not wait for one another', async () => {
    const t = topic({}, (message) => (message === 'here 1' ? failed() : undefined));
    const there = `${OTHER}.fifo`;
    expect(
      await publishAll(t.ctx, [[on(FIFO, 'here 1', 'x')], [on(there, 'there 1', 'x'), on(there, 'there 2', 'x')]]),
    ).toEqual([{ kind: 'failed', reason: 'publish_failed' }, published('there 1', 'there 2')]);
    expect(t.messages()).toEqual([['here 1'], ['there 1'], ['there 2'], ['here 1']]);
  });
});

describe('a group on a standard topic', () => {
  it('promises no order: all of it in one call, whatever failed', async () => {
    const t = topic({}, (message) => (message === 'x1' ? failed() : undefined));
    expect(await publishAll(t.ctx, [[on(TOPIC, 'x1', 'x')], [on(TOPIC, 'x2', 'x')]])).toEqual([
      { kind: 'failed', reason: 'publish_failed' },
      published('x2'),
    ]);
    expect(t.messages()).toEqual([['x1', 'x2'], ['x1']]);
  });
});

describe('the deadline', () => {
  const late = (answer: PublishOutcome | undefined) => (_message: string, _tried: number, w: StageWorld) => {
    w.h.clock.advance(28_500);
    return answer;
  };

  it('within its margin nothing is begun', async () => {
    const t = topic();
    t.h.clock.advance(28_500);
    expect(await publishAll(t.ctx, [[on(TOPIC, 'a')]])).toEqual([{ kind: 'failed', reason: 'deadline' }]);
    expect([t.sent, t.h.telemetry.lines]).toEqual([[], []]);
  });

  it('no call that waits for its turn is begun', async () => {
    const t = topic({ settings: { concurrency: 1 } }, late(undefined));
    const names = Array.from({ length: 11 }, (_, i) => `m${i}`);
    const outcomes = await publishAll(
      t.ctx,
      names.map((name) => [on(TOPIC, name)]),
    );
    expect(t.messages()).toEqual([names.slice(0, 10)]);
    expect(outcomes.slice(9)).toEqual([published('m9'), { kind: 'failed', reason: 'deadline' }]);
  });

  it('no second try', async () => {
    const t = topic({}, late(failed()));
    expect(await publishAll(t.ctx, [[on(TOPIC, 'a')]])).toEqual([{ kind: 'failed', reason: 'publish_failed' }]);
    expect(t.messages()).toEqual([['a']]);
    expect(t.sleeps).toEqual([]);
  });

  it('no next message of a group: an event is published only when all of its notifications are', async () => {
    const t = topic({}, late(undefined));
    expect(await publishAll(t.ctx, [[on(FIFO, 'x1', 'x'), on(FIFO, 'x2', 'x')]])).toEqual([
      { kind: 'failed', reason: 'deadline' },
    ]);
    expect(t.messages()).toEqual([['x1']]);
    expect(t.h.telemetry.lines).toEqual([]);
  });

  it.each([
    [failed(), 'publish_failed'],
    [failed('TimeoutError', true), 'publish_unknown'],
  ])('what SNS answered (%j) says more than what was not begun', async (answer, reason) => {
    const t = topic({}, late(answer));
    expect(await publishAll(t.ctx, [[on(FIFO, 'x1', 'x'), on(FIFO, 'x2', 'x')]])).toEqual([{ kind: 'failed', reason }]);
  });
});
