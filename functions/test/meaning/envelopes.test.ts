import { describe, expect, it } from '@jest/globals';
import { ENVELOPES, type Envelope, openRecord } from '../../src/core/envelopes.ts';
import { ExactNumber } from '../../src/core/json-value.ts';
import { record, text } from './record.ts';

const open = (body: unknown, envelope: Envelope, attributes = {}) => openRecord(record(body, { attributes }), envelope);
const event = (payload: unknown, attributes = {}) => ({
  kind: 'parts',
  parts: [{ ok: true, value: { payload, attributes } }],
});
const refused = (reason: string) => ({ kind: 'parts', parts: [{ ok: false, reason }] });

const testEvent = {
  Service: 'Amazon S3',
  Event: 's3:TestEvent',
  Time: '2026-01-01T00:00:00.000Z',
  Bucket: 'b',
  RequestId: 'r',
  HostId: 'h',
};
const s3Record = (key: string, overrides = {}) => ({
  eventSource: 'aws:s3',
  eventName: 'ObjectCreated:Put',
  s3: { bucket: { name: 'b' }, object: { key, size: 1, sequencer: '01' } },
  ...overrides,
});
const snsBody = (message: unknown, overrides = {}) => ({
  Type: 'Notification',
  MessageId: 'n1',
  TopicArn: 'arn:aws:sns:us-east-1:111122223333:t',
  Message: typeof message === 'string' ? message : JSON.stringify(message),
  Timestamp: '2026-01-01T00:00:00Z',
  ...overrides,
});

describe('a body is one JSON object', () => {
  it.each([
    ['m1', 'not json', 'not_json'],
    ['m2', '', 'not_json'],
    ['m3', 'null', 'not_an_object'],
    ['m4', '[]', 'not_an_object'],
    ['m5', '42', 'not_an_object'],
    ['m6', '"text"', 'not_an_object'],
    ['a boolean', 'true', 'not_an_object'],
    ['a long number', '9007199254740993', 'not_an_object'],
  ])('C-37: %s is permanent: %j', (_name, body, reason) => {
    expect(open(body, 'none')).toEqual(refused(reason));
    expect(open(body, 'sns')).toEqual(refused(reason));
  });

  it('C-37: m7, a byte order mark in front, is accepted', () => {
    expect(open('\ufeff{"id":"o-7","amount":10}', 'none')).toEqual(event({ id: 'o-7', amount: 10 }));
  });

  it('C-37: m8, no records, is an event like any other, and under s3 a message without events', () => {
    expect(open('{"Records":[]}', 'none')).toEqual(event({ Records: [] }));
    expect(open('{"Records":[]}', 's3')).toEqual({ kind: 'not_ours', reason: 'no_events' });
  });

  it('C-37: m9 is an event', () => {
    expect(open('{"id":"o-9","amount":10}', 'none')).toEqual(event({ id: 'o-9', amount: 10 }));
  });
});

describe('the test event of S3', () => {
  it.each(ENVELOPES)('C-35: is no event of ours under the envelope %s', (envelope) => {
    expect(open(testEvent, envelope)).toEqual({ kind: 'not_ours', reason: 's3_test_event' });
  });

  it.each(['sns', 's3'] as const)('C-35: is recognised inside of an SNS envelope under %s', (envelope) => {
    expect(open(snsBody(testEvent), envelope)).toEqual({ kind: 'not_ours', reason: 's3_test_event' });
  });

  it.each([
    ['one member more', { ...testEvent, id: 'o-1' }],
    ['one member less', { ...testEvent, HostId: undefined }],
    ['another service', { ...testEvent, Service: 'Amazon s3' }],
    ['another event', { ...testEvent, Event: 's3:TestEvent2' }],
    ['a member that is no string', { ...testEvent, Bucket: 1 }],
    ['a member of another name', { ...testEvent, HostId: undefined, hostId: 'h' }],
  ])('C-35: is not taken for one with %s', (_name, body) => {
    expect(open(body, 'none').kind).toBe('parts');
  });
});

