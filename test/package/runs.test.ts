import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { remove, root, unpack } from './build.ts';
import { invokeUnpacked, sqsRecord } from './invoke.ts';

/** The module's default `memory_size` in MB, and its default timeout in seconds. */
const memory = 512;
const timeout = 30;

describe('the shipped zip, unpacked where nothing else is', () => {
  // Outside of the project: below it, Node.js would find the project's node_modules.
  const folder = mkdtempSync(join(tmpdir(), 'pipeline-zip-'));
  beforeAll(() => unpack(readFileSync(join(root, 'functions/dist/pipeline.zip')), folder));
  afterAll(() => remove(folder));

  const orders = (count: number) =>
    Array.from({ length: count }, (_, i) => sqsRecord(i, JSON.stringify({ event_id: `e-${i}`, order_id: `o-${i}` })));

  it('T-38, T-39: is imported from a file, and its handler reaches AWS through the SDK inside', async () => {
    const run = await invokeUnpacked(folder, { Records: orders(2) });
    expect(run.calls).toContain('DynamoDB_20120810.TransactWriteItems');
    expect(run.answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier).sort()).toEqual(
      orders(2).map(({ messageId }) => messageId),
    );
  }, 60_000);

  it('T-40: fails 1000 records within the default memory and timeout, source maps enabled', async () => {
    const records = orders(1000);
    const run = await invokeUnpacked(folder, { Records: records }, ['--enable-source-maps']);
    expect(run.answer.batchItemFailures).toHaveLength(1000);
    expect(run.seconds).toBeLessThan(timeout);
    expect(run.peakMegabytes).toBeLessThan(memory);
  }, 60_000);
});
