import type { IdempotentPipelineConfig } from './.gen/modules/idempotent-pipeline';

/** A resource of yours; without `kms_key_arn` it has no customer managed key. */
export interface Existing {
  readonly arn: string;
  readonly kms_key_arn?: string;
}

/**
 * The inputs that are objects. `cdktf get` types each of them as `any`, so they are written down here, from variables.tf.
 * Inside an object the names are Terraform's own: cdktf passes it on as it is. A misspelled optional attribute would be
 * dropped by Terraform without a word, which is why they are worth a type.
 */
export interface Objects {
  readonly deployment?: { readonly stable_version?: string; readonly weight?: number };
  readonly existingBusinessTable?: Existing;
  readonly existingDlq?: Existing & { readonly url?: string; readonly message_retention_seconds?: number };
  readonly existingLogGroup?: { readonly name: string; readonly arn: string };
  readonly existingProcessedEventsTable?: Existing;
  readonly existingQueue?: Existing & {
    readonly url: string;
    readonly dlq_arn: string;
    readonly dlq_url?: string;
    readonly visibility_timeout_seconds: number;
    readonly message_retention_seconds: number;
    readonly dlq_message_retention_seconds?: number;
    readonly max_receive_count: number;
  };
  readonly existingTopic?: Existing;
  readonly fifo?: { readonly content_based_deduplication?: boolean; readonly high_throughput?: boolean };
  readonly handlerTables?: Readonly<Record<string, Existing>>;
  readonly handlerTopics?: Readonly<Record<string, Existing>>;
  readonly kms?: {
    readonly key_arn?: string;
    readonly create?: boolean;
    readonly queue?: boolean;
    readonly topic?: boolean;
    readonly tables?: boolean;
    readonly logs?: boolean;
    readonly environment?: boolean;
    readonly data_key_reuse_seconds?: number;
  };
  readonly provisionedPollers?: { readonly minimum: number; readonly maximum: number };
  readonly relay?: { readonly interval_minutes?: number; readonly sweep?: boolean; readonly sweep_hours?: number };
  readonly senders?: Readonly<
    Record<
      string,
      { readonly service?: string; readonly account?: string; readonly organization?: string; readonly arn?: string }
    >
  >;
  readonly subscribers?: Readonly<Record<string, { readonly account?: string; readonly organization?: string }>>;
  readonly subscriptions?: Readonly<
    Record<
      string,
      {
        readonly protocol: string;
        readonly endpoint: string;
        readonly raw_message_delivery?: boolean;
        readonly filter_policy?: string;
        readonly filter_policy_scope?: string;
        readonly dlq_arn?: string;
      }
    >
  >;
  readonly throughputCaps?: {
    readonly processed_events_read_units?: number;
    readonly processed_events_write_units?: number;
    readonly business_read_units?: number;
    readonly business_write_units?: number;
  };
  readonly vpc?: {
    readonly subnet_ids: readonly string[];
    readonly security_group_ids: readonly string[];
    readonly ipv6?: boolean;
  };
}

/** The inputs of the module, all of them typed. */
export type PipelineConfig = Omit<IdempotentPipelineConfig, keyof Objects> & Objects;

/** Names of the inputs that the generator left as `any`. */
type Untyped = keyof {
  [Name in keyof IdempotentPipelineConfig as 0 extends 1 & IdempotentPipelineConfig[Name] ? Name : never]: true;
};

/** Does not compile when the module gets an object that is not written down above, or loses one that is. */
export const complete: [Untyped, keyof Objects] extends [keyof Objects, Untyped] ? true : never = true;
