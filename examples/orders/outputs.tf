output "queue_url" {
  description = "Send orders here."
  value       = module.orders.queue_url
}

output "queue_arn" {
  description = "ARN of the queue."
  value       = module.orders.queue_arn
}

output "dlq_url" {
  description = "Messages that failed for good, each with its reason."
  value       = module.orders.dlq_url
}

output "processed_events_table" {
  description = "Name of the table that remembers events."
  value       = module.orders.processed_events_table.name
}

output "business_table" {
  description = "Name of the table of orders; its key is `order_id`."
  value       = module.orders.business_table.name
}

output "topic_arn" {
  description = "The topic that orders are announced on."
  value       = module.orders.topic_arn
}

output "subscriber_queue_url" {
  description = "The queue that is subscribed to the topic."
  value       = aws_sqs_queue.shipping.url
}

output "consumer_function" {
  description = "Name of the consumer."
  value       = module.orders.consumer_function.name
}

output "consumer_log_group" {
  description = "Name of the consumer's log group."
  value       = module.orders.consumer_log_group.name
}

output "relay_function" {
  description = "Name of the relay."
  value       = module.orders.relay_function.name
}

output "event_source_mapping_id" {
  description = "Id of the mapping between queue and consumer."
  value       = module.orders.event_source_mapping_id
}
