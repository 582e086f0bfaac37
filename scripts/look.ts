/** `scripts/look orders|dlq|logs`: shows what `make demo` left running. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { paginateScan } from '@aws-sdk/client-dynamodb';
import { connect } from '../test/support/clients.ts';
import { logLines } from '../test/support/logs.ts';
import { peek } from '../test/support/queues.ts';
import { terraformIn } from '../test/support/terraform.ts';
import { root } from './local/checkout.ts';
import { localAwsStatus } from './local/local-aws.ts';
import type { Places } from './promises/evidence.ts';

const what = process.argv[2] ?? '';
const folder = join(root, '.scratch', 'stack-demo');
const localAws = await localAwsStatus().catch(() => undefined);
if (!['orders', 'dlq', 'logs'].includes(what)) fail('usage: scripts/look orders|dlq|logs');
if (localAws === undefined || !existsSync(folder)) fail('Nothing to look at yet. Run: make demo');

const clients = connect(localAws.endpoint);
const places = await outputs(localAws.endpoint);
if (what === 'orders') {
  await showTable(places.business_table);
  await showTable(places.processed_events_table, ['event_id', 'status', 'created_at', 'sent_at', 'message_id']);
} else if (what === 'dlq') {
  const messages = await peek(clients.sqs, places.dlq_url);
  show(
    `${places.dlq_url}: ${messages.length}`,
    messages.map(({ MessageAttributes = {}, Body = '' }) => ({
      error_type: MessageAttributes.error_type?.StringValue ?? 'received too often',
      error_message: MessageAttributes.error_message?.StringValue ?? '',
      body: Body.slice(0, 60),
    })),
  );
} else {
  console.log((await logLines(clients.logs, places.consumer_function)).slice(-40).join('\n'));
}
clients.close();

async function outputs(endpoint: string): Promise<Places> {
  const all = JSON.parse(await terraformIn(folder, endpoint)('output', '-json'));
  return Object.fromEntries(
    Object.entries(all).map(([name, output]) => [name, (output as { value: unknown }).value]),
  ) as unknown as Places;
}

async function showTable(TableName: string, columns?: readonly string[]): Promise<void> {
  const rows: Record<string, string>[] = [];
  for await (const { Items = [] } of paginateScan({ client: clients.dynamodb }, { TableName })) {
    for (const item of Items) {
      const names = columns ?? Object.keys(item).sort();
      rows.push(Object.fromEntries(names.map((name) => [name, item[name]?.S ?? item[name]?.N ?? ''])));
    }
  }
  rows.sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
  show(`${TableName}: ${rows.length}, the first ${Math.min(rows.length, 20)}`, rows.slice(0, 20));
}

function show(title: string, rows: readonly object[]): void {
  console.log(title);
  console.table(rows);
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
