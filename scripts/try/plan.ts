import { type Environment, parseConfiguration } from '../../functions/src/config.ts';

/** A consumer as a plan would deploy it: where the plan shows it, and the variables that are known. */
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

interface Shown {
  readonly root_module: PlannedModule;
  readonly outputs?: Readonly<Record<string, { readonly value?: unknown }>>;
}

/** The answer of `terraform show -json`, of a plan or of a state. */
export interface ShownPlan {
  /** Of an output that holds more than the configuration, such as a whole module, only what is known is shown here. */
  readonly output_changes?: Readonly<Record<string, { readonly after?: unknown }>>;
  readonly planned_values?: Shown;
  readonly values?: Shown;
}

/**
 * What a plan cannot know: names and ARNs of what it is about to create. None of them decides what an event means,
 * but a topic's name says whether it is FIFO.
 */
const UNKNOWN: Readonly<Record<string, string>> = {
  PROCESSED_EVENTS_TABLE: '(processed_events)',
  BUSINESS_TABLE: '(business table)',
  TOPIC_ARN: '(topic)',
  QUEUE_URL: '(queue)',
  DLQ_URL: '(dead-letter queue)',
};

/**
 * The consumers of every pipeline in the plan. A function whose variables the plan knows shows its own; the provider
 * calls all of them unknown while one is, such as the ARN of a new topic, and then the module's output `configuration`
 * is what there is, in an output of the root: alone, or in one that holds the whole module.
 */
export function consumersOf(plan: ShownPlan): PlannedConsumer[] {
  const shown = plan.planned_values ?? plan.values;
  if (shown === undefined) return [];
  const found = [
    ...resourcesOf(shown.root_module).map(({ address, type, values }) => ({
      address,
      variables: type === 'aws_lambda_function' ? values?.environment?.[0]?.variables : undefined,
    })),
    ...outputsOf(plan, shown).map(([name, value]) => ({
      address: `output.${name}`,
      variables: { PIPELINE_CONFIG: consumerText(value) ?? consumerText(member(value, 'configuration')) },
    })),
  ];
  const consumers = new Map<string, PlannedConsumer>();
  for (const { address, variables } of found) {
    const config = configOf(variables?.PIPELINE_CONFIG);
    // The relay has a configuration too, without expressions.
    if (config?.event_id === undefined || consumers.has(JSON.stringify(config))) continue;
    const topic = `${UNKNOWN.TOPIC_ARN}${config.topic_fifo === true ? '.fifo' : ''}`;
    consumers.set(JSON.stringify(config), { address, environment: { ...UNKNOWN, TOPIC_ARN: topic, ...variables } });
  }
  return [...consumers.values()];
}

function resourcesOf(module: PlannedModule): readonly PlannedResource[] {
  return [...(module.resources ?? []), ...(module.child_modules ?? []).flatMap(resourcesOf)];
}

function outputsOf(plan: ShownPlan, shown: Shown): (readonly [string, unknown])[] {
  const changes = Object.entries(plan.output_changes ?? {}).map(([name, { after }]) => [name, after] as const);
  return [...changes, ...Object.entries(shown.outputs ?? {}).map(([name, { value }]) => [name, value] as const)];
}

/** The consumer's part of the module's `configuration`. */
function consumerText(value: unknown): string | undefined {
  const consumer = member(value, 'consumer');
  return typeof consumer === 'string' ? consumer : undefined;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function configOf(text: string | undefined): { event_id?: unknown; topic_fifo?: unknown } | undefined {
  if (text === undefined) return undefined;
  try {
    return parseConfiguration(text) as { event_id?: unknown; topic_fifo?: unknown };
  } catch {
    return undefined;
  }
}
