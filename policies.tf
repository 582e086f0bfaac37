# Policies that the module does not attach: for queues of the caller's, and for people.

locals {
  queue_policy_statements = var.existing_queue == null ? null : {
    queue = [
      merge(local.tls_only, { Resource = var.existing_queue.arn }),
      {
        Sid       = "Consume"
        Effect    = "Allow"
        Principal = { AWS = "arn:${local.aws.partition}:iam::${local.aws.account_id}:root" }
        Action = [
          "sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage",
        ]
        Resource  = var.existing_queue.arn
        Condition = { ArnEquals = { "aws:PrincipalArn" = module.consumer.role.arn } }
      },
    ]
    dlq = [
      merge(local.tls_only, { Resource = var.existing_queue.dlq_arn }),
      {
        Sid       = "Quarantine"
        Effect    = "Allow"
        Principal = { AWS = "arn:${local.aws.partition}:iam::${local.aws.account_id}:root" }
        Action    = "sqs:SendMessage"
        Resource  = var.existing_queue.dlq_arn
        Condition = { ArnEquals = { "aws:PrincipalArn" = module.consumer.role.arn } }
      },
    ]
  }
  tls_only = {
    Sid       = "DenyWithoutTls"
    Effect    = "Deny"
    Principal = "*"
    Action    = "sqs:*"
    Condition = { Bool = { "aws:SecureTransport" = "false" } }
  }

  operator_statements = concat(
    [
      {
        Sid    = "DeadLetters"
        Effect = "Allow"
        # A move task reads from the one queue in the caller's name, and sends to the other.
        Action = [
          "sqs:CancelMessageMoveTask", "sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:GetQueueAttributes",
          "sqs:GetQueueUrl", "sqs:ListMessageMoveTasks", "sqs:ReceiveMessage", "sqs:StartMessageMoveTask",
        ]
        Resource = local.dlq.arn
      },
      {
        Sid      = "Redrive"
        Effect   = "Allow"
        Action   = ["sqs:GetQueueAttributes", "sqs:GetQueueUrl", "sqs:SendMessage"]
        Resource = local.queue.arn
      },
      {
        Sid      = "Rows"
        Effect   = "Allow"
        Action   = ["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query"]
        Resource = [local.processed_events_table.arn, "${local.processed_events_table.arn}/index/relay"]
      },
      {
        Sid      = "Logs"
        Effect   = "Allow"
        Action   = ["logs:FilterLogEvents", "logs:GetLogEvents", "logs:StartQuery"]
        Resource = [for group in concat([module.consumer.log_group], module.relay[*].log_group) : "${trimsuffix(group.arn, ":*")}:*"]
      },
      {
        Sid      = "LogQueries"
        Effect   = "Allow"
        Action   = ["logs:GetQueryResults", "logs:StopQuery"]
        Resource = "*" # CloudWatch Logs knows no resource for the results of a query.
      },
    ],
    [
      for relay in module.relay[*].function : {
        Sid      = "Relay"
        Effect   = "Allow"
        Action   = "lambda:InvokeFunction"
        Resource = relay.arn
      }
    ],
    [
      # Decrypt for what is read from the dead-letter queue, both for what is sent to the queue.
      for keys in length(local.queue_key_arns) == 0 ? [] : [local.queue_key_arns] : {
        Sid      = "QueueKeys"
        Effect   = "Allow"
        Action   = ["kms:Decrypt", "kms:GenerateDataKey"]
        Resource = keys
      }
    ],
    [
      for keys in length(local.events_key_arns) == 0 ? [] : [local.events_key_arns] : {
        Sid       = "TableKeys"
        Effect    = "Allow"
        Action    = "kms:Decrypt"
        Resource  = keys
        Condition = { StringEquals = { "kms:ViaService" = "dynamodb.${local.aws.region}.${local.aws.dns_suffix}" } }
      }
    ],
  )
}
