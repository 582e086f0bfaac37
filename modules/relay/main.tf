module "function" {
  source = "../function"

  name        = "${var.name}-relay"
  aws         = var.aws
  description = "Publishes the notifications of ${var.name} that a crash left behind."
  handler     = "relay.handler"
  settings    = var.settings
  environment = var.environment
  tags        = var.tags
}

resource "aws_iam_role_policy" "pipeline" {
  name   = "pipeline"
  role   = module.function.role.name
  policy = jsonencode({ Version = "2012-10-17", Statement = local.statements })
}

resource "aws_cloudwatch_event_rule" "schedule" {
  name                = "${var.name}-relay"
  description         = "Runs the relay of ${var.name}."
  schedule_expression = "rate(${var.interval_minutes} ${var.interval_minutes == 1 ? "minute" : "minutes"})"
  tags                = var.tags
}

resource "aws_cloudwatch_event_target" "function" {
  rule      = aws_cloudwatch_event_rule.schedule.name
  target_id = "relay"
  arn       = module.function.function.arn

  depends_on = [aws_lambda_permission.schedule]
}

resource "aws_lambda_permission" "schedule" {
  statement_id  = "schedule"
  action        = "lambda:InvokeFunction"
  function_name = module.function.function.name
  principal     = "events.amazonaws.com"
  # Out of the rule's ARN: an account from a data source is unknown under `depends_on`, and would replace this.
  source_account = split(":", aws_cloudwatch_event_rule.schedule.arn)[4]
  source_arn     = aws_cloudwatch_event_rule.schedule.arn
}

resource "aws_lambda_function_event_invoke_config" "this" {
  function_name = module.function.function.name

  # The next run does the same work; a late retry would only run beside it.
  maximum_retry_attempts       = 0
  maximum_event_age_in_seconds = max(60, min(21600, 60 * var.interval_minutes))
}
