# Who may send, in words of IAM: for the policy of the queue, and for the policy of a key that encrypts it. A module of
# its own without resources, since the queue needs the key and the key's policy needs the senders.

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

  grants = [
    for label, sender in local.senders : {
      name    = replace(title(replace(label, "/[^0-9A-Za-z]+/", " ")), " ", "")
      service = sender.kind == "service"
      # A role of the same apply is named by its account plus a condition: SQS refuses a policy with a principal that
      # IAM does not know yet, and an inline policy is not tried again.
      principal = {
        service      = { Service = sender.service }
        organization = { AWS = "*" }
        arn          = { AWS = "arn:${var.aws.partition}:iam::${sender.account}:root" }
        account      = { AWS = "arn:${var.aws.partition}:iam::${sender.account}:root" }
      }[sender.kind]
      condition = {
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
}
