import type { Environment } from '../../functions/src/config.ts';

/** A consumer as a plan would deploy it: the address of its function, and the variables that the plan knows. */
export interface PlannedConsumer {
  readonly address: string;
  readonly environment: Environment;
}

interface PlannedResource {
  readonly address: string;
  readonly type: string;
  readonly values?: { readonly environment?: readonly { readonly variables?: Readonly<Record<string, string>> }[] };
}

interface PlannedModule {
  readonly resources?: readonly PlannedResource[];
  readonly child_modules?: readonly PlannedModule[];
}

/** The answer of `terraform show -json`, of a plan or of a state. */
export interface ShownPlan {
  readonly planned_values?: { readonly root_module: PlannedModule };
  readonly values?: { readonly root_module: PlannedModule };
}

/**
 * What a plan cannot know yet: names and ARNs of what it is about to create. None of them decides what an event means,
 * but a topic's name says whether it is FIFO.
 */
const UNKNOWN: Readonly<Record<string, string>> = {
  PROCESSED_EVENTS_TABLE: '(processed_events)',
  BUSINESS_TABLE: '(business table)',
  TOPIC_ARN: '(topic)',
  QUEUE_URL: '(queue)',
  DLQ_URL: '(dead-letter queue)',
};

const CONSUMER = '.module.consumer.module.function.aws_lambda_function.this';

/** The consumers of every pipeline in the plan. The relay has a PIPELINE_CONFIG too, and no queue. */
export function consumersOf(plan: ShownPlan): PlannedConsumer[] {
  const root = (plan.planned_values ?? plan.values)?.root_module;
  return root === undefined ? [] : resourcesOf(root).flatMap(consumerOf);
}

function resourcesOf(module: PlannedModule): readonly PlannedResource[] {
  return [...(module.resources ?? []), ...(module.child_modules ?? []).flatMap(resourcesOf)];
}

function consumerOf({ address, type, values }: PlannedResource): PlannedConsumer[] {
  const variables = values?.environment?.[0]?.variables;
  const text = variables?.PIPELINE_CONFIG;
  if (type !== 'aws_lambda_function' || text === undefined || !address.endsWith(CONSUMER)) return [];
  const fifo = /"topic_fifo":\s*true/.test(text) ? '.fifo' : '';
  return [{ address, environment: { ...UNKNOWN, TOPIC_ARN: `${UNKNOWN.TOPIC_ARN}${fifo}`, ...variables } }];
}
