import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { remove, root, scratch, unpack } from './build.ts';
import { invokeUnpacked, sqsRecord } from './invoke.ts';

describe('a handler of one’s own, bundled by make handler', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pipeline-handler-'));
  const out = scratch('handler');
  beforeAll(() => {
    const handler = join(root, 'examples/handler/handler.ts');
    execFileSync(process.execPath, [join(root, 'scripts/package.ts'), '--handler', handler, '--out', out]);
    unpack(readFileSync(join(out, 'pipeline.zip')), folder);
  }, 60_000);
  afterAll(() => {
    remove(folder);
    remove(out);
  });

  it('runs instead of the mapping: it reads what the handler declares before it plans', async () => {
    const run = await invokeUnpacked(folder, { Records: [sqsRecord(1, '{"event_id":"e-1","sku":"s-1"}')] });
    // Reads are refused by this AWS: nothing is committed, and the message comes back.
    expect(run.calls).toContain('DynamoDB_20120810.BatchGetItem');
    expect(run.calls).not.toContain('DynamoDB_20120810.TransactWriteItems');
    expect(run.answer.batchItemFailures).toHaveLength(1);
  }, 60_000);

  it('brings the relay along, since the module runs both from one package', () => {
    expect(readFileSync(join(folder, 'relay.mjs'), 'utf8')).toContain('export');
  });
});
