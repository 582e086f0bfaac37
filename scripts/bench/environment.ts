/** What every variant finds in its environment. Names begin with the variant, by which the stub keeps them apart. */
export function environment(variant: string, port: number, settings: object = {}): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
    AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
    AWS_LAMBDA_FUNCTION_NAME: 'bench',
    PROCESSED_EVENTS_TABLE: `${variant}-processed`,
    BUSINESS_TABLE: `${variant}-orders`,
    IDEMPOTENCY_TABLE: `${variant}-idempotency`,
    TOPIC_ARN: `arn:aws:sns:eu-central-1:123456789012:${variant}-orders`,
    QUEUE_URL: `http://127.0.0.1:${port}/123456789012/${variant}-queue`,
    DLQ_URL: `http://127.0.0.1:${port}/123456789012/${variant}-dlq`,
    PIPELINE_CONFIG: JSON.stringify({
      name: 'bench',
      source: 'sqs',
      event_id: 'event_id',
      business_key: 'order_id',
      business_hash_key_name: 'order_id',
      function_timeout_seconds: 900,
      batch_size: 100,
      ...settings,
    }),
  };
}
