output "key" {
  description = "The key: `arn`. Its policy is in force before anything that uses this output is created."
  value       = { arn = aws_kms_key.this.arn }
}
