# Orders: each is stored once and announced; a second queue subscribes to the announcements.

terraform {
  required_version = ">= 1.10.0, != 1.15.0"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.100.0, < 7.0.0"
    }
  }
}

module "orders" {
  source = "../.."

  name         = var.name
  event_id     = "event_id"
  business_key = "order_id"

  business_hash_key_name = "order_id"
  correlation_id         = "correlation_id"
  notification_attributes = {
    status = "status"
  }

  subscriptions = {
    shipping = {
      protocol             = "sqs"
      endpoint             = aws_sqs_queue.shipping.arn
      raw_message_delivery = true
    }
  }

  environment         = var.environment
  alarms              = var.alarms
  deletion_protection = false # an example is made to be removed
}

resource "aws_sqs_queue" "shipping" {
  name                    = "${var.name}-shipping"
  sqs_managed_sse_enabled = true

  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Service = "sns.amazonaws.com" }
      Action    = "sqs:SendMessage"
      Resource  = local.shipping_arn
      Condition = { ArnEquals = { "aws:SourceArn" = local.topic_arn } }
    }]
  })
}

data "aws_caller_identity" "current" {}

data "aws_partition" "current" {}

data "aws_region" "current" {}

locals {
  region  = data.aws_region.current
  account = "${try(local.region.region, local.region.name)}:${data.aws_caller_identity.current.account_id}"

  # As text: the queue's policy names the topic, and the topic's subscription names the queue.
  shipping_arn = "arn:${data.aws_partition.current.partition}:sqs:${local.account}:${var.name}-shipping"
  topic_arn    = "arn:${data.aws_partition.current.partition}:sns:${local.account}:${var.name}-notifications"
}
