output "function" {
  description = "The consumer: `name`, `arn`, `version`."
  value       = module.function.function
}

output "role" {
  description = "The consumer's role: `name`, `arn`."
  value       = module.function.role
}

output "log_group" {
  description = "The consumer's log group: `name`, `arn`."
  value       = module.function.log_group
}

output "event_source_mapping_id" {
  description = "Id of the mapping between queue and function."
  value       = aws_lambda_event_source_mapping.this.uuid
}
