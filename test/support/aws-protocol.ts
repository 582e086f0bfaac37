import type { IncomingHttpHeaders } from 'node:http';

export interface Operation {
  /** The API's name of it: `TransactWriteItems`, `PublishBatch`; a method and path for REST services. */
  readonly operation: string;
  readonly protocol: 'json' | 'query' | 'rest';
}

/** DynamoDB and SQS name the operation in a header, SNS in the form that it posts. */
export function operationOf(headers: IncomingHttpHeaders, body: Buffer): Operation {
  const target = headers['x-amz-target'];
  if (typeof target === 'string') return { operation: target.slice(target.lastIndexOf('.') + 1), protocol: 'json' };
  if (String(headers['content-type']).startsWith('application/x-www-form-urlencoded')) {
    const action = new URLSearchParams(body.toString('utf8')).get('Action');
    if (action !== null) return { operation: action, protocol: 'query' };
  }
  return { operation: '', protocol: 'rest' };
}

/** An error as the service of that operation would send it, so that the SDK names it by its code. */
export function awsError({ protocol }: Operation, code: string): { contentType: string; text: string } {
  const message = 'injected by the fault proxy';
  if (protocol === 'query') {
    const text = `<ErrorResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>injected</RequestId></ErrorResponse>`;
    return { contentType: 'text/xml', text };
  }
  const text = JSON.stringify({ __type: `com.amazonaws.injected#${code}`, message });
  return { contentType: 'application/x-amz-json-1.0', text };
}
