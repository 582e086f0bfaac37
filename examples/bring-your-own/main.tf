# Everything that can be brought along is, and is created in the same apply.

terraform {
  required_version = ">= 1.10.0, != 1.15.0"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.100.0, < 7.0.0"
    }
  }
}

module "stock" {
  source = "../.."

  name         = "stock"
  event_id     = "movement_id"
  business_key = "sku"

  existing_queue = {
    arn                        = aws_sqs_queue.stock.arn
    url                        = aws_sqs_queue.stock.url
    dlq_arn                    = aws_sqs_queue.dlq.arn
    dlq_url                    = aws_sqs_queue.dlq.url
    visibility_timeout_seconds = 180
    message_retention_seconds  = 345600
    max_receive_count          = 12
  }

  existing_processed_events_table = { arn = aws_dynamodb_table.events.arn }
  existing_business_table         = { arn = aws_dynamodb_table.stock.arn }
  existing_topic                  = { arn = aws_sns_topic.stock.arn }

  event_id_prefix        = "stock#" # the table of events is shared with other pipelines
  business_hash_key_name = "sku"
  on_existing_key        = "overwrite"
}

resource "aws_sqs_queue" "stock" {
  name                       = "stock-movements"
  visibility_timeout_seconds = 180
  message_retention_seconds  = 345600
  sqs_managed_sse_enabled    = true

  redrive_policy = jsonencode({ deadLetterTargetArn = aws_sqs_queue.dlq.arn, maxReceiveCount = 12 })
}

resource "aws_sqs_queue" "dlq" {
  name                      = "stock-movements-dlq"
  message_retention_seconds = 1209600
  sqs_managed_sse_enabled   = true
}

# The shape that modules/tables gives it: key, index and TTL are what the functions rely on.
resource "aws_dynamodb_table" "events" {
  #checkov:skip=CKV_AWS_28:An example is made to be removed.
  #checkov:skip=CKV_AWS_119:The example with keys is examples/kms.

  name         = "shared-processed-events"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "event_id"

  attribute {
    name = "event_id"
    type = "S"
  }

  attribute {
    name = "relay_shard"
    type = "S"
  }

  attribute {
    name = "lease_expires_at_ms"
    type = "N"
  }

  global_secondary_index {
    name            = "relay"
    hash_key        = "relay_shard"
    range_key       = "lease_expires_at_ms"
    projection_type = "KEYS_ONLY"
  }

  ttl {
    attribute_name = "expires_at"
    enabled        = true
  }
}

resource "aws_dynamodb_table" "stock" {
  #checkov:skip=CKV_AWS_28:An example is made to be removed.
  #checkov:skip=CKV_AWS_119:The example with keys is examples/kms.

  name         = "stock"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "sku"

  attribute {
    name = "sku"
    type = "S"
  }
}

resource "aws_sns_topic" "stock" {
  #checkov:skip=CKV_AWS_26:The example with keys is examples/kms.

  name = "stock-movements"
}

output "queue_url" {
  description = "Send stock movements here."
  value       = aws_sqs_queue.stock.url
}

output "processed_events_table" {
  description = "Name of the table that remembers events."
  value       = module.stock.processed_events_table.name
}
