# What the functions are told. PIPELINE_CONFIG is known at plan; names and ARNs that may not be are variables beside it.

locals {
  # The keys are those that functions/src/config.ts reads; nulls are left out.
  consumer_parameters = {
    name                            = var.name
    source                          = var.fifo == null ? "sqs" : "sqs_fifo"
    envelope                        = var.envelope
    event_filter                    = var.event_filter
    event_id                        = var.event_id
    event_id_prefix                 = var.event_id_prefix
    fingerprint                     = var.fingerprint
    correlation_id                  = var.correlation_id
    business_key                    = var.business_key
    business_sort_key               = var.business_sort_key
    business_item                   = var.business_item
    business_hash_key_name          = var.business_hash_key_name
    business_hash_key_type          = var.business_hash_key_type
    business_sort_key_name          = var.business_sort_key == null ? null : var.business_sort_key_name
    business_sort_key_type          = var.business_sort_key == null ? null : var.business_sort_key_type
    on_existing_key                 = var.on_existing_key
    version                         = var.business_version # `version` is not allowed as the name of a module's variable
    notification                    = var.notification
    notification_subject            = var.notification_subject
    notification_attributes         = var.notification_attributes
    notification_group_id           = var.notification_group_id
    function_timeout_seconds        = var.function_timeout_seconds
    max_receive_count               = local.max_receive_count
    backoff_base_seconds            = var.backoff_base_seconds
    backoff_cap_seconds             = var.backoff_cap_seconds
    quarantine                      = local.quarantine
    grouping                        = var.grouping
    processed_events_retention_days = var.processed_events_retention_days
    topic_fifo                      = local.topic_fifo
    topic_max_bytes                 = var.topic_max_bytes
    batch_size                      = var.batch_size
    log_level                       = var.log_level
  }

  consumer_config = { for key, value in local.consumer_parameters : key => value if value != null }

  # The relay renders nothing: it publishes stored bytes, and needs no expression and no schema.
  relay_parameters = {
    name   = var.name
    source = var.fifo == null ? "sqs" : "sqs_fifo"
    # The consumer's: the relay must not take a lease that the consumer would think too far away to be true.
    function_timeout_seconds        = var.function_timeout_seconds
    processed_events_retention_days = var.processed_events_retention_days
    topic_fifo                      = local.topic_fifo
    topic_max_bytes                 = var.topic_max_bytes
    log_level                       = var.log_level
    relay = var.relay == null ? null : merge(
      { interval_minutes = var.relay.interval_minutes },
      var.relay.sweep ? { sweep_hours = var.relay.sweep_hours } : {}
    )
  }

  # The schema joins last: its own validation measures the rest, and must not depend on it.
  consumer_json = jsonencode(merge(
    local.consumer_config,
    var.json_schema == null ? {} : { json_schema = var.json_schema }
  ))
  relay_json = jsonencode({ for key, value in local.relay_parameters : key => value if value != null })

  # Lambda allows 4096 bytes for all variables together. Names and ARNs, some unknown at plan, get their reserve: two
  # table names, a topic and two queue URLs, each with the longest name that `name` allows.
  environment_budget_bytes = 4096 - 1024

  # Plain JSON while it fits, so that people can read it in the console, and because the bytes of gzip differ between
  # builds of Terraform, which would show as a change.
  # Base64 counts bytes, where length() would count characters.
  plain_bytes     = length(base64encode(jsonencode(merge(var.environment, { PIPELINE_CONFIG = local.consumer_json })))) * 3 / 4
  pipeline_config = local.plain_bytes <= local.environment_budget_bytes ? local.consumer_json : base64gzip(local.consumer_json)

  consumer_environment = merge(var.environment, {
    PIPELINE_CONFIG        = local.pipeline_config
    PROCESSED_EVENTS_TABLE = local.processed_events_table.name
    TOPIC_ARN              = local.topic.arn
    QUEUE_URL              = local.queue.url
    DLQ_URL                = local.dlq.url
    MODULE_VERSION         = local.module_version
  }, !local.has_business_table ? {} : { BUSINESS_TABLE = local.business_table.name })

  relay_environment = merge(var.environment, {
    PIPELINE_CONFIG        = local.relay_json
    PROCESSED_EVENTS_TABLE = local.processed_events_table.name
    TOPIC_ARN              = local.topic.arn
    MODULE_VERSION         = local.module_version
  })
}
