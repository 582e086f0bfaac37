import { describe, expect, it } from '@jest/globals';
import { createDecoder, type DecodeMapping } from '../../src/core/decode.ts';
import { payloadHash } from '../../src/core/hash.ts';
import { HASH_KEY_MAX_BYTES } from '../../src/core/limits.ts';
import type { SourceRecord } from '../../src/core/types.ts';
import { onlyEvent, record, text } from './record.ts';

const decode = (body: unknown, overrides: Partial<DecodeMapping> = {}, source: Partial<SourceRecord> = {}) =>
  createDecoder({ envelope: 'none', eventId: 'id', ...overrides }).decode(record(body, source));
const issues = (...found: unknown[]) => ({ kind: 'events', events: [], issues: found });

describe('the event id is a string that the producer chose', () => {
  it.each([
    ['C-18: m1, an empty string', { id: '' }, 'event_id_invalid'],
    ['C-18: m2, a number', { id: 123 }, 'event_id_invalid'],
    ['C-18: m3, an object', { id: { a: 1 } }, 'event_id_invalid'],
    ['C-18: a boolean', { id: false }, 'event_id_invalid'],
    ['C-18: a list', { id: ['o-1'] }, 'event_id_invalid'],
    ['C-53: m2, white space', { id: '   ' }, 'event_id_invalid'],
    ['C-53: white space of other scripts', { id: '\u3000\u00a0\t' }, 'event_id_invalid'],
    ['C-53: m3, none', { amount: 1 }, 'event_id_missing'],
    ['C-53: m4, null', { id: null }, 'event_id_missing'],
    ['C-37: m8, another document', { Records: [] }, 'event_id_missing'],
  ])('%s', (_name, body, reason) => {
    expect(decode(body)).toEqual(issues({ reason }));
  });

  it('C-18: a number that only a longer type holds is refused as well', () => {
    expect(decode('{"id":12345678901234567890}')).toEqual(issues({ reason: 'event_id_invalid' }));
  });

  it('C-53: m5 keeps an empty note', () => {
    expect(onlyEvent(decode({ id: 'o-5', note: '' })).payload).toEqual({ id: 'o-5', note: '' });
  });

  it('is taken as it is, with space around it', () => {
    expect(onlyEvent(decode({ id: ' o-1 ' }))).toMatchObject({ eventId: ' o-1 ' });
  });

  it('stands behind the prefix, which is not part of the producer’s id', () => {
    const event = onlyEvent(decode({ id: 'o-1' }, { eventIdPrefix: 'orders#' }));
    expect(event).toMatchObject({ eventId: 'orders#o-1' });
  });

  it.each([
    ['x', HASH_KEY_MAX_BYTES],
    ['日', Math.floor(HASH_KEY_MAX_BYTES / 3)],
  ])('C-55: has 2048 bytes at most, counted in UTF-8: %s', (letter, most) => {
    expect(onlyEvent(decode({ id: letter.repeat(most) })).eventId).toHaveLength(most);
    expect(decode({ id: letter.repeat(most + 1) })).toEqual(issues({ reason: 'event_id_invalid' }));
  });

  it('C-55: counts the prefix', () => {
    const id = 'x'.repeat(HASH_KEY_MAX_BYTES - 1);
    expect(decode({ id }, { eventIdPrefix: '1' })).toMatchObject({ events: [{}] });
    expect(decode({ id }, { eventIdPrefix: '12' })).toEqual(issues({ reason: 'event_id_invalid' }));
  });

  it('C-33: has nothing to do with the message id', () => {
    const first = onlyEvent(decode({ id: 'o-1' }, {}, { id: 'm1' }));
    const redriven = onlyEvent(decode({ id: 'o-1' }, {}, { id: 'm9' }));
    expect(redriven).toEqual({ ...first, messageId: 'm9' });
  });
});

