# The relay never commits an event: it finds rows, publishes their stored bytes and marks them.

locals {
  statements = concat(
    [
      {
        Sid      = "ProcessedEvents"
        Effect   = "Allow"
        Action   = ["dynamodb:BatchGetItem", "dynamodb:PartiQLUpdate", "dynamodb:Scan"]
        Resource = var.processed_events_table.arn
      },
      {
        Sid      = "RowsInTrouble"
        Effect   = "Allow"
        Action   = "dynamodb:Query"
        Resource = "${var.processed_events_table.arn}/index/relay"
      },
      {
        Sid      = "Announce"
        Effect   = "Allow"
        Action   = "sns:Publish"
        Resource = var.topic_arns
      },
    ],
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
