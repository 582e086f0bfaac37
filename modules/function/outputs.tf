output "function" {
  description = "The function: `name`, `arn`, `version` (the newest published one, `$LATEST` without versions)."
  value = {
    name    = aws_lambda_function.this.function_name
    arn     = aws_lambda_function.this.arn
    version = aws_lambda_function.this.version
  }
}

output "role" {
  description = "The function's role: `name`, `arn`."
  value = {
    name = aws_iam_role.this.name
    arn  = aws_iam_role.this.arn
  }
  # Whoever uses the role finds its policy in force.
  depends_on = [aws_iam_role_policy.this]
}

output "log_group" {
  description = "The log group: `name`, `arn`."
  value       = local.log_group
}