describe('the envelope s3', () => {
  it('C-35: takes each record for an event', () => {
    const opened = open({ Records: [s3Record('a.json'), s3Record('b.json')] }, 's3');
    expect(opened).toMatchObject({
      kind: 'parts',
      parts: [
        { ok: true, value: { payload: { s3: { bucket: { name: 'b' }, object: { key: 'a.json', sequencer: '01' } } } } },
        { ok: true, value: { payload: { s3: { object: { key: 'b.json' } } } } },
      ],
    });
  });

  it.each([
    ['folder+a/data.csv', 'folder a/data.csv'],
    ['a+b%2Bc.csv', 'a b+c.csv'],
    ['Copy+%282%29.jpg', 'Copy (2).jpg'],
    ['10%3A47.log', '10:47.log'],
    ['%E6%97%A5.txt', '日.txt'],
    ['100%25.csv', '100%.csv'],
    ['100%2525.csv', '100%25.csv'],
    ['%2B+%2b', '+ +'],
  ])('C-38: decodes the key %s once, to %s', (key, decoded) => {
    expect(open({ Records: [s3Record(key)] }, 's3')).toMatchObject({
      parts: [
        { ok: true, value: { payload: { eventName: 'ObjectCreated:Put', s3: { object: { key: decoded, size: 1 } } } } },
      ],
    });
  });

  it.each(['100%.csv', '%E6%97.txt', '%zz', '%'])('C-38: refuses the key %s alone, not its neighbours', (key) => {
    expect(open({ Records: [s3Record(key), s3Record('a')] }, 's3')).toMatchObject({
      parts: [{ ok: false, reason: 'envelope_invalid' }, { ok: true }],
    });
  });

  it('C-39: takes a notification that came through a topic', () => {
    expect(open(snsBody({ Records: [s3Record('a+b')] }), 's3')).toMatchObject({
      parts: [{ ok: true, value: { payload: { s3: { object: { key: 'a b' } } } } }],
    });
  });

  it.each([
    ['no list of records', {}],
    ['records that are none', { Records: {} }],
  ])('refuses a body with %s', (_name, body) => {
    expect(open(body, 's3')).toEqual(refused('envelope_invalid'));
  });

  it.each([
    ['another source', s3Record('a', { eventSource: 'aws:ses' })],
    ['no object', s3Record('a', { s3: { bucket: { name: 'b' } } })],
    ['no s3', s3Record('a', { s3: null })],
    ['a key that is no string', s3Record('a', { s3: { object: { key: 1 } } })],
    ['a record that is none', 'text'],
  ])('refuses a record with %s', (_name, body) => {
    expect(open({ Records: [body] }, 's3')).toEqual(refused('envelope_invalid'));
  });
});

describe('the envelope sns', () => {
  it('C-39: gives wrapped and raw messages the same event and the same attributes', () => {
    const payload = { id: 'o-1', amount: 10 };
    const wrapped = open(snsBody(payload, { MessageAttributes: { kind: { Type: 'String', Value: 'x' } } }), 'sns');
    const raw = open(payload, 'sns', { kind: text('x') });
    expect(wrapped).toEqual(event(payload, { kind: text('x') }));
    expect(raw).toEqual(wrapped);
  });

  it('keeps every digit of the message inside', () => {
    expect(open(snsBody('{"n":9007199254740993}'), 'sns')).toEqual(event({ n: new ExactNumber('9007199254740993') }));
  });

  it.each([
    ['text', 'not_json'],
    ['[1]', 'not_an_object'],
    ['{"a":1,"a":2}', 'duplicate_member'],
  ])('refuses the message %s', (message, reason) => {
    expect(open(snsBody(message), 'sns')).toEqual(refused(reason));
  });

  it.each([
    ['another type', { Type: 'SubscriptionConfirmation' }],
    ['no topic', { TopicArn: undefined }],
    ['no id', { MessageId: undefined }],
    ['a message that is no text', { Message: { id: 'o-1' } }],
  ])('takes a body for raw that has %s', (_name, overrides) => {
    const body = snsBody({ id: 'o-1' }, overrides);
    expect(open(body, 'sns')).toEqual(event(JSON.parse(JSON.stringify(body))));
  });

  it('leaves out attributes that are none', () => {
    const attributes = { a: { Type: 'String' }, b: null, c: { Type: 'String', Value: 'x' } };
    expect(open(snsBody('{}', { MessageAttributes: attributes }), 'sns')).toEqual(event({}, { c: text('x') }));
    expect(open(snsBody('{}', { MessageAttributes: [] }), 'sns')).toEqual(event({}));
  });
});

describe('the envelope eventbridge', () => {
  const body = { version: '0', id: 'e1', 'detail-type': 'Order', source: 'shop', detail: { id: 'o-1' } };

  it('is its detail', () => {
    expect(open(body, 'eventbridge', { a: text('x') })).toEqual(event({ id: 'o-1' }, { a: text('x') }));
  });

  it.each([
    ['no detail', { ...body, detail: undefined }],
    ['a detail that is no object', { ...body, detail: 'x' }],
    ['no source', { ...body, source: undefined }],
    ['no detail-type', { ...body, 'detail-type': undefined }],
    ['nothing of it', { id: 'o-1' }],
  ])('is refused with %s', (_name, other) => {
    expect(open(other, 'eventbridge')).toEqual(refused('envelope_invalid'));
  });
});

