# The pipeline: what it creates, and what talks to what.
#
#   queue --> consumer --> processed_events + business table, then topic
#                relay --> processed_events, then topic: what a crash left behind

module "queue" {
  source = "./modules/queue"
  count  = var.existing_queue == null ? 1 : 0

  name = var.name
  aws  = local.aws
  fifo = var.fifo

  visibility_timeout_seconds    = local.visibility_timeout_seconds
  message_retention_seconds     = var.message_retention_seconds
  dlq_message_retention_seconds = var.dlq_message_retention_seconds
  max_receive_count             = local.max_receive_count
  delay_seconds                 = var.delay_seconds
  max_message_bytes             = var.max_message_bytes
  existing_dlq                  = local.existing_dlq
  dlq_redrive_allow_policy      = var.dlq_redrive_allow_policy
  grants                        = module.senders.grants
  kms                           = local.queue_kms
  tags                          = var.tags
}

module "senders" {
  source = "./modules/senders"

  aws     = local.aws
  senders = var.senders
}

module "tables" {
  source = "./modules/tables"

  name                    = var.name
  create_processed_events = var.existing_processed_events_table == null
  create_business         = local.create_business_table
  business_hash_key       = { name = var.business_hash_key_name, type = var.business_hash_key_type }
  business_sort_key       = local.business_sort_key
  deletion_protection     = var.deletion_protection
  point_in_time_recovery  = var.point_in_time_recovery
  throughput_caps         = var.throughput_caps
  kms                     = local.table_kms
  tags                    = var.tags
}

module "topic" {
  source = "./modules/topic"
  count  = var.existing_topic == null ? 1 : 0

  name          = "${var.name}-notifications"
  aws           = local.aws
  fifo          = local.topic_fifo
  kms           = local.topic_kms
  subscribers   = var.subscribers
  subscriptions = var.subscriptions
  tags          = var.tags
}

module "consumer" {
  source = "./modules/consumer"

  name        = var.name
  aws         = local.aws
  settings    = local.function_settings
  environment = local.consumer_environment

  queue                  = local.queue
  dlq                    = local.dlq
  processed_events_table = local.processed_events_table
  business_table_arns    = local.business_table_arns
  topic_arns             = local.topic_arns
  handler                = var.consumer_package != null
  queue_key_arns         = local.queue_key_arns
  table_key_arns         = local.table_key_arns
  topic_key_arns         = local.topic_key_arns

  enabled                 = var.enabled
  batch_size              = var.batch_size
  batching_window_seconds = var.batching_window_seconds
  maximum_concurrency     = var.maximum_concurrency
  provisioned_pollers     = var.provisioned_pollers
  reserved_concurrency    = var.reserved_concurrency
  provisioned_concurrency = var.provisioned_concurrency
  deployment              = var.deployment
  tags                    = var.tags
}

module "relay" {
  source = "./modules/relay"
  count  = var.relay == null ? 0 : 1

  name                   = var.name
  aws                    = local.aws
  settings               = merge(local.function_settings, { timeout_seconds = local.relay_timeout_seconds })
  environment            = local.relay_environment
  interval_minutes       = var.relay.interval_minutes
  processed_events_table = local.processed_events_table
  topic_arns             = local.topic_arns
  table_key_arns         = local.events_key_arns
  topic_key_arns         = local.topic_key_arns
  tags                   = var.tags
}

module "observability" {
  source = "./modules/observability"

  name        = var.name
  region      = local.aws.region
  alarms      = var.alarms
  thresholds  = var.alarm_thresholds
  topic_arns  = var.alarm_topic_arns
  runbook_url = var.runbook_url
  dashboard   = var.dashboard

  queue_name               = local.queue.name
  dlq_name                 = local.dlq.name
  table_names              = local.table_names
  topic_name               = local.topic.name
  consumer_name            = module.consumer.function.name
  consumer_timeout_seconds = var.function_timeout_seconds
  concurrency_limit        = local.concurrency_limit
  log_group_name           = module.consumer.log_group.name
  quarantine               = local.quarantine
  relay                    = local.relay_for_alarms
  tags                     = var.tags
}

module "key" {
  source = "./modules/key"
  count  = local.create_key ? 1 : 0

  name                   = var.name
  aws                    = local.aws
  policy_statements_json = jsonencode(local.kms_policy_statements)
  tags                   = var.tags
}
