output "topic" {
  description = "The topic: `arn`, `name`."
  value = {
    arn  = aws_sns_topic.this.arn
    name = aws_sns_topic.this.name
  }
}
