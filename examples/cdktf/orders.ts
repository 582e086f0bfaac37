import { Fn, TerraformOutput, TerraformResource, TerraformStack } from 'cdktf';
import type { Construct } from 'constructs';
import { Account, awsProvider, Pipeline } from './pipeline';

/** What ../orders does, in TypeScript: the same addresses, so one could take over the state of the other. */
export class Orders extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    awsProvider(this);
    const account = new Account(this);

    // Without bindings of the provider a resource is written by its arguments' own names.
    const shipping = new TerraformResource(this, 'shipping', { terraformResourceType: 'aws_sqs_queue' });
    shipping.addOverride('name', 'orders-shipping');
    shipping.addOverride('sqs_managed_sse_enabled', true);
    shipping.addOverride(
      'policy',
      Fn.jsonencode({
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Principal: { Service: 'sns.amazonaws.com' },
            Action: 'sqs:SendMessage',
            Resource: account.arn('sqs', 'orders-shipping'),
            Condition: { ArnEquals: { 'aws:SourceArn': account.arn('sns', 'orders-notifications') } },
          },
        ],
      }),
    );

    const orders = new Pipeline(this, 'orders', {
      name: 'orders',
      eventId: 'event_id',
      businessKey: 'order_id',

      businessHashKeyName: 'order_id',
      correlationId: 'correlation_id',
      notificationAttributes: { status: 'status' },

      subscriptions: {
        shipping: { protocol: 'sqs', endpoint: shipping.getStringAttribute('arn'), raw_message_delivery: true },
      },

      alarms: false,
      deletionProtection: false, // an example is made to be removed
    });

    new TerraformOutput(this, 'queue_url', { value: orders.queueUrlOutput });
    new TerraformOutput(this, 'topic_arn', { value: orders.topicArnOutput });
    new TerraformOutput(this, 'business_table', { value: orders.attribute('business_table.name') });
  }
}
