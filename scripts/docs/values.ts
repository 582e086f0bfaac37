/**
 * Writes docs/values.md. Every outcome in its tables is computed by the functions themselves, so the page cannot say
 * what the code does not do; a unit test compares the committed page with a fresh one.
 */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { createDecoder, type DecodeMapping } from '../../functions/src/core/decode.ts';
import type { Envelope } from '../../functions/src/core/envelopes.ts';
import { compileCondition, compileExpression } from '../../functions/src/core/expression.ts';
import { payloadHash } from '../../functions/src/core/hash.ts';
import { readJson, writeJson } from '../../functions/src/core/json.ts';
import type { JsonValue } from '../../functions/src/core/json-value.ts';
import { declarativeMeaning, type Mapping } from '../../functions/src/core/mapping.ts';
import { toAttributeValue } from '../../functions/src/core/marshal.ts';
import { attributesFrom, checkNotification, isAttributeName } from '../../functions/src/core/notification.ts';
import { PERMANENT_REASONS } from '../../functions/src/core/reasons.ts';
import { compileSchema } from '../../functions/src/core/schema.ts';
import { itemBytes } from '../../functions/src/core/size.ts';
import type { DecodedEvent, Planned, SourceRecord } from '../../functions/src/core/types.ts';

type Row = readonly [what: string, outcome: string, cases?: string];

const permanent = (reason: string) => `permanent: \`${reason}\``;
/** Marked as code, in Markdown's other quotes where the text has the usual ones itself. */
const code = (text: string) => {
  const quoted = text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
  return quoted.replaceAll('|', '\\|');
};

function record(body: string): SourceRecord {
  return { id: 'm1', body, attributes: {}, receiveCount: 1 };
}

function decoded(body: string, mapping: Partial<DecodeMapping> = {}): string {
  const result = createDecoder({ envelope: 'none', eventId: 'id', ...mapping }).decode(record(body));
  if (result.kind === 'not_ours') return `acknowledged and counted: \`${result.reason}\``;
  const parts = [
    ...result.events.map(({ eventId }) => `event ${code(JSON.stringify(eventId))}`),
    ...result.issues.map(({ reason }) => permanent(reason)),
  ];
  return parts.join('; ');
}

const MAPPING: Mapping = {
  envelope: 'none',
  eventId: 'id',
  businessTable: 'business',
  processedEventsTable: 'processed_events',
  businessHashKey: { name: 'pk', type: 'S' },
  businessKey: 'id',
  onExistingKey: 'reject',
  topicArn: 'arn:aws:sns:eu-central-1:111122223333:topic',
  topicFifo: false,
};

function planned(body: string, mapping: Partial<Mapping>, show: (plan: Planned & { kind: 'plan' }) => string): string {
  const meaning = declarativeMeaning({ ...MAPPING, ...mapping }, compileSchema);
  const result = meaning.decode(record(body));
  if (result.kind !== 'events' || result.events.length === 0) return decoded(body);
  const plan = meaning.plan(result.events[0] as DecodedEvent, []) as Planned;
  if (plan.kind === 'rejected') return permanent(plan.reason);
  return show(plan);
}

function stored(value: unknown): string {
  const result = toAttributeValue(value);
  if (!result.ok) return permanent(result.reason);
  const [type, inner] = Object.entries(result.value)[0] as [string, unknown];
  return `stored as ${code(`${type} ${JSON.stringify(inner, (_key, part) => (part instanceof Uint8Array ? [...part] : part))}`)}`;
}

function number(text: string, cases: string): Row {
  const read = readJson(text);
  return [code(text), read.ok ? stored(read.value) : permanent(read.reason), cases];
}

function found(expression: string, body: string): string {
  return outcomeOf(() => compileExpression(expression, 'v'), body);
}

function judged(expression: string, body: string): string {
  return outcomeOf(() => compileCondition(expression, 'v'), body);
}

function outcomeOf(compiled: () => (event: JsonValue) => JsonValue, body: string): string {
  try {
    const read = readJson(body);
    return read.ok ? code(writeJson(compiled()(read.value))) : permanent(read.reason);
  } catch (error) {
    const { name, message } = error as Error;
    if (name !== 'ConfigurationError') return permanent('mapping_failed');
    return `refused at start-up: ${message.replace(/^v is no JMESPath expression for a pipeline: (.*), in .*$/, '$1')}`;
  }
}

