# Strict order within an account: a FIFO queue, a FIFO topic, and a version that decides which state is newer.

terraform {
  required_version = ">= 1.10.0, != 1.15.0"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.100.0, < 7.0.0"
    }
  }
}

module "accounts" {
  source = "../.."

  name = "accounts"
  fifo = {}

  event_id     = "event_id"
  business_key = "account_id"

  # A later state of an account replaces an earlier one; an earlier one that comes late changes nothing.
  on_existing_key  = "newer"
  business_version = "version"

  # A bad message blocks its account until it reaches the dead-letter queue; true would let the account go on past it.
  quarantine = false

  alarms              = var.alarms
  deletion_protection = false # an example is made to be removed
}

output "queue_url" {
  description = "Send states of accounts here, with the account as message group."
  value       = module.accounts.queue_url
}

output "dlq_url" {
  description = "Messages that failed for good."
  value       = module.accounts.dlq_url
}

output "topic_arn" {
  description = "The FIFO topic that states are announced on, in the same order within an account."
  value       = module.accounts.topic_arn
}

output "processed_events_table" {
  description = "Name of the table that remembers events."
  value       = module.accounts.processed_events_table.name
}

output "business_table" {
  description = "Name of the table of accounts."
  value       = module.accounts.business_table.name
}
