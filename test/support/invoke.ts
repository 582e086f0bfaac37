import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';

export interface Invocation {
  /** What the handler answered; undefined when the function failed. */
  readonly answer?: { readonly batchItemFailures: readonly { readonly itemIdentifier: string }[] };
  /** Lambda's word for a failure: an exception, a crash or a timeout. */
  readonly error?: string;
}

/**
 * Invokes the function with a batch of records, past the event source mapping: for more than ten records, or for two
 * invocations at the same moment. The records have receipt handles that no queue knows.
 */
export async function invoke(
  lambda: LambdaClient,
  functionName: string,
  records: readonly object[],
): Promise<Invocation> {
  const { Payload, FunctionError } = await lambda.send(
    new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify({ Records: records }) }),
  );
  const text = Payload === undefined ? '' : Payload.transformToString();
  return FunctionError === undefined ? { answer: JSON.parse(text) } : { error: text };
}
