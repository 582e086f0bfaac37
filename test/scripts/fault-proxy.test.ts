import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { PublishBatchCommand, SNSClient } from '@aws-sdk/client-sns';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { identify, isRunning } from '../../scripts/local/process.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { waitUntil } from '../support/wait.ts';

describe('the fault proxy', () => {
  let aws: Server;
  let executed: string[];
  let proxy: FaultProxy;
  let dynamodb: DynamoDBClient;
  let sns: SNSClient;

  beforeEach(async () => {
    executed = [];
    aws = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        const target = request.headers['x-amz-target'];
        executed.push(target === undefined ? (new URLSearchParams(body).get('Action') ?? '') : String(target));
        response.end(
          target === undefined
            ? '<PublishBatchResponse><PublishBatchResult><Successful/><Failed/></PublishBatchResult></PublishBatchResponse>'
            : '{}',
        );
      });
    }).listen(0, '127.0.0.1');
    await once(aws, 'listening');
    proxy = await startFaultProxy({
      kind: 'given',
      endpoint: `http://127.0.0.1:${(aws.address() as AddressInfo).port}`,
    });
    const configuration = {
      endpoint: proxy.url,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      maxAttempts: 1,
    };
    dynamodb = new DynamoDBClient(configuration);
    sns = new SNSClient(configuration);
  });
  afterEach(async () => {
    dynamodb.destroy();
    sns.destroy();
    await proxy.close();
    aws.closeAllConnections();
    aws.close();
  });

  const commit = (id = 'e-1') =>
    dynamodb.send(
      new TransactWriteItemsCommand({ TransactItems: [{ Put: { TableName: 't', Item: { event_id: { S: id } } } }] }),
    );
  const publish = () =>
    sns.send(
      new PublishBatchCommand({
        TopicArn: 'arn:aws:sns:us-east-1:000000000000:t',
        PublishBatchRequestEntries: [{ Id: '0', Message: '{"event_id":"e-1"}' }],
      }),
    );

  it('lets pass what no rule names, and knows each operation by its name', async () => {
    await commit();
    await publish();
    expect(proxy.calls.map(({ operation }) => operation)).toEqual(['TransactWriteItems', 'PublishBatch']);
    expect(executed).toEqual(['DynamoDB_20120810.TransactWriteItems', 'PublishBatch']);
  });

  it('holds a call in front of AWS until it is released', async () => {
    const rule = proxy.on('TransactWriteItems', { kind: 'hold' });
    const answer = commit();
    expect((await rule.first).body).toContain('e-1');
    expect(executed).toEqual([]);
    rule.release();
    await answer;
    expect(executed).toHaveLength(1);
    await commit();
  });

  it('never sends on a held call whose sender was killed, released at once after that', async () => {
    const rule = proxy.on('PublishBatch', { kind: 'hold' });
    const sender = spawn(process.execPath, [
      '-e',
      `fetch('${proxy.url}', { method: 'POST', body: new URLSearchParams({ Action: 'PublishBatch' }) })`,
    ]);
    await rule.first;
    const known = identify(sender.pid as number);
    sender.kill('SIGKILL');
    // Without a turn of this process's event loop in between, which is what a quick test on a busy machine comes to.
    while (known !== undefined && isRunning(known));
    rule.release();
    await commit();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(executed).toEqual(['DynamoDB_20120810.TransactWriteItems']);
  });

  it('has AWS execute a call and loses the answer', async () => {
    proxy.on('TransactWriteItems', { kind: 'drop-answer' }, { times: 1 });
    await expect(commit()).rejects.toThrow();
    expect(executed).toHaveLength(1);
    await commit();
    expect(executed).toHaveLength(2);
  });

  it('has AWS execute a call and holds the answer', async () => {
    const rule = proxy.on('TransactWriteItems', { kind: 'hold-answer' });
    let answered = false;
    const answer = commit().then(() => {
      answered = true;
    });
    await waitUntil('AWS to execute the call', () => executed.length === 1);
    expect(answered).toBe(false);
    rule.release();
    await answer;
  });

  it('cuts a connection before AWS sees the call', async () => {
    proxy.on('PublishBatch', { kind: 'cut' });
    await expect(publish()).rejects.toThrow();
    expect(executed).toEqual([]);
  });

  it('answers with an error that the SDK names, in the protocol of the service', async () => {
    proxy.on(['TransactWriteItems', 'PublishBatch'], { kind: 'fail', status: 400, code: 'ThrottlingException' });
    await expect(commit()).rejects.toMatchObject({ name: 'ThrottlingException' });
    await expect(publish()).rejects.toMatchObject({ name: 'ThrottlingException' });
    expect(executed).toEqual([]);
  });

  it('takes only the calls that a rule wants, as often as it wants', async () => {
    const rule = proxy.on(
      'TransactWriteItems',
      { kind: 'cut' },
      { times: 1, when: ({ body }) => body.includes('e-2') },
    );
    await commit('e-1');
    await expect(commit('e-2')).rejects.toThrow();
    await commit('e-2');
    expect(rule.calls).toHaveLength(1);
    expect(executed).toHaveLength(2);
  });
});