describe('the fingerprint', () => {
  it('is the whole event unless the operator says otherwise', () => {
    const body = { id: 'o-1', amount: 10, sentAt: 1 };
    expect(onlyEvent(decode(body)).payloadHash).toBe(payloadHash(body));
    const event = onlyEvent(decode(body, { fingerprint: '{id: id, amount: amount}' }));
    expect(event.payloadHash).toBe(payloadHash({ amount: 10, id: 'o-1' }));
    expect(event.payload).toEqual(body);
  });

  it('C-28: is the same for other member order and white space', () => {
    const one = onlyEvent(decode('{"id":"o-1","a":1,"b":{"x":1,"y":2}}'));
    const other = onlyEvent(decode('{ "b":{"y":2,"x":1}, "a":1.0, "id":"o-1" }'));
    expect(other.payloadHash).toBe(one.payloadHash);
  });

  it('that cannot be had is an issue that names the event (rule 10)', () => {
    expect(decode({ id: 'o-1' }, { fingerprint: 'order' })).toEqual(
      issues({ reason: 'fingerprint_missing', eventId: 'o-1' }),
    );
    expect(decode({ id: 'o-1' }, { fingerprint: 'sum(id)' })).toEqual(
      issues({ reason: 'mapping_failed', eventId: 'o-1' }),
    );
  });

  it('may be false, zero or empty', () => {
    for (const order of [false, 0, '', [], {}]) {
      expect(onlyEvent(decode({ id: 'o-1', order }, { fingerprint: 'order' })).payloadHash).toBe(payloadHash(order));
    }
  });

  it('does not change the event that is stored later', () => {
    const event = onlyEvent(decode({ id: 'o-1', tags: ['b', 'a'] }, { fingerprint: 'sort(tags)' }));
    expect(event.payload).toEqual({ id: 'o-1', tags: ['b', 'a'] });
  });
});

describe('the correlation id', () => {
  it.each([
    ['found', { id: 'o-1', trace: 't-1' }, 't-1'],
    ['a number', { id: 'o-1', trace: 7 }, '7'],
    ['missing', { id: 'o-1' }, undefined],
    ['empty', { id: 'o-1', trace: '' }, undefined],
    ['no text', { id: 'o-1', trace: {} }, undefined],
    ['too long', { id: 'o-1', trace: 'x'.repeat(1025) }, undefined],
  ])('never fails an event: %s', (_name, body, correlationId) => {
    expect(onlyEvent(decode(body, { correlationId: 'trace' })).correlationId).toBe(correlationId);
  });

  it('whose expression fails is left out', () => {
    expect(onlyEvent(decode({ id: 'o-1' }, { correlationId: 'join(id, id)' })).correlationId).toBeUndefined();
  });

  it('is the message attribute of that name by default', () => {
    const attributes = { correlation_id: text('t-1') };
    expect(onlyEvent(decode({ id: 'o-1' }, {}, { attributes })).correlationId).toBe('t-1');
    expect(onlyEvent(decode({ id: 'o-1' }, { correlationId: 'trace' }, { attributes })).correlationId).toBeUndefined();
  });
});

