import type { Rng } from '../../test/simulation/rng.ts';
import { cancelled } from '../../test/support/cancellation.ts';
import type { FaultProxy } from '../../test/support/fault-proxy.ts';
import { failSome, PARTIAL_OPERATIONS } from '../../test/support/partial-failure.ts';
import type { MicroburstRule } from './microburst.ts';

/** One thing that AWS or the network does to a share of the calls. */
export interface StormFault {
  readonly name: string;
  readonly what: string;
  /** The share of calls that it can hit at all, about; mixed with others it hits these more often, to do its part. */
  readonly reach?: number;
  /** By microburst where it can, */
  readonly rules?: (rate: number) => readonly MicroburstRule[];
  /** else by our own proxy; `hit` counts. */
  readonly apply?: (proxy: FaultProxy, rate: number, rng: Rng, hit: () => void) => void;
}

const DYNAMODB = [
  'TransactWriteItems',
  'BatchGetItem',
  'GetItem',
  'BatchExecuteStatement',
  'UpdateItem',
  'Query',
  'Scan',
];
const SQS = ['SendMessageBatch', 'DeleteMessageBatch', 'ChangeMessageVisibilityBatch'];
const SNS = ['PublishBatch'];
const ALL = [...DYNAMODB, ...SNS, ...SQS];

/** Longer than the 3 s that the consumer gives a request. */
const LATE_MS = [3200, 6000] as const;
/** How often the services refuse for a while. */
const DENIAL_PERIOD_MS = 10_000;
/** When in each period: once traffic flows. */
const DENIAL_OFFSET_MS = 1_000;

const each = (codes: Readonly<Record<string, readonly [code: string, status: number]>>) => (probability: number) =>
  Object.entries(codes).map(([service, [code, status]]) => ({ service, probability, error: { code, status } }));

const every = (fault: MicroburstRule) => (probability: number) => [{ service: '*', probability, ...fault }];

export const faults: readonly StormFault[] = [
  {
    name: 'throttle',
    what: 'the service throttles',
    rules: each({
      dynamodb: ['ProvisionedThroughputExceededException', 400],
      sns: ['Throttled', 429],
      sqs: ['RequestThrottled', 403],
    }),
  },
  {
    name: 'error-500',
    what: 'the service fails with 500',
    rules: each({
      dynamodb: ['InternalServerError', 500],
      sns: ['InternalError', 500],
      sqs: ['InternalFailure', 500],
    }),
  },
  { name: 'reset', what: 'the connection is reset before AWS sees the call', rules: every({ reset: true }) },
  {
    name: 'timeout',
    what: 'no answer until the SDK gives up; AWS never sees the call',
    rules: every({ timeout_ms: 3500 }),
  },
  { name: 'latency', what: '0.1 to 1.5 s more', rules: every({ latency: { min: 100, max: 1500 } }) },
  {
    name: 'torn-answer',
    what: 'executed; the connection breaks within the answer',
    rules: every({ response: { abort_frac: 0.3 } }),
  },
  {
    name: 'lost-answer',
    what: 'executed; no answer comes back',
    apply: (proxy, rate, rng, hit) => {
      proxy.on(ALL, { kind: 'drop-answer' }, { when: chosen(rate, rng, hit) });
    },
  },
  {
    name: 'late',
    what: 'executed 3.2 to 6 s later, when the sender has given up',
    apply: (proxy, rate, rng, hit) => {
      proxy.on(ALL, { kind: 'delay', ms: () => rng.int(...LATE_MS) }, { when: chosen(rate, rng, hit) });
    },
  },
  {
    name: 'conflict',
    reach: 0.3,
    what: 'TransactionCanceledException, one action guilty of a conflict or a throttle',
    apply: (proxy, rate, rng, hit) => {
      const of = (call: Parameters<typeof cancelled>[0]) => cancelled(call, () => rng.next());
      proxy.on('TransactWriteItems', { kind: 'answer', of }, { when: chosen(rate, rng, hit) });
    },
  },
  {
    name: 'partial',
    reach: 0.4,
    what: 'half of the entries of a batch call fail, or stay unread',
    apply: (proxy, rate, rng, hit) => {
      proxy.on(PARTIAL_OPERATIONS, {
        kind: 'change',
        of: (call) => {
          const change = rng.chance(rate) ? failSome(call, () => rng.chance(0.5)) : undefined;
          if (change !== undefined) hit();
          return change;
        },
      });
    },
  },
  {
    name: 'denied',
    reach: 0.33,
    what: 'one service refuses every call for a while, for that share of the time',
    apply: (proxy, rate, rng, hit) => {
      const start = Date.now();
      const services = [DYNAMODB, SNS, SQS];
      const denied: (readonly string[])[] = [];
      const isDenied = (operation: string) => {
        const period = Math.floor((Date.now() - start) / DENIAL_PERIOD_MS);
        while (denied.length <= period) denied.push(rng.pick(services));
        const since = ((Date.now() - start) % DENIAL_PERIOD_MS) - DENIAL_OFFSET_MS;
        const inWindow = since >= 0 && since < rate * DENIAL_PERIOD_MS;
        const is = inWindow && denied[period]?.includes(operation) === true;
        if (is) hit();
        return is;
      };
      const when = ({ operation }: { operation: string }) => isDenied(operation);
      proxy.on(SNS, { kind: 'fail', status: 403, code: 'AuthorizationError' }, { when });
      proxy.on([...DYNAMODB, ...SQS], { kind: 'fail', status: 400, code: 'AccessDeniedException' }, { when });
    },
  },
];

function chosen(rate: number, rng: Rng, hit: () => void): () => boolean {
  return () => {
    const is = rng.chance(rate);
    if (is) hit();
    return is;
  };
}
