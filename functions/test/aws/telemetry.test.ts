import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { createTelemetry } from '../../src/aws/telemetry.ts';

let lines: string[];
let spies: { mockRestore(): void }[];
beforeEach(() => {
  lines = [];
  const record = (chunk: unknown) => {
    lines.push(...String(chunk).trimEnd().split('\n'));
    return true;
  };
  spies = [
    jest.spyOn(process.stdout, 'write').mockImplementation(record as never),
    jest.spyOn(process.stderr, 'write').mockImplementation(record as never),
  ];
});
afterEach(() => {
  for (const spy of spies) spy.mockRestore();
});

const parsed = () => lines.map((line) => JSON.parse(line));

describe('log lines', () => {
  it('are JSON with the pipeline, the request, the fields and the fixed text of the reason', () => {
    const telemetry = createTelemetry('orders', 'INFO');
    telemetry.begin({
      awsRequestId: 'r-1',
      functionName: 'f',
      invokedFunctionArn: 'a',
      memoryLimitInMB: '512',
    } as Context);
    telemetry.warn('Failed.', { event_id: 'e', message_id: 'm', receive_count: 2, reason: 'lease_held' });
    expect(parsed()).toMatchObject([
      {
        level: 'WARN',
        message: 'Failed.',
        service: 'orders',
        function_request_id: 'r-1',
        event_id: 'e',
        message_id: 'm',
        receive_count: 2,
        reason: 'lease_held',
        reason_text: 'Another attempt holds the lease and may still be publishing.',
      },
    ]);
  });

  it('below the level are not written', () => {
    const telemetry = createTelemetry('orders', 'WARN');
    telemetry.info('quiet');
    telemetry.error('loud');
    expect(parsed()).toMatchObject([{ level: 'ERROR', message: 'loud' }]);
  });
});

describe('metrics', () => {
  it('are added up and written once, in one line, by pipeline', () => {
    const telemetry = createTelemetry('orders', 'INFO');
    telemetry.count('Received', 2);
    telemetry.count('Received', 3);
    telemetry.count('EventAge', 10);
    telemetry.count('EventAge', 30);
    expect(lines).toEqual([]);
    telemetry.flush();
    expect(parsed()).toEqual([
      {
        _aws: {
          Timestamp: expect.any(Number),
          CloudWatchMetrics: [
            {
              Namespace: 'idempotent-pipeline',
              Dimensions: [['pipeline']],
              Metrics: [
                { Name: 'Received', Unit: 'Count' },
                { Name: 'EventAge', Unit: 'Milliseconds' },
              ],
            },
          ],
        },
        pipeline: 'orders',
        Received: 5,
        EventAge: [10, 30],
      },
    ]);
    lines.length = 0;
    telemetry.flush();
    expect(lines).toEqual([]);
  });

  it('with a reason are written in the sum of all, and once a reason under its dimension', () => {
    const telemetry = createTelemetry('orders', 'INFO');
    telemetry.count('Failed', 1, 'lease_held');
    telemetry.count('Failed', 2, 'conflict');
    telemetry.count('Failed', 1, 'conflict');
    telemetry.flush();
    const [sum, ...rest] = parsed();
    expect(sum).toMatchObject({ Failed: 4, pipeline: 'orders' });
    expect(sum).not.toHaveProperty('reason');
    expect(rest).toMatchObject([
      { Failed: 1, reason: 'lease_held', _aws: { CloudWatchMetrics: [{ Dimensions: [['pipeline', 'reason']] }] } },
      { Failed: 3, reason: 'conflict', pipeline: 'orders' },
    ]);
    lines.length = 0;
    telemetry.count('Failed', 1);
    telemetry.flush();
    expect(parsed()).toHaveLength(1);
  });

  it('of a thousand messages keep every age, at most 100 a line', () => {
    const telemetry = createTelemetry('orders', 'INFO');
    for (let age = 0; age < 250; age += 1) telemetry.count('EventAge', age);
    telemetry.flush();
    expect(parsed().map((line) => line.EventAge.length)).toEqual([100, 100, 50]);
  });
});
