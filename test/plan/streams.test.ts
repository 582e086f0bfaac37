import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ResourceChange } from '../support/terraform.ts';
import { type Plan, planned } from './planned.ts';

type Change = Pick<ResourceChange['change'], 'after' | 'after_unknown'>;

let plan: Plan;
beforeAll(async () => {
  plan = await planned();
}, 300_000);

/**
 * A shard is read in order, so a record that fails holds back all that follow it, by default until it expires: both limits
 * are -1 unless they are set. Bisecting finds the record among its neighbours, and the destination keeps what is given up.
 *
 * @returns What a mapping lacks; empty for one on an SQS queue, whose messages fail one by one.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/kinesis-on-failure-destination.html
 */
function lacks({ after, after_unknown: unknown }: Change): readonly string[] {
  if (isOnQueue({ after, after_unknown: unknown })) return [];
  const isSet = (key: string, least: number) => typeof after?.[key] === 'number' && after[key] >= least;
  const [destination] = destinationOf(after);
  const [unknownDestination] = destinationOf(unknown);
  return [
    ...(isSet('maximum_retry_attempts', 0) || isSet('maximum_record_age_in_seconds', 60) ? [] : ['an end']),
    ...(after?.bisect_batch_on_function_error === true ? [] : ['bisecting']),
    ...(destination || unknownDestination ? [] : ['a destination']),
  ];
}

/** An ARN that the same apply creates is unknown; only streams have a position to start from, and have to have one. */
function isOnQueue({ after, after_unknown }: Change): boolean {
  const arn = after?.event_source_arn;
  if (typeof arn === 'string') return /^arn:[^:]+:sqs:/.test(arn);
  return (after?.starting_position ?? null) === null && after_unknown.starting_position !== true;
}

function destinationOf(values: Change['after']): readonly unknown[] {
  const configs = values?.destination_config as { on_failure?: { destination_arn?: unknown }[] }[] | undefined;
  return (configs ?? []).flatMap(({ on_failure = [] }) => on_failure.map(({ destination_arn }) => destination_arn));
}

describe('C-42: a poison record does not block a shard until it expires', () => {
  const mappings = () => [...plan.resources].filter(([, { type }]) => type === 'aws_lambda_event_source_mapping');
  const stream = (name: string) => plan.resource(`aws_lambda_event_source_mapping.${name}`).change;

  it.each(['bring_your_own', 'fifo', 'handler', 'kms', 'minimal', 'orders'])('the example %s is planned', (name) => {
    expect(mappings().filter(([address]) => address.startsWith(`module.example_${name}.`))).toHaveLength(1);
  });

  it('every mapping of the module is on a queue, or has an end to retries, bisects, and keeps what is given up', () => {
    const ours = mappings().filter(([address]) => address.startsWith('module.'));
    expect(ours.filter(([, { change }]) => lacks(change).length > 0).map(([address]) => address)).toEqual([]);
  });

  it('a stream without them is refused, one with them is not', () => {
    expect(lacks(stream('unguarded_stream'))).toEqual(['an end', 'bisecting', 'a destination']);
    expect(isOnQueue(stream('guarded_stream'))).toBe(false);
    expect(lacks(stream('guarded_stream'))).toEqual([]);
  });

  it.each([
    [{ maximum_retry_attempts: -1 }, ['an end']],
    [{ maximum_retry_attempts: -1, maximum_record_age_in_seconds: -1 }, ['an end']],
    [{ maximum_retry_attempts: -1, maximum_record_age_in_seconds: 3600 }, []],
    [{ maximum_retry_attempts: 0 }, []],
    [{ bisect_batch_on_function_error: false }, ['bisecting']],
    [{ destination_config: [] }, ['a destination']],
    [
      { event_source_arn: 'arn:aws:dynamodb:us-east-1:111122223333:table/t/stream/s', destination_config: [] },
      ['a destination'],
    ],
    [{ event_source_arn: 'arn:aws:sqs:us-east-1:111122223333:q', destination_config: [] }, []],
  ])('a stream with %j lacks %j', (changed, missing) => {
    const { after, after_unknown } = stream('guarded_stream');
    const unknown = 'destination_config' in changed ? { ...after_unknown, destination_config: [] } : after_unknown;
    expect(lacks({ after: { ...after, ...changed }, after_unknown: unknown })).toEqual(missing);
  });
});