function sameHash(left: string, right: string, cases = ''): Row {
  const hash = (text: string) => {
    const read = readJson(text);
    return read.ok ? payloadHash(read.value) : read.reason;
  };
  return [`${code(left)} and ${code(right)}`, hash(left) === hash(right) ? 'one payload' : 'two payloads', cases];
}

function published(overrides: Partial<Parameters<typeof checkNotification>[0]>): string {
  const base = { topicArn: MAPPING.topicArn, message: 'x', attributes: {} };
  const reason = checkNotification({ ...base, ...overrides }, { topicMaxBytes: 262_144, topicFifo: false });
  return reason === undefined ? 'published' : permanent(reason);
}

function table(rows: readonly Row[], ...heads: readonly [string, string]): string {
  const cells = (row: Row) => `| ${row[0]} | ${row[1]} | ${row[2] ?? ''} |`;
  return [`| ${heads[0]} | ${heads[1]} | case |`, '|---|---|---|', ...rows.map(cells)].join('\n');
}

const nested = (levels: number) => `{"id":"o-1","a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
const s3 = (key: string) => JSON.stringify({ Records: [{ eventSource: 'aws:s3', s3: { object: { key } } }] });
const under = (envelope: Envelope, eventId = 'id') => ({ envelope, eventId });
const testEvent = JSON.stringify({
  Service: 'Amazon S3',
  Event: 's3:TestEvent',
  Time: 't',
  Bucket: 'b',
  RequestId: 'r',
  HostId: 'h',
});
const item = (plan: Planned & { kind: 'plan' }) => {
  const [write] = plan.plan.writes;
  return write?.kind === 'put' ? `written, ${itemBytes(write.item).toLocaleString('en')} bytes` : 'not written';
};
const key = (plan: Planned & { kind: 'plan' }) => `written under ${code(JSON.stringify(plan.plan.writes[0]?.key))}`;
const message = (plan: Planned & { kind: 'plan' }) => `published as ${code(plan.plan.notifications[0]?.message ?? '')}`;
const attribute = (value: unknown) => {
  const made = attributesFrom({ a: value }).a;
  return made === undefined ? 'left out' : `${made.type} ${code(made.value)}`;
};

const bodies: readonly Row[] = [
  ['`not json`, or an empty body', decoded(''), 'C-37'],
  ['`null`, `[]`, `42`, `"text"`', decoded('42'), 'C-37'],
  ['a byte order mark before the object', `${decoded('\ufeff{"id":"o-7"}')}: one is dropped`, 'C-37'],
  ['`NaN`, `Infinity`, `01`, a trailing comma', decoded('{"id":"o-1","n":NaN}'), 'C-50'],
  ['`{"id":"o-1","a":1,"a":1}`: a member written twice, at any depth', decoded('{"id":"o-1","a":1,"a":1}'), 'C-28'],
  ['`"\\ud800"`: half of a surrogate pair, in a string or a name', decoded('{"id":"o-1","s":"\\ud800"}'), ''],
  ['nested deeper than 128 levels', decoded(nested(129)), ''],
  [
    'members called `__proto__`, `constructor`, `toString`',
    `${decoded('{"id":"o-1","constructor":1}')}: data like any other`,
    'C-60',
  ],
  ['`{"Records":[]}` without an envelope', decoded('{"Records":[]}'), 'C-37'],
  ['`{"Records":[]}` under `s3`', decoded('{"Records":[]}', under('s3')), 'C-37'],
  ['the test event of S3, under every envelope, by its exact shape', decoded(testEvent), 'C-35'],
  [
    'an object key with a broken escape (`100%.csv`)',
    `${decoded(s3('100%.csv'), under('s3'))}, that record alone`,
    'C-38',
  ],
  ['the object key `a+b%2Bc.csv`', decoded(s3('a+b%2Bc.csv'), under('s3', 's3.object.key')), 'C-38'],
  [
    'under `sns`: the raw event instead of the envelope',
    `${decoded('{"id":"o-2"}', under('sns'))}: both are taken`,
    'C-39',
  ],
  ['under `eventbridge`: no `detail-type`, `source` and `detail`', decoded('{"id":"o-1"}', under('eventbridge')), ''],
  ['under `kinesis`: base64 of UTF-8', decoded('eyJpZCI6Im8tMSIsIm5hbWUiOiLml6XmnKwifQ==', under('kinesis')), 'C-44'],
];

const ids: readonly Row[] = [
  ['missing, or `null`', decoded('{"id":null}'), 'C-53'],
  ['`""`', decoded('{"id":""}'), 'C-18, C-53'],
  [
    '`"   "`: white space only',
    `${decoded('{"id":"   "}')}, since the next blank id would be taken for the same event`,
    'C-53',
  ],
  ['`123`, `{"a":1}`, `true`', `${decoded('{"id":123}')}; nothing is converted`, 'C-18'],
  ['`" o-1 "`', `${decoded('{"id":" o-1 "}')}: nothing is trimmed`, ''],
  ['2048 bytes of UTF-8, the prefix included', decoded(`{"id":"${'x'.repeat(2048)}"}`).replace(/x{20,}/, 'x…'), 'C-55'],
  ['2049 bytes', decoded(`{"id":"${'x'.repeat(2049)}"}`), 'C-55'],
];

const numbers: readonly Row[] = [
  number('9007199254740993', 'C-48'),
  number('12345678901234567890', 'C-48'),
  number('1e21', 'C-48'),
  number('0.12345678901234567890', 'C-49'),
  number('0.0000001', 'C-49'),
  number('-0', 'C-49'),
  number('1.50', ''),
  number('1e-130', 'C-49'),
  number('1e-131', 'C-49'),
  number('1e-200', 'C-49'),
  number('1e-400', 'C-49'),
  number('9.99e125', 'C-50'),
  number('1e126', 'C-50'),
  number('1e400', 'C-50'),
  number('12345678901234567890123456789012345678', 'C-49'),
  number('123456789012345678901234567890123456789', 'C-49'),
  number('1e9999999999', ''),
  ['`"08040404040404040404"`', `${stored('08040404040404040404')}: no string is taken for a number`, 'C-50'],
];

const hashes: readonly Row[] = [
  sameHash('{"a":1,"b":2}', '{ "b": 2, "a": 1 }', 'C-28'),
  sameHash('{"a":1}', '{"a":1.0}', 'C-28'),
  sameHash('0', '-0'),
  sameHash('[1,2]', '[2,1]', 'C-28'),
  sameHash('9007199254740993', '9007199254740992', 'C-48'),
  sameHash('{"a":null}', '{}'),
  sameHash('1', '"1"'),
  sameHash('"\\u00e9"', '"e\\u0301"'),
];

const handlers: readonly Row[] = [
  ['`{ a: undefined }`', stored({ a: undefined }), 'C-52'],
  ['`[1, undefined, 2]`, or a list with a hole', stored([1, undefined, 2]), 'C-52'],
  ['`new Set()`', stored(new Set()), 'C-52'],
  ["`new Set(['a', 1])`", stored(new Set(['a', 1])), ''],
  ["`new Set(['a', ''])`", stored(new Set(['a', ''])), ''],
  ['`new Date(0)`', stored(new Date(0)), 'C-52'],
  ['`new (class A {})()`, `new Map()`', stored(new (class A {})()), 'C-52'],
  ["`{ s: '' }`", stored({ s: '' }), 'C-52'],
  ['`Object.assign(Object.create(null), { b: 1 })`', stored(Object.assign(Object.create(null), { b: 1 })), 'C-60'],
  ['`Object.create({ inherited: 1 })`', stored(Object.create({ inherited: 1 })), 'C-60'],
  ['`123n`', stored(123n), ''],
  ['`NaN`, `Infinity`', stored(Number.NaN), 'C-50'],
  ['`new Uint8Array([1, 2])`', stored(new Uint8Array([1, 2])), ''],
  ['a member called `""` or `__proto__`', stored({ '': 1 }), 'C-56'],
  ['a function, a symbol', stored(() => 1), ''],
  ['half of a surrogate pair', stored('\ud800'), ''],
];

const items: readonly Row[] = [
  ['a blob of `x` * (399 * 1024)', planned(`{"id":"o-1","blob":"${'x'.repeat(399 * 1024)}"}`, {}, item), 'C-58'],
  ['above 400 KB (409,600 bytes), counted in UTF-8 with all names', permanent('item_too_large'), 'C-58'],
  ['an attribute nested deeper than 32 levels, the innermost scalar included', planned(nested(33), {}, item), ''],
  ['no object where `business_item` looks', planned('{"id":"o-1"}', { businessItem: 'order' }, item), ''],
  ['the key attribute in the item, with the same value', planned('{"id":"o-1","pk":"o-1"}', {}, item), ''],
  ['the key attribute in the item, with another value', planned('{"id":"o-1","pk":"o-2"}', {}, item), ''],
  ['a key that is missing or `null`', planned('{"id":"o-1"}', { businessKey: 'key' }, item), ''],
  [
    'a key that is `""`, of the wrong type, or too long',
    planned('{"id":"o-1","key":7}', { businessKey: 'key' }, item),
    'C-53, C-55',
  ],
  [
    'the key `7.0` of type N',
    planned('{"id":"o-1","key":7.0}', { businessKey: 'key', businessHashKey: { name: 'pk', type: 'N' } }, key),
    'C-48',
  ],
  [
    '`newer` without a number as version',
    planned('{"id":"o-1","v":"1"}', { onExistingKey: 'newer', version: 'v' }, item),
    '',
  ],
  ['`newer`, and the stored version is higher or equal', 'done without a write or a notification (`Superseded`)', ''],
  ['`newer`, and the stored item has no version', 'overwritten: it is older than any event that has one', ''],
];

const notifications: readonly Row[] = [
  ['a string', planned('{"id":"o-1","text":"日本"}', { notification: 'text' }, message), 'C-44'],
  ['anything else', planned('{"id":"o-1","n":9007199254740993}', { notification: '{n: n}' }, message), 'C-48'],
  ['nothing found', planned('{"id":"o-1"}', { notification: 'text' }, message), ''],
  ['an empty string', published({ message: '' }), ''],
  ['a character that SQS refuses (U+0000, U+FFFE)', `${published({ message: '\u0000' })}; in JSON it is escaped`, ''],
  ['message and attributes of 262,144 bytes', published({ message: 'x'.repeat(262_144) }), 'C-62'],
  ['one byte more (`topic_max_bytes`)', published({ message: 'x'.repeat(262_145) }), 'C-62'],
  ['a subject that is missing or empty', 'left out', ''],
  ['a subject of more than 99 characters, or on two lines', published({ subject: 'x'.repeat(100) }), ''],
  ['an attribute that is missing, `null` or empty', attribute(''), 'C-64'],
  ['an attribute with a control character', attribute('\u0000'), 'C-64'],
  ['an attribute of a handler’s that is no JSON all through: `[NaN]`, a date', attribute([Number.NaN]), 'C-64'],
  ['an attribute that is a number', attribute(1.5), 'C-64'],
  ['an attribute that is a boolean', attribute(true), 'C-64'],
  ['an attribute that is a list of scalars', attribute(['a', 1]), 'C-64'],
  [
    'an attribute called `AWS.x`, `a b` or `:authority`',
    isAttributeName('AWS.x') ? 'taken' : 'refused at start-up',
    'C-64',
  ],
  ['more than 6 attributes of the operator’s (8 in all)', 'refused at start-up', 'C-65'],
  ['a group id that SNS refuses (a space, 129 characters)', 'its SHA-256, so that equal ids share a group', ''],
  ['the de-duplication id', 'SHA-256 of the event id and the place among its notifications', 'C-68'],
];

const BIG = '{"n":9007199254740993,"m":2,"s":"9007199254740993"}';

const expressions: readonly Row[] = [
  ['`n` for `{"n":9007199254740993}`', '`9007199254740993`', 'C-48'],
  [`${code('n > `100`')} as \`event_filter\``, `${judged('n > `100`', BIG)}: judged as a double`, 'C-48'],
  [code('n > `100`'), `${found('n > `100`', BIG)}: only the filter compares such a number`, 'C-48'],
  [code('{a: n, b: m > `1`}'), `${found('{a: n, b: m > `1`}', BIG)}: what is passed on keeps its digits`, 'C-48'],
  [code('sum([n])'), found('sum([n])', BIG), 'C-48'],
  [code('to_string(n)'), found('to_string(n)', BIG), 'C-48'],
  [code('to_number(s)'), `${found('to_number(s)', BIG)}: the text has more digits than a double`, 'C-48'],
  [code('n == `9007199254740993`'), found('n == `9007199254740993`', BIG), 'C-48'],
  [code("at > '2026-01-01'"), found("at > '2026-01-01'", '{}'), ''],
  [code('a > b'), `${found('a > b', '{"a":"2","b":1}')} for \`{"a":"2","b":1}\`: only numbers have an order`, ''],
  [code('missing'), found('missing', '{}'), ''],
  [code('not_null(a, b)'), `${found('not_null(a, b)', '{"a":0}')} for \`{"a":0}\``, ''],
  [code('sum(@)'), `${found('sum(@)', '[0.1,0.2]')} for \`[0.1,0.2]\`: sums are doubles`, ''],
  [code('sum(@)'), `${found('sum(@)', '["a"]')} for \`["a"]\``, ''],
  [code('sort(tags)'), 'the event itself stays as it is', ''],
  [code('a.'), found('a.', '{}'), ''],
  [code('items[*].nope(@)'), found('items[*].nope(@)', '{}'), ''],
  [code('!a.b'), found('!a.b', '{}'), ''],
];

