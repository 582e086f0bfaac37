/**
 * AWS for the benchmark, in a process of its own: three services over HTTP, whose answers take longer the more they are
 * asked to do, and which count what each variant used. The variant is the first word of a table's or topic's name.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Wire, WireItem } from './item-size.ts';
import { Tables, type Usage } from './tables.ts';

export interface Counters extends Usage {
  calls: number;
  readonly byOperation: Record<string, number>;
}

// biome-ignore lint/suspicious/noExplicitAny: requests as they come over the wire
type Any = any;

interface Reply {
  readonly body: object | string;
  readonly status?: number;
  /** How long the answer takes. */
  readonly ms: number;
}

/** Issue "Fast": transaction 4 ms + 0.3 ms an action, batch statement or get 4 ms + 0.1 ms an entry, SNS 10 ms. */
const latency = {
  transaction: (actions: number) => 4 + 0.3 * actions,
  batch: (entries: number) => 4 + 0.1 * entries,
  sns: 10,
  sqs: 10,
};

const tables = new Tables();
let counters: Record<string, Counters> = {};

/** Set by `/__busy?table=...&share=...`: the share of writes to a table that meet another writer. */
let busyTable = '';
let busyShare = 0;
let seed = 1;
function random(): number {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
}

function usage(variant: string): Counters {
  counters[variant] ??= { calls: 0, writeUnits: 0, readUnits: 0, byOperation: {} };
  return counters[variant];
}

const variantOf = (name: string): string => /(?:^|[:/])([a-z]+)-[^:/]*$/.exec(name)?.[1] ?? 'unknown';

