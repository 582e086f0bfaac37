# What main.tf passes around: the account, derived values, and the parts that are either created or brought along.

data "aws_caller_identity" "current" {}

data "aws_partition" "current" {}

data "aws_region" "current" {}

locals {
  region = data.aws_region.current

  # Read once, here. Nothing that forces a replacement depends on it: under `depends_on` it is unknown at plan.
  aws = {
    partition  = data.aws_partition.current.partition
    dns_suffix = data.aws_partition.current.dns_suffix
    account_id = data.aws_caller_identity.current.account_id
    region     = try(local.region.region, local.region.name) # provider 6, provider 5
  }

  # Text in quotes of any of JMESPath's three kinds, replaced by a letter before brackets are counted.
  jmespath_quoted = "/'(?:[^'\\\\]|\\\\.)*'|\"(?:[^\"\\\\]|\\\\.)*\"|`(?:[^`\\\\]|\\\\.)*`/"

  visibility_timeout_seconds = (
    var.existing_queue != null ? var.existing_queue.visibility_timeout_seconds :
    var.visibility_timeout_seconds != null ? var.visibility_timeout_seconds :
    6 * var.function_timeout_seconds + var.batching_window_seconds
  )
  max_receive_count = (
    var.existing_queue != null ? var.existing_queue.max_receive_count :
    var.max_receive_count != null ? var.max_receive_count :
    var.fifo == null ? 12 : 5
  )
  message_retention_seconds = (
    var.existing_queue == null ? var.message_retention_seconds : var.existing_queue.message_retention_seconds
  )
  dlq_message_retention_seconds = (
    var.existing_queue != null ? var.existing_queue.dlq_message_retention_seconds :
    var.existing_dlq != null ? var.existing_dlq.message_retention_seconds :
    var.dlq_message_retention_seconds
  )

  # A redrive starts the clock of the queue again; the row must outlive the queue twice and the dead-letter queue once.
  least_retention_seconds = 2 * local.message_retention_seconds + local.dlq_message_retention_seconds

  quarantine = var.quarantine == null ? var.fifo == null : var.quarantine
  topic_fifo = var.topic_fifo == null ? var.fifo != null : var.topic_fifo

  # A handler of yours may bring its tables instead; the mapping always writes to one.
  create_business_table = var.existing_business_table == null && var.business_key != null
  business_sort_key = (
    var.business_sort_key == null ? null : { name = var.business_sort_key_name, type = var.business_sort_key_type }
  )

  # The relay's sweep needs time even where the consumer's timeout is short.
  relay_timeout_seconds = max(30, var.function_timeout_seconds)
}

locals {
  queue = var.existing_queue == null ? one(module.queue[*].queue) : {
    arn  = var.existing_queue.arn
    url  = var.existing_queue.url
    name = reverse(split(":", var.existing_queue.arn))[0]
  }

  existing_dlq_arn = var.existing_queue != null ? var.existing_queue.dlq_arn : var.existing_dlq != null ? var.existing_dlq.arn : null
  existing_dlq_url = var.existing_queue != null ? var.existing_queue.dlq_url : var.existing_dlq != null ? var.existing_dlq.url : null
  existing_dlq = var.existing_queue == null && var.existing_dlq == null ? null : {
    arn = local.existing_dlq_arn
    url = local.existing_dlq_url != null ? local.existing_dlq_url : format(
      "https://sqs.%s.%s/%s/%s", local.aws.region, local.aws.dns_suffix,
      split(":", local.existing_dlq_arn)[4], split(":", local.existing_dlq_arn)[5]
    )
  }
  dlq = var.existing_queue == null ? one(module.queue[*].dlq) : merge(local.existing_dlq, {
    name = reverse(split(":", local.existing_dlq_arn))[0]
  })

  processed_events_table = var.existing_processed_events_table == null ? module.tables.processed_events : {
    arn  = var.existing_processed_events_table.arn
    name = reverse(split("/", var.existing_processed_events_table.arn))[0]
  }

  business_table = var.existing_business_table == null ? module.tables.business : {
    arn  = var.existing_business_table.arn
    name = reverse(split("/", var.existing_business_table.arn))[0]
  }
  has_business_table = var.existing_business_table != null || local.create_business_table
  business_table_arns = concat(
    local.has_business_table ? [local.business_table.arn] : [],
    [for table in values(var.handler_tables) : table.arn]
  )

  topic = var.existing_topic == null ? one(module.topic[*].topic) : {
    arn  = var.existing_topic.arn
    name = reverse(split(":", var.existing_topic.arn))[0]
  }

  function_settings = {
    package            = var.consumer_package == null ? "${path.module}/functions/dist/pipeline.zip" : var.consumer_package
    runtime            = var.runtime
    architecture       = var.architecture
    timeout_seconds    = var.function_timeout_seconds
    memory_mb          = var.function_memory_mb
    log_retention_days = var.log_retention_days
    log_level          = var.log_level
    tracing            = var.tracing

    log_kms            = local.log_kms
    environment_kms    = local.environment_kms
    existing_log_group = var.existing_log_group
    vpc                = var.vpc

    permissions_boundary_arn = var.permissions_boundary_arn
    iam_path                 = var.iam_path
  }

  topic_arns = concat([local.topic.arn], [for topic in values(var.handler_topics) : topic.arn])

  # Labels are fixed here, so that names which are unknown at plan decide nothing.
  table_names = merge(
    { processed_events = local.processed_events_table.name },
    local.has_business_table ? { business = local.business_table.name } : {}
  )

  concurrency_limit = var.maximum_concurrency != null ? var.maximum_concurrency : var.reserved_concurrency
  relay_for_alarms = var.relay == null ? null : {
    name             = one(module.relay[*].function.name)
    interval_minutes = var.relay.interval_minutes
  }
  alarm_names = module.observability.alarm_names
}

locals {
  # Half of each delay, the least that the consumer asks for, after every receive but the last.
  retry_budget_seconds = sum(concat([0], [
    for receive in range(1, local.max_receive_count) :
    min(var.backoff_cap_seconds, var.backoff_base_seconds * pow(2, min(receive - 1, 20))) / 2
  ]))
}