describe('the filter', () => {
  const eventFilter = "type == 'order'";

  it('leaves out what has no id of ours', () => {
    expect(decode({ type: 'ping' }, { eventFilter })).toEqual({ kind: 'not_ours', reason: 'filtered' });
    expect(decode({ type: 'order' }, { eventFilter })).toEqual(issues({ reason: 'event_id_missing' }));
  });

  it('decodes an excluded event whose id can be read, so that a committed one is found (G4)', () => {
    const { decode } = createDecoder({ envelope: 'none', eventId: 'id', eventFilter });
    expect(onlyEvent(decode(record({ id: 'o-1', type: 'ping' })))).toMatchObject({ eventId: 'o-1', excluded: true });
    expect(onlyEvent(decode(record({ id: 'o-2', type: 'order' })))).not.toHaveProperty('excluded');
  });

  it('excludes an event without the fingerprint of ours: it has the hash of the whole event', () => {
    const fingerprint = 'order';
    const ping = { id: 'o-1', type: 'ping' };
    expect(onlyEvent(decode(ping, { eventFilter, fingerprint }))).toEqual(onlyEvent(decode(ping, { eventFilter })));
    const broken = { eventFilter, fingerprint: 'abs(type)' };
    expect(onlyEvent(decode(ping, broken))).toEqual(onlyEvent(decode(ping, { eventFilter })));
    expect(decode({ id: 'o-1', type: 'order' }, { eventFilter, fingerprint })).toEqual(
      issues({ reason: 'fingerprint_missing', eventId: 'o-1' }),
    );
  });

  it('that fails is the event’s fault, not a reason to drop it', () => {
    const failing = { eventFilter: "contains(type, 'o')" };
    expect(decode({ id: 'o-1' }, failing)).toEqual(issues({ reason: 'mapping_failed', eventId: 'o-1' }));
    expect(decode({}, failing)).toEqual(issues({ reason: 'event_id_missing' }));
  });

  it('judges a number that no double holds as the nearest double, instead of dropping the event', () => {
    const { decode } = createDecoder({ envelope: 'none', eventId: 'id', eventFilter: 'n > `100`' });
    expect(onlyEvent(decode(record('{"id":"o-1","n":12345678901234567890}')))).not.toHaveProperty('excluded');
    expect(onlyEvent(decode(record('{"id":"o-1","n":-12345678901234567890}'))).excluded).toBe(true);
  });
});

describe('a message with several events', () => {
  const s3 = (key: string) => ({ eventSource: 'aws:s3', s3: { object: { key } } });

  it('gives each its own id, and says which part holds none', () => {
    const decoded = decode({ Records: [s3('a'), s3('%'), s3('b')] }, { envelope: 's3', eventId: 's3.object.key' });
    expect(decoded).toMatchObject({
      kind: 'events',
      events: [{ eventId: 'a' }, { eventId: 'b' }],
      issues: [{ reason: 'envelope_invalid' }],
    });
  });

  it('says how many of them the filter excludes that have no id: they are not ours, and not lost either', () => {
    const mapping = { envelope: 's3', eventId: 's3.object.versionId', eventFilter: "s3.object.key == 'a'" } as const;
    const versioned = { eventSource: 'aws:s3', s3: { object: { key: 'a', versionId: 'v-1' } } };
    expect(decode({ Records: [s3('b'), versioned, s3('c')] }, mapping)).toMatchObject({
      kind: 'events',
      events: [{ eventId: 'v-1' }],
      issues: [],
      excluded: 2,
    });
    expect(decode({ Records: [s3('b'), s3('c')] }, mapping)).toEqual({ kind: 'not_ours', reason: 'filtered' });
    expect(decode({ Records: [versioned] }, mapping)).not.toHaveProperty('excluded');
  });
});

describe('a message of which one part is an event and one is none', () => {
  it('has both: neither hides the other', () => {
    const s3 = (key: string) => ({ eventSource: 'aws:s3', s3: { object: { key } } });
    const decoded = decode({ Records: [s3('%'), s3('a')] }, { envelope: 's3', eventId: 's3.object.key' });
    expect(decoded).toMatchObject({
      kind: 'events',
      events: [{ eventId: 'a' }],
      issues: [{ reason: 'envelope_invalid' }],
    });
  });
});

describe('what an event carries along', () => {
  it('is what its record says', () => {
    const event = onlyEvent(decode({ id: 'o-1' }, {}, { groupId: 'g', sentAtMs: 5, attributes: { a: text('x') } }));
    expect(event).toMatchObject({ messageId: 'm1', groupId: 'g', sentAtMs: 5, attributes: { a: text('x') } });
    expect(onlyEvent(decode({ id: 'o-1' }, {}, { id: undefined })).messageId).toBe('');
    expect(Object.keys(onlyEvent(decode({ id: 'o-1' })))).not.toContain('groupId');
  });
});
