resource "aws_lambda_function" "this" {
  #checkov:skip=CKV_AWS_50:Tracing is a variable; a trace that came with the message is passed on without it.
  #checkov:skip=CKV_AWS_115:Concurrency is limited by the event source mapping, where a limit throttles nothing. A reservation is a variable.
  #checkov:skip=CKV_AWS_116:The consumer is invoked by a mapping, whose queue has the dead-letter queue. The relay does the same work again in its next run.
  #checkov:skip=CKV_AWS_117:The functions talk to public AWS endpoints only. A VPC is a variable.
  #checkov:skip=CKV_AWS_173:The environment holds names and expressions, no secret. A customer managed key is a variable.
  #checkov:skip=CKV_AWS_272:The zip is in the repository, reproducible byte by byte, and pinned by its hash in source_code_hash.

  function_name = var.name
  description   = var.description
  role          = aws_iam_role.this.arn

  filename         = var.settings.package
  source_code_hash = filebase64sha256(var.settings.package)
  handler          = var.handler
  runtime          = var.settings.runtime
  architectures    = [var.settings.architecture]
  publish          = var.publish

  timeout                        = var.settings.timeout_seconds
  memory_size                    = var.settings.memory_mb
  reserved_concurrent_executions = coalesce(var.reserved_concurrency, -1)

  kms_key_arn = var.settings.environment_kms == null ? null : var.settings.environment_kms.key_arn

  environment {
    variables = var.environment
  }

  # Named here, so that the group exists first, with its retention: Lambda would create one that keeps lines for ever.
  logging_config {
    log_group  = local.log_group.name
    log_format = "JSON"
    # Never above INFO: metrics are log lines without a level of their own, and Lambda would drop them.
    application_log_level = var.settings.log_level == "DEBUG" ? "DEBUG" : "INFO"
    system_log_level      = "INFO"
  }

  tracing_config {
    mode = var.settings.tracing ? "Active" : "PassThrough"
  }

  dynamic "vpc_config" {
    for_each = var.settings.vpc == null ? [] : [var.settings.vpc]

    content {
      subnet_ids                  = vpc_config.value.subnet_ids
      security_group_ids          = vpc_config.value.security_group_ids
      ipv6_allowed_for_dual_stack = vpc_config.value.ipv6
    }
  }

  tags = var.tags

  # Lambda checks at creation that the role may use the network and the key.
  depends_on = [aws_iam_role_policy.this]
}

resource "aws_cloudwatch_log_group" "this" {
  count = var.settings.existing_log_group == null ? 1 : 0

  name              = "/aws/lambda/${var.name}"
  retention_in_days = var.settings.log_retention_days
  kms_key_id        = var.settings.log_kms == null ? null : var.settings.log_kms.key_arn
  tags              = var.tags
}

resource "aws_iam_role" "this" {
  # A prefix: role names are global in an account, and the same pipeline in two Regions would collide.
  name_prefix          = "${trimsuffix(substr(var.name, 0, 37), "-")}-"
  path                 = var.settings.iam_path
  permissions_boundary = var.settings.permissions_boundary_arn

  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Service = "lambda.amazonaws.com" }
      Action    = "sts:AssumeRole"
      # The account alone: which aws:SourceArn Lambda names when its poller or its network assumes the role is not documented.
      Condition = { StringEquals = { "aws:SourceAccount" = var.aws.account_id } }
    }]
  })

  tags = var.tags
}

resource "aws_iam_role_policy" "this" {
  name   = "function"
  role   = aws_iam_role.this.id
  policy = jsonencode({ Version = "2012-10-17", Statement = local.statements })
}

locals {
  log_group = var.settings.existing_log_group == null ? {
    name = one(aws_cloudwatch_log_group.this[*].name)
    arn  = one(aws_cloudwatch_log_group.this[*].arn)
  } : var.settings.existing_log_group

  # Only what every function needs; what this one does is a policy of its caller.
  statements = concat(
    [{
      Sid    = "Logs"
      Effect = "Allow"
      # No CreateLogGroup: an invocation after destroy would bring the group back, and the next apply would fail on it.
      Action   = ["logs:CreateLogStream", "logs:PutLogEvents"]
      Resource = "${trimsuffix(local.log_group.arn, ":*")}:*"
    }],
    [for key in var.settings.environment_kms == null ? [] : [var.settings.environment_kms.key_arn] : {
      Sid      = "Environment"
      Effect   = "Allow"
      Action   = "kms:Decrypt"
      Resource = key
    }],
    [for network in var.settings.vpc == null ? [] : [var.settings.vpc] : {
      Sid    = "Network"
      Effect = "Allow"
      # What AWSLambdaVPCAccessExecutionRole grants. EC2 knows no resource for most of these calls.
      Action = [
        "ec2:AssignPrivateIpAddresses", "ec2:CreateNetworkInterface", "ec2:DeleteNetworkInterface",
        "ec2:DescribeNetworkInterfaces", "ec2:DescribeSecurityGroups", "ec2:DescribeSubnets", "ec2:DescribeVpcs",
        "ec2:UnassignPrivateIpAddresses",
      ]
      Resource = "*"
    }],
    [for tracing in var.settings.tracing ? [true] : [] : {
      Sid      = "Traces"
      Effect   = "Allow"
      Action   = ["xray:PutTraceSegments", "xray:PutTelemetryRecords"]
      Resource = "*" # X-Ray knows no resources.
    }],
  )
}
