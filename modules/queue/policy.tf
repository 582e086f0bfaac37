# Queue policies by `jsonencode`: a policy document data source becomes unknown under `depends_on`, which would show as
# a change on every plan.

locals {
  senders = {
    for label, sender in var.senders : label => {
      kind = (
        sender.service != null ? "service" :
        sender.organization != null ? "organization" :
        sender.arn != null ? "arn" : "account"
      )
      account = coalesce(
        sender.account,
        sender.service == null && sender.arn != null ? split(":", coalesce(sender.arn, ":::::"))[4] : null,
        var.aws.account_id
      )
      service      = sender.service
      organization = sender.organization
      arn          = sender.arn
    }
  }

  sender_statements = [
    for label, sender in local.senders : {
      Sid    = "Send${replace(title(replace(label, "/[^0-9A-Za-z]+/", " ")), " ", "")}"
      Effect = "Allow"
      # A role of the same apply is named by its account plus a condition: SQS refuses a policy with a principal that
      # IAM does not know yet, and an inline policy is not tried again.
      Principal = {
        service      = { Service = sender.service }
        organization = { AWS = "*" }
        arn          = { AWS = "arn:${var.aws.partition}:iam::${sender.account}:root" }
        account      = { AWS = "arn:${var.aws.partition}:iam::${sender.account}:root" }
      }[sender.kind]
      Action   = "sqs:SendMessage"
      Resource = local.queue_arn
      Condition = {
        # Always the account, since the ARN of a bucket carries none: without it any account's bucket could send.
        service = merge(
          { StringEquals = { "aws:SourceAccount" = sender.account } },
          sender.arn == null ? {} : { ArnLike = { "aws:SourceArn" = sender.arn } }
        )
        organization = { StringEquals = { "aws:PrincipalOrgID" = sender.organization } }
        arn          = { ArnEquals = { "aws:PrincipalArn" = sender.arn } }
        account      = { StringEquals = { "aws:PrincipalAccount" = sender.account } }
      }[sender.kind]
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
