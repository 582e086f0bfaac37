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

output "advice" {
  description = "Sentences about settings that are legal and probably not meant, such as a short retry budget. Empty when there is nothing to say. Known at plan."
  value       = local.advice
}

output "queue_policy_statements" {
  description = "With `existing_queue`: what the policies of your queues should say, as lists of statements: `queue` and `dlq`. Within one account the roles' own policies are enough; from another one the consumer needs these."
  value       = local.queue_policy_statements
}

output "kms_policy_statements" {
  description = "What the policy of `kms.key_arn` must say beside the account's own statement: every sender, and the logs if they are encrypted. A list of statements; empty without a key. A key that the module creates has them."
  value       = local.kms_policy_statements
}

output "operator_policy_json" {
  description = "IAM policy, as JSON text, for people who look into the dead-letter queue and redrive: the move, both keys, the rows, the logs, a run of the relay. `aws_iam_policy` takes it as it is."
  value       = jsonencode({ Version = "2012-10-17", Statement = local.operator_statements })
}

output "alarm_arns" {
  description = "ARNs of the alarms, by name. Empty without alarms."
  value       = module.observability.alarm_arns
}

output "unhealthy_alarm_arn" {
  description = "ARN of the composite alarm that is on while any alarm that means harm is: what a pager should listen to. Null without alarms."
  value       = module.observability.unhealthy_alarm_arn
}

output "dashboard_name" {
  description = "Name of the dashboard. Null without one."
  value       = module.observability.dashboard_name
}

output "kms_key_arn" {
  description = "ARN of the customer managed key, created or brought along. Null without one."
  value       = local.key_arn
}

output "module_version" {
  description = "Release of the module, as the functions log it."
  value       = local.module_version
}
