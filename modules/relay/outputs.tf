output "function" {
  description = "The relay: `name`, `arn`, `version`."
  value       = module.function.function
}

output "role" {
  description = "The relay's role: `name`, `arn`."
  value       = module.function.role
}

output "log_group" {
  description = "The relay's log group: `name`, `arn`."
  value       = module.function.log_group
}
