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
  senders                       = var.senders
  tags                          = var.tags
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
  tags                    = var.tags
}

module "topic" {
  source = "./modules/topic"
  count  = var.existing_topic == null ? 1 : 0

  name          = "${var.name}-notifications"
  aws           = local.aws
  fifo          = local.topic_fifo
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
  topic_arns             = [local.topic.arn]

  enabled                 = var.enabled
  batch_size              = var.batch_size
  batching_window_seconds = var.batching_window_seconds
  maximum_concurrency     = var.maximum_concurrency
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
  topic_arns             = [local.topic.arn]
  tags                   = var.tags
}
