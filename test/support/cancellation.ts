import type { Answer, Call } from './fault-proxy.ts';

/** Why DynamoDB cancels a transaction that is right in itself. */
const CODES = [
  'TransactionConflict',
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
] as const;

/**
 * A cancellation as DynamoDB answers it: one reason an action, in their order, `None` for those that are not guilty.
 *
 * @param random Uniform in [0, 1): which action is guilty, and of what.
 */
export function cancelled({ body }: Call, random: () => number): Answer {
  const { TransactItems } = JSON.parse(body) as { readonly TransactItems: readonly object[] };
  const guilty = Math.floor(random() * TransactItems.length);
  const code = CODES[Math.floor(random() * CODES.length)] as string;
  const CancellationReasons = TransactItems.map((_, index) =>
    index === guilty ? { Code: code, Message: 'injected' } : { Code: 'None' },
  );
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ');
  return {
    status: 400,
    contentType: 'application/x-amz-json-1.0',
    text: JSON.stringify({
      __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
      Message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
      CancellationReasons,
    }),
  };
}
