module "function" {
  source = "../function"

  name                 = "${var.name}-consumer"
  aws                  = var.aws
  description          = "Writes each event of ${var.name} exactly once and announces it."
  handler              = "consumer.handler"
  settings             = var.settings
  environment          = var.environment
  reserved_concurrency = var.reserved_concurrency
  publish              = var.deployment != null
  tags                 = var.tags
}

resource "aws_iam_role_policy" "pipeline" {
  name   = "pipeline"
  role   = module.function.role.name
  policy = jsonencode({ Version = "2012-10-17", Statement = local.statements })
}

resource "aws_lambda_event_source_mapping" "this" {
  event_source_arn = var.queue.arn
  function_name    = local.target
  enabled          = var.enabled

  batch_size                         = var.batch_size
  maximum_batching_window_in_seconds = var.batching_window_seconds

  # Not an option: without it a batch with one failure comes back as a whole, and the consumer cannot see the setting.
  function_response_types = ["ReportBatchItemFailures"]

  dynamic "scaling_config" {
    for_each = var.maximum_concurrency == null ? [] : [var.maximum_concurrency]

    content {
      maximum_concurrency = scaling_config.value
    }
  }

  dynamic "provisioned_poller_config" {
    for_each = var.provisioned_pollers == null ? [] : [var.provisioned_pollers]

    content {
      minimum_pollers = provisioned_poller_config.value.minimum
      maximum_pollers = provisioned_poller_config.value.maximum
    }
  }

  tags = var.tags

  # Lambda checks at creation that the role may read the queue, its key included. Through the whole of the function's
  # module, so that no policy added there later is forgotten here.
  depends_on = [aws_iam_role_policy.pipeline, module.function]
}

resource "aws_lambda_alias" "live" {
  count = var.deployment == null ? 0 : 1

  name             = "live"
  description      = "The version that the event source mapping invokes."
  function_name    = module.function.function.name
  function_version = var.deployment.stable_version == null ? module.function.function.version : var.deployment.stable_version

  dynamic "routing_config" {
    for_each = var.deployment.weight == null ? [] : [var.deployment.weight]

    content {
      additional_version_weights = { (module.function.function.version) = routing_config.value }
    }
  }

  lifecycle {
    # When the option is switched off, the mapping is moved to the function before this alias goes.
    create_before_destroy = true
  }
}

resource "aws_lambda_provisioned_concurrency_config" "live" {
  count = var.provisioned_concurrency == null ? 0 : 1

  function_name                     = module.function.function.name
  qualifier                         = one(aws_lambda_alias.live[*].name)
  provisioned_concurrent_executions = var.provisioned_concurrency
}

locals {
  # A full ARN in both cases: the provider compares what it reads back with what was written.
  target = var.deployment == null ? module.function.function.arn : one(aws_lambda_alias.live[*].arn)
}
