import { TerraformOutput, TerraformStack } from 'cdktf';
import type { Construct } from 'constructs';
import { awsProvider, Pipeline } from './pipeline';

/** What ../fifo does, in TypeScript. */
export class Accounts extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    awsProvider(this);

    const accounts = new Pipeline(this, 'accounts', {
      name: 'accounts',
      fifo: {},

      eventId: 'event_id',
      businessKey: 'account_id',

      onExistingKey: 'newer',
      businessVersion: 'version',

      quarantine: false,

      alarms: true,
      deletionProtection: false, // an example is made to be removed
    });

    new TerraformOutput(this, 'queue_url', { value: accounts.queueUrlOutput });
    new TerraformOutput(this, 'business_table', { value: accounts.attribute('business_table.name') });
  }
}
