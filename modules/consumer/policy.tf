# What the consumer may do: each statement names its actions and the one resource that they are for.

locals {
  statements = concat(
    [
      {
        Sid    = "Receive"
        Effect = "Allow"
        Action = [
          "sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage",
        ]
        Resource = var.queue.arn
      },
      {
        Sid      = "Quarantine"
        Effect   = "Allow"
        Action   = "sqs:SendMessage"
        Resource = var.dlq.arn
      },
      {
        Sid    = "ProcessedEvents"
        Effect = "Allow"
        # Look up, commit, mark. Inside of a transaction IAM asks for the plain actions.
        Action   = ["dynamodb:BatchGetItem", "dynamodb:PartiQLUpdate", "dynamodb:PutItem"]
        Resource = var.processed_events_table.arn
      },
      {
        Sid      = "Announce"
        Effect   = "Allow"
        Action   = "sns:Publish"
        Resource = var.topic_arns
      },
    ],
    [for arns in length(var.business_table_arns) == 0 ? [] : [var.business_table_arns] : {
      Sid    = "BusinessWrites"
      Effect = "Allow"
      # The mapping puts items and nothing else; a handler may do all that a plan can say, and read before it plans.
      Action = var.handler ? [
        "dynamodb:BatchGetItem", "dynamodb:ConditionCheckItem", "dynamodb:DeleteItem", "dynamodb:PutItem",
        "dynamodb:UpdateItem",
      ] : ["dynamodb:PutItem"]
      Resource = arns
    }],
    [for keys in length(var.queue_key_arns) == 0 ? [] : [var.queue_key_arns] : {
      Sid      = "QueueKeys"
      Effect   = "Allow"
      Action   = ["kms:Decrypt", "kms:GenerateDataKey"]
      Resource = keys
    }],
    [for keys in length(var.topic_key_arns) == 0 ? [] : [var.topic_key_arns] : {
      Sid      = "TopicKeys"
      Effect   = "Allow"
      Action   = ["kms:Decrypt", "kms:GenerateDataKey"]
      Resource = keys
    }],
    [for keys in length(var.table_key_arns) == 0 ? [] : [var.table_key_arns] : {
      Sid    = "TableKeys"
      Effect = "Allow"
      Action = [
        "kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey*", "kms:ReEncrypt*",
      ]
      Resource = keys
      # DynamoDB uses the key in the caller's name; the function itself never may.
      Condition = {
        StringEquals = { "kms:ViaService" = "dynamodb.${var.aws.region}.${var.aws.dns_suffix}" }
      }
    }],
  )
}
