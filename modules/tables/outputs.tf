output "processed_events" {
  description = "The table that remembers events: `name`, `arn`. Null when the caller brings its own."
  value = one([
    for table in aws_dynamodb_table.processed_events : { name = table.name, arn = table.arn }
  ])
}

output "business" {
  description = "The business table: `name`, `arn`. Null when the caller brings its own."
  value = one([
    for table in aws_dynamodb_table.business : { name = table.name, arn = table.arn }
  ])
}