/** The page, whole. */
export function valuesPage(): string {
  const reasons = Object.entries(PERMANENT_REASONS).map(([reason, text]) => `| \`${reason}\` | ${text} |`);
  return `# Values: what happens at every edge

Written by \`scripts/docs/values.ts\`, which runs the consumer's own functions: do not edit it. Every outcome is found
before the first call to AWS. *Permanent* means: quarantined alone, with that reason, without harm to its neighbours.

## Bodies and envelopes

${table(bodies, 'the body', 'outcome')}

## The event id

${table(ids, 'what `event_id` finds', 'outcome')}

An id that is found is looked up even if the rest of the event cannot be used: an earlier attempt may have committed it.

## Numbers

JSON numbers keep their digits. What DynamoDB cannot store is permanent where it would be stored, and does no harm
elsewhere in the event.

${table(numbers, 'as written', 'as a value of an item')}

## One payload or two

A payload is compared by value: RFC 8785, with numbers of any length. \`functions/test/hash-vectors.json\` keeps it.

${table(hashes, 'two payloads under one id', 'they are')}

Two payloads under one id are permanent: \`payload_mismatch\`.

## The business item

${table(items, 'the item', 'outcome')}

## Values out of a handler

Nothing is dropped, shortened or converted on the way into an item.

${table(handlers, 'the value', 'outcome')}

## Notifications

${table(notifications, 'the notification', 'outcome')}

## Expressions

JMESPath as Powertools for AWS Lambda evaluates it, checked at start-up as far as it can be without an event. Where
nothing else is said, the event is

\`${BIG}\`

A number with more digits than a double holds can be passed on by any expression, and compared with another such number
by \`==\` and \`!=\`. An expression that finds something else when every number is a double (an order, a sum, a type) has
no outcome that could be trusted: it is \`mapping_failed\`. The filter alone judges doubles.

${table(expressions, 'the expression', 'outcome')}

## JSON Schema

Draft 2020-12, or draft-07 where \`$schema\` says so. \`format\` is not checked. A number that no double holds is judged
as the nearest one; what is stored keeps its digits. An unknown keyword is refused at start-up.

## Permanent reasons

| reason | meaning |
|---|---|
${reasons.join('\n')}
`;
}

export const VALUES_PAGE = new URL('../../docs/values.md', import.meta.url);

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  writeFileSync(VALUES_PAGE, valuesPage());
}
