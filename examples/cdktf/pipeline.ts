import { TerraformDataSource, type TerraformStack, Token } from 'cdktf';
import { IdempotentPipeline } from './.gen/modules/idempotent-pipeline';
import type { PipelineConfig } from './objects';

/** The generated construct, with every input typed. */
export class Pipeline extends IdempotentPipeline {
  // Narrows the type of the inputs, and does nothing else.
  constructor(stack: TerraformStack, id: string, config: PipelineConfig) {
    super(stack, id, config);
  }

  /** An attribute of an output that is an object, such as `business_table.name`. */
  attribute(path: string): string {
    return Token.asString(this.interpolationForOutput(path));
  }
}

/**
 * Says which provider to use. An override, as the bindings of the provider are some 100 MB that the module needs none of.
 * Region and credentials come from the environment.
 */
export function awsProvider(stack: TerraformStack): void {
  stack.addOverride('terraform.required_providers.aws', {
    source: 'hashicorp/aws',
    version: '>= 5.100.0, < 7.0.0',
  });
}

/** The account and Region that a stack is applied in. */
export class Account {
  private readonly partition: string;
  private readonly place: string;

  constructor(stack: TerraformStack) {
    const data = (type: string, attribute: string) =>
      new TerraformDataSource(stack, type, { terraformResourceType: type }).getStringAttribute(attribute);
    this.partition = data('aws_partition', 'partition');
    this.place = `${data('aws_region', 'id')}:${data('aws_caller_identity', 'account_id')}`;
  }

  /** An ARN as text, for where a reference would be a cycle. */
  arn(service: string, name: string): string {
    return `arn:${this.partition}:${service}:${this.place}:${name}`;
  }
}