const dynamodb: Record<string, (body: Any) => { readonly variant: string } & Reply> = {
  TransactWriteItems({ TransactItems: actions }) {
    const puts = actions.map((action: Any) => action.Put);
    const variant = variantOf(puts[0].TableName);
    const own = usage(variant);
    const before = own.writeUnits;
    const ms = latency.transaction(puts.length);
    const held = puts.map((put: Any) => put.TableName === busyTable && random() < busyShare);
    if (held.includes(true)) {
      // Items that another writer holds at this moment. DynamoDB charges the writes that it prepared all the same.
      tables.charge(puts, own);
      const CancellationReasons = held.map((is: boolean) => ({ Code: is ? 'TransactionConflict' : 'None' }));
      return { variant, ms, ...failure('TransactionCanceledException', { CancellationReasons }) };
    }
    const results = tables.transact(puts, own);
    if (results.every((result) => result.ok)) {
      return { variant, ms, body: { ConsumedCapacity: [{ CapacityUnits: own.writeUnits - before }] } };
    }
    const CancellationReasons = results.map((result, index) =>
      result.ok
        ? { Code: 'None' }
        : {
            Code: 'ConditionalCheckFailed',
            ...(puts[index].ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && { Item: result.existing }),
          },
    );
    return { variant, ms, ...failure('TransactionCanceledException', { CancellationReasons }) };
  },

  BatchExecuteStatement({ Statements: statements }) {
    const { table } = parse(statements[0]);
    const variant = variantOf(table);
    const Responses = statements.map((statement: Any) => {
      const { key, set, remove, where } = parse(statement);
      const result = tables.update(table, key, set, remove, where, usage(variant));
      return result.ok ? {} : { Error: { Code: 'ConditionalCheckFailed', Item: result.existing } };
    });
    return { variant, ms: latency.batch(statements.length), body: { Responses } };
  },

  BatchGetItem({ RequestItems: requests }) {
    const Responses: Record<string, WireItem[]> = {};
    let entries = 0;
    for (const [table, { Keys, ConsistentRead }] of Object.entries<Any>(requests)) {
      entries += Keys.length;
      Responses[table] = Keys.flatMap(
        (key: WireItem) => tables.get(table, key, ConsistentRead === true, usage(variantOf(table))) ?? [],
      );
    }
    return { variant: variantOf(Object.keys(requests)[0] ?? ''), ms: latency.batch(entries), body: { Responses } };
  },

  GetItem({ TableName, Key, ConsistentRead }) {
    const variant = variantOf(TableName);
    const Item = tables.get(TableName, Key, ConsistentRead === true, usage(variant));
    return { variant, ms: latency.batch(1), body: Item === undefined ? {} : { Item } };
  },

  PutItem({ TableName, Item, ConditionExpression }) {
    const variant = variantOf(TableName);
    const result = tables.put(TableName, Item, ConditionExpression, usage(variant));
    const ms = latency.batch(1);
    if (result.ok) return { variant, ms, body: {} };
    return { variant, ms, ...failure('ConditionalCheckFailedException', { Item: result.existing }) };
  },

  UpdateItem(body) {
    const variant = variantOf(body.TableName);
    const set: Record<string, Wire> = {};
    for (const [, name, value] of body.UpdateExpression.matchAll(/([#\w]+) = (:\w+)/g)) {
      set[body.ExpressionAttributeNames?.[name] ?? name] = body.ExpressionAttributeValues[value];
    }
    tables.update(body.TableName, body.Key, set, [], {}, usage(variant));
    return { variant, ms: latency.batch(1), body: {} };
  },
};

const sqs = (body: Any): { readonly variant: string } & Reply => ({
  variant: variantOf(body.QueueUrl),
  ms: latency.sqs,
  body: {
    Successful: body.Entries.map((entry: Any) => ({
      Id: entry.Id,
      MessageId: entry.Id,
      MD5OfMessageBody: createHash('md5')
        .update(entry.MessageBody ?? '')
        .digest('hex'),
    })),
    Failed: [],
  },
});

function sns(fields: URLSearchParams): { readonly variant: string } & Reply {
  const variant = variantOf(fields.get('TopicArn') ?? '');
  if (fields.get('Action') === 'Publish') {
    const body = '<PublishResponse><PublishResult><MessageId>m</MessageId></PublishResult></PublishResponse>';
    return { variant, ms: latency.sns, body };
  }
  let members = '';
  for (let at = 1; ; at += 1) {
    const id = fields.get(`PublishBatchRequestEntries.member.${at}.Id`);
    if (id === null) break;
    members += `<member><Id>${id}</Id><MessageId>12345678-1234-1234-1234-123456789012</MessageId></member>`;
  }
  return {
    variant,
    ms: latency.sns,
    body: `<PublishBatchResponse><PublishBatchResult><Successful>${members}</Successful><Failed/></PublishBatchResult></PublishBatchResponse>`,
  };
}

function failure(name: string, fields: object): { readonly status: number; readonly body: object } {
  return { status: 400, body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, Message: name, ...fields } };
}

/** The PartiQL that the pipeline sends: assignments, removals and equalities over parameters and literals. */
function parse({ Statement, Parameters }: { Statement: string; Parameters: Wire[] }) {
  const table = /^UPDATE "([^"]+)"/.exec(Statement)?.[1] ?? '';
  const parameters = [...Parameters];
  const value = (text: string): Wire => {
    if (text === '?') return parameters.shift() as Wire;
    return text.startsWith("'") ? { S: text.slice(1, -1) } : { N: text };
  };
  const [changes = '', conditions = ''] = Statement.split(' WHERE ');
  const pairs = (text: string): Record<string, Wire> => {
    const found: Record<string, Wire> = {};
    for (const [, name = '', literal = ''] of text.matchAll(/"?(\w+)"? = (\?|'[^']*'|\d+)/g))
      found[name] = value(literal);
    return found;
  };
  const set = pairs(changes);
  const { event_id, ...where } = pairs(conditions);
  const remove = [...changes.matchAll(/REMOVE (\w+)/g)].map(([, name = '']) => name);
  return { table, key: { event_id: event_id as Wire }, set, remove, where };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  if (request.url === '/__reset') {
    tables.clear();
    counters = {};
    response.end();
    return;
  }
  if (request.url?.startsWith('/__busy')) {
    const query = new URL(request.url, 'http://stub').searchParams;
    busyTable = query.get('table') ?? '';
    busyShare = Number(query.get('share'));
    response.end();
    return;
  }
  if (request.url === '/__counters') {
    response.end(JSON.stringify(counters));
    return;
  }
  const [service = '', operation = ''] = String(request.headers['x-amz-target'] ?? '').split('.');
  let reply: { readonly variant: string } & Reply;
  let name = operation;
  if (service === '') {
    const fields = new URLSearchParams(text);
    name = fields.get('Action') ?? '';
    reply = sns(fields);
  } else if (service === 'AmazonSQS') reply = sqs(JSON.parse(text));
  else reply = (dynamodb[operation] ?? unknown(operation))(JSON.parse(text));
  const own = usage(reply.variant);
  own.calls += 1;
  own.byOperation[name] = (own.byOperation[name] ?? 0) + 1;
  setTimeout(() => {
    const xml = typeof reply.body === 'string';
    response.writeHead(reply.status ?? 200, { 'content-type': xml ? 'text/xml' : 'application/x-amz-json-1.0' });
    response.end(xml ? reply.body : JSON.stringify(reply.body));
  }, Math.round(reply.ms));
}

function unknown(operation: string): never {
  throw new Error(`the stub does not know ${operation}`);
}

const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => void answer(request, response));
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit());
