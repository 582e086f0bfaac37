output "alarm_names" {
  description = "Every alarm that there is a threshold for, sorted."
  value       = sort(keys(local.defaults))
}

output "alarm_arns" {
  description = "ARNs of the alarms, by name."
  value       = { for name, alarm in aws_cloudwatch_metric_alarm.this : name => alarm.arn }
}

output "unhealthy_alarm_arn" {
  description = "ARN of the composite alarm. Null without alarms."
  value       = one(aws_cloudwatch_composite_alarm.unhealthy[*].arn)
}

output "dashboard_name" {
  description = "Name of the dashboard. Null without one."
  value       = one(aws_cloudwatch_dashboard.this[*].dashboard_name)
}
