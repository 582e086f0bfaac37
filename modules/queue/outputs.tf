output "queue" {
  description = "The queue: `arn`, `url`, `name`. Its policy is inline, so whoever uses the ARN finds the policy in force."
  value = {
    arn  = aws_sqs_queue.main.arn
    url  = aws_sqs_queue.main.url
    name = aws_sqs_queue.main.name
  }
}

output "dlq" {
  description = "The dead-letter queue, created or brought along: `arn`, `url`, `name`."
  value = {
    arn = var.existing_dlq == null ? one(aws_sqs_queue.dlq[*].arn) : var.existing_dlq.arn
    url = var.existing_dlq == null ? one(aws_sqs_queue.dlq[*].url) : var.existing_dlq.url
    # Known at plan where the ARN is not.
    name = var.existing_dlq == null ? one(aws_sqs_queue.dlq[*].name) : reverse(split(":", var.existing_dlq.arn))[0]
  }
}
