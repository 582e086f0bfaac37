# Queue policies by `jsonencode`: a policy document data source becomes unknown under `depends_on`, which would show as
# a change on every plan.

locals {
  sender_statements = [
    for grant in var.grants : {
      Sid       = "Send${grant.name}"
      Effect    = "Allow"
      Principal = grant.principal
      Action    = "sqs:SendMessage"
      Resource  = local.queue_arn
      Condition = grant.condition
    }
  ]

  tls_only = {
    Sid       = "DenyWithoutTls"
    Effect    = "Deny"
    Principal = "*"
    Action    = "sqs:*"
    Condition = { Bool = { "aws:SecureTransport" = "false" } }
  }

  queue_policy = jsonencode({
    Version   = "2012-10-17"
    Statement = concat([merge(local.tls_only, { Resource = local.queue_arn })], local.sender_statements)
  })

  dlq_policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [merge(local.tls_only, { Resource = local.dlq_arn })]
  })
}
