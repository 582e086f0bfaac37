locals {
  topic_name = "${var.name}${var.fifo ? ".fifo" : ""}"
  topic_arn  = "arn:${var.aws.partition}:sns:${var.aws.region}:${var.aws.account_id}:${local.topic_name}"

  # Publishing is granted to the functions by their roles; this policy says who may subscribe, and that nobody talks to
  # the topic without TLS. The owner's statement is what SNS writes by itself when it is given no policy.
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = concat(
      [
        {
          Sid       = "Owner"
          Effect    = "Allow"
          Principal = { AWS = "arn:${var.aws.partition}:iam::${var.aws.account_id}:root" }
          Action = [
            "sns:AddPermission", "sns:DeleteTopic", "sns:GetTopicAttributes", "sns:ListSubscriptionsByTopic",
            "sns:Publish", "sns:RemovePermission", "sns:SetTopicAttributes", "sns:Subscribe",
          ]
          Resource = local.topic_arn
        },
        {
          Sid       = "DenyWithoutTls"
          Effect    = "Deny"
          Principal = "*"
          Action    = "sns:Publish"
          Resource  = local.topic_arn
          Condition = { Bool = { "aws:SecureTransport" = "false" } }
        },
      ],
      [
        for label, subscriber in var.subscribers : {
          Sid       = "Subscribe${replace(title(replace(label, "/[^0-9A-Za-z]+/", " ")), " ", "")}"
          Effect    = "Allow"
          Principal = { AWS = subscriber.organization == null ? "arn:${var.aws.partition}:iam::${coalesce(subscriber.account, var.aws.account_id)}:root" : "*" }
          Action    = ["sns:Subscribe", "sns:ListSubscriptionsByTopic", "sns:GetTopicAttributes"]
          Resource  = local.topic_arn
          Condition = {
            StringEquals = {
              (subscriber.organization == null ? "aws:PrincipalAccount" : "aws:PrincipalOrgID") = coalesce(subscriber.organization, subscriber.account)
            }
          }
        }
      ]
    )
  })
}

resource "aws_sns_topic" "this" {
  name       = local.topic_name
  fifo_topic = var.fifo

  # The consumer names the de-duplication id, the event's own, so that a duplicate publish is dropped by SNS.
  content_based_deduplication = var.fifo ? false : null

  kms_master_key_id = var.kms == null ? null : var.kms.key_arn
  policy            = local.policy
  tags              = var.tags
}

resource "aws_sns_topic_subscription" "this" {
  for_each = var.subscriptions

  topic_arn            = aws_sns_topic.this.arn
  protocol             = each.value.protocol
  endpoint             = each.value.endpoint
  raw_message_delivery = each.value.raw_message_delivery
  filter_policy        = each.value.filter_policy
  filter_policy_scope  = each.value.filter_policy_scope
  redrive_policy       = each.value.dlq_arn == null ? null : jsonencode({ deadLetterTargetArn = each.value.dlq_arn })
}
