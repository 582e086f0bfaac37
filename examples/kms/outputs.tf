output "bucket" {
  description = "Put objects here."
  value       = aws_s3_bucket.uploads.bucket
}

output "kms_key_arn" {
  description = "The key that encrypts queues, topic, tables, logs and the functions' variables."
  value       = module.uploads.kms_key_arn
}

output "dlq_url" {
  description = "Messages that failed for good."
  value       = module.uploads.dlq_url
}

output "processed_events_table" {
  description = "Name of the table that remembers events."
  value       = module.uploads.processed_events_table.name
}
