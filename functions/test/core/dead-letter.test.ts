import { describe, expect, it } from '@jest/globals';
import { deadLetter } from '../../src/core/dead-letter.ts';
import { MESSAGE_DEFAULT_MAX_BYTES, MESSAGE_MAX_BYTES } from '../../src/core/limits.ts';
import { messageBytes } from '../../src/core/size.ts';
import type { SourceRecord } from '../../src/core/types.ts';
import { Harness, record } from './harness.ts';

const text = (value: string) => ({ type: 'String', value });

const OURS = {
  error_type: text('schema_violation'),
  source_message_id: text('m1'),
  event_id: text('o-1'),
  error_message: text('The event does not match the JSON Schema or the input type of the handler.'),
};

/** What the parts of ours add to a message, the first `count` of them. */
const bytesOfOurs = (count: number) => messageBytes('', Object.fromEntries(Object.entries(OURS).slice(0, count)));

const source = (more: Partial<SourceRecord> = {}): SourceRecord => ({ ...record('m1', '{}'), ...more });

/** With the prototype of any object, so that it can be compared. */
const letter = (from: SourceRecord, eventId?: string) => {
  const { message, dropped } = deadLetter(from, 'schema_violation', eventId);
  return { message: { ...message, attributes: { ...message.attributes } }, dropped };
};

describe('the event id of a quarantined message', () => {
  it.each([
    ['an event that its schema refuses', { jsonSchema: '{"required":["n"]}' }, 'schema_violation'],
    ['a part that cannot be read', { fingerprint: 'n' }, 'fingerprint_missing'],
  ])('is the key of its row, the prefix included: %s', async (_, mapping, reason) => {
    const h = new Harness({ mapping: { ...mapping, eventIdPrefix: 'p#' } });
    expect(await h.deliver(record('m1', { id: 'o-1' }))).toEqual([]);
    expect(h.queue.deadLetters[0]?.attributes).toMatchObject({ error_type: text(reason), event_id: text('p#o-1') });
  });
});

describe('a dead letter', () => {
  it('is the message as it came, its group and attributes included, and why', () => {
    expect(letter(source({ groupId: 'g', attributes: { tenant: text('t') } }), 'o-1')).toStrictEqual({
      message: {
        messageId: 'm1',
        deduplicationId: 'm1',
        groupId: 'g',
        body: '{}',
        attributes: { ...OURS, tenant: text('t') },
      },
      dropped: [],
    });
  });

  it('of a record without an id names no source message', () => {
    const { source_message_id: _, ...rest } = OURS;
    expect(letter(source({ id: undefined }), 'o-1')).toStrictEqual({
      message: { messageId: '', body: '{}', attributes: rest },
      dropped: [],
    });
    expect(letter(source({ id: '' }), 'o-1').message.attributes).toStrictEqual(rest);
  });

  it('carries the latest verdict, when it was redriven with that of an earlier one', () => {
    const attributes = { error_type: text('not_json'), error_message: text('old'), event_id: text('o-0') };
    expect(letter(source({ attributes }), 'o-1').message.attributes).toStrictEqual(OURS);
  });
});

describe('the event id of a dead letter', () => {
  it.each(['o-1', 'with a tab\tand a line\r\n', 'größer als 日本 😀'])('%j is named', (eventId) => {
    expect(letter(source(), eventId).message.attributes.event_id).toStrictEqual(text(eventId));
  });

  it.each([
    ['was not found', undefined],
    ['is empty', ''],
    ['is no Unicode', 'o-\ud800'],
    ['holds a control character', 'o-\u0000'],
    ['holds the last of them', 'o-\u001f'],
    ['holds a vertical tab', 'o-\u000b'],
    ['holds a character that is none', 'o-\uffff'],
  ])('is left out when it %s: SQS would refuse the message', (_, eventId) => {
    const { event_id: __, ...rest } = OURS;
    expect(letter(source(), eventId)).toStrictEqual({
      message: { messageId: 'm1', deduplicationId: 'm1', body: '{}', attributes: rest },
      dropped: [],
    });
  });
});

describe('what does not fit into a dead letter is dropped', () => {
  it.each([
    ['every byte', 4, 0, []],
    ['one byte too few for the text', 4, 1, ['error_message']],
    ['every byte of the ids', 3, 0, ['error_message']],
    ['one byte too few for the event id', 3, 1, ['event_id', 'error_message']],
  ])('a body that leaves %s', (_, count, missing, dropped) => {
    const body = 'x'.repeat(MESSAGE_DEFAULT_MAX_BYTES - bytesOfOurs(count) + missing);
    expect(letter(source({ body }), 'o-1').dropped).toEqual(dropped);
  });

  it('a body as large as the default of a queue leaves no room, and the reason goes all the same', () => {
    const body = 'x'.repeat(MESSAGE_DEFAULT_MAX_BYTES);
    const { message, dropped } = letter(source({ body }), 'o-1');
    expect(message.attributes).toStrictEqual({ error_type: OURS.error_type });
    expect(dropped).toEqual(['source_message_id', 'event_id', 'error_message']);
  });

  it('one byte more came through a queue that takes more: everything fits, up to what SQS takes', () => {
    const larger = 'x'.repeat(MESSAGE_DEFAULT_MAX_BYTES + 1);
    expect(letter(source({ body: larger }), 'o-1').dropped).toEqual([]);
    const largest = 'x'.repeat(MESSAGE_MAX_BYTES - bytesOfOurs(2));
    expect(letter(source({ body: largest }), 'o-1').dropped).toEqual(['event_id', 'error_message']);
  });

  it('ten attributes in number, ours first', () => {
    const attributes = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`a${i}`, text('x')]));
    const { message, dropped } = letter(source({ attributes }), 'o-1');
    expect(Object.keys(message.attributes)).toEqual([...Object.keys(OURS), 'a0', 'a1', 'a2', 'a3', 'a4', 'a5']);
    expect(dropped).toEqual(['a6', 'a7']);
  });

  it('a small attribute goes where a larger one before it found no room', () => {
    const attributes = { large: text('x'.repeat(1_000)), small: text('x') };
    const body = 'x'.repeat(MESSAGE_DEFAULT_MAX_BYTES - messageBytes('', attributes));
    const { message, dropped } = letter(source({ body, attributes }), 'o-1');
    expect(message.attributes).toStrictEqual({ ...OURS, small: text('x') });
    expect(dropped).toEqual(['large']);
  });
});