describe('the envelope kinesis', () => {
  const data = 'eyJpZCI6Im8tMSIsIm5hbWUiOiLml6XmnKwifQ==';

  it.each([
    ['the body itself', data],
    ['the record of a pipe', { partitionKey: 'p', sequenceNumber: 's1', data, kinesisSchemaVersion: '1.0' }],
    [
      'the record of Lambda',
      { eventSource: 'aws:kinesis', kinesis: { partitionKey: 'p', sequenceNumber: 's1', data } },
    ],
    ['data that were decoded on the way', '{"id":"o-1","name":"日本"}'],
  ])('C-44: reads base64 of UTF-8 in %s', (_name, body) => {
    expect(open(body, 'kinesis')).toEqual(event({ id: 'o-1', name: '日本' }));
  });

  it('C-44: refuses data that are no UTF-8, instead of replacing letters', () => {
    const broken = Buffer.from('{"id":"\xff"}', 'latin1').toString('base64');
    expect(open({ partitionKey: 'p', sequenceNumber: 's1', data: broken }, 'kinesis')).toEqual(
      refused('envelope_invalid'),
    );
    expect(open(broken, 'kinesis')).toEqual(refused('not_json'));
  });

  it.each([
    [{ partitionKey: 'p', sequenceNumber: 's1', data: '***' }, 'envelope_invalid'],
    ['null', 'not_an_object'],
    ['1234', 'not_an_object'],
    ['', 'not_json'],
  ])('refuses %j', (body, reason) => {
    expect(open(body, 'kinesis')).toEqual(refused(reason));
  });

  it('takes an event with a member called data for what it is', () => {
    for (const body of [
      { id: 'o-1', data },
      { id: 'o-1', data, partitionKey: 'p' },
      { id: 'o-1', data, sequenceNumber: 's1' },
      { id: 'o-1', data: 1, partitionKey: 'p', sequenceNumber: 's1' },
    ]) {
      expect(open(body, 'kinesis')).toEqual(event(body));
    }
  });
});

describe('the envelope dynamodb-stream', () => {
  const change = (dynamodb: unknown) => ({ eventID: 'e1', eventName: 'MODIFY', eventSource: 'aws:dynamodb', dynamodb });

  it('is the record with its images as plain JSON', () => {
    const images = {
      Keys: { pk: { S: 'o-1' } },
      NewImage: {
        n: { N: '9007199254740993' },
        m: { M: { d: { N: '1.50' }, t: { BOOL: false }, z: { NULL: true } } },
        l: { L: [{ S: '' }, { B: 'AAE=' }] },
        ss: { SS: ['b', 'a'] },
        ns: { NS: ['2', '1e2'] },
        bs: { BS: ['AAE='] },
      },
      SequenceNumber: '111',
    };
    expect(open(change(images), 'dynamodb-stream')).toEqual(
      event(
        change({
          Keys: { pk: 'o-1' },
          NewImage: {
            n: new ExactNumber('9007199254740993'),
            m: { d: 1.5, t: false, z: null },
            l: ['', 'AAE='],
            ss: ['b', 'a'],
            ns: [2, 100],
            bs: ['AAE='],
          },
          SequenceNumber: '111',
        }),
      ),
    );
  });

  it.each([
    { N: 'x' },
    { N: 1 },
    { S: 1 },
    { BOOL: 'true' },
    { NULL: false },
    { X: 'x' },
    { S: 'a', N: '1' },
    {},
    'text',
    null,
    { L: {} },
    { L: [{ N: '' }] },
    { M: [] },
    { SS: ['a', 1] },
    { NS: ['a'] },
  ])('is refused with the attribute value %j', (value) => {
    expect(open(change({ NewImage: { a: value } }), 'dynamodb-stream')).toEqual(refused('envelope_invalid'));
  });

  it.each([
    { id: 'o-1' },
    { eventName: 'INSERT' },
    { eventName: 1, dynamodb: {} },
    { eventName: 'INSERT', dynamodb: { Keys: [] } },
  ])('is refused in the shape %j', (body) => {
    expect(open(body, 'dynamodb-stream')).toEqual(refused('envelope_invalid'));
  });
});
