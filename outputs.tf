output "queue_arn" {
  description = "ARN of the queue that producers send to. Its policy is in force before anything that uses this output is created."
  value       = local.queue.arn
}

output "queue_url" {
  description = "URL of the queue that producers send to."
  value       = local.queue.url
}

output "dlq_arn" {
  description = "ARN of the dead-letter queue."
  value       = local.dlq.arn
}

output "dlq_url" {
  description = "URL of the dead-letter queue."
  value       = local.dlq.url
}

output "processed_events_table" {
  description = "The table that remembers events: `name`, `arn`."
  value       = local.processed_events_table
}

output "business_table" {
  description = "The table of business items: `name`, `arn`. Null when a handler brings tables of its own."
  value       = local.business_table
}

output "topic_arn" {
  description = "ARN of the topic that events are announced on."
  value       = local.topic.arn
}

output "consumer_function" {
  description = "The consumer: `name`, `arn`, `version`."
  value       = module.consumer.function
}

output "consumer_role" {
  description = "The consumer's role: `name`, `arn`."
  value       = module.consumer.role
}

output "consumer_log_group" {
  description = "The consumer's log group: `name`, `arn`."
  value       = module.consumer.log_group
}

output "event_source_mapping_id" {
  description = "Id of the mapping between queue and consumer."
  value       = module.consumer.event_source_mapping_id
}

output "relay_function" {
  description = "The relay: `name`, `arn`, `version`. Null without one."
  value       = one(module.relay[*].function)
}

output "relay_role" {
  description = "The relay's role: `name`, `arn`. Null without one."
  value       = one(module.relay[*].role)
}

output "relay_log_group" {
  description = "The relay's log group: `name`, `arn`. Null without one."
  value       = one(module.relay[*].log_group)
}

output "retry_budget_seconds" {
  description = "The least time, in seconds, between a message's first failed receive and its move to the dead-letter queue: the sum of the shortest delays. An outage that is over sooner costs no redrive."
  value       = local.retry_budget_seconds
}

output "configuration" {
  description = "What the functions are told, as JSON text, known at plan: `consumer` and `relay`."
  value = {
    consumer = local.consumer_json
    relay    = local.relay_json
  }
}
