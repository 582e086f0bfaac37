resource "aws_kms_key" "this" {
  description             = "Encrypts what belongs to ${var.name}."
  enable_key_rotation     = true
  deletion_window_in_days = var.deletion_window_days
  tags                    = var.tags

  # The account and the services that send; never a role of this module: its access is in its own policy, or key and
  # role would need each other. The first statement keeps the account from locking itself out.
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = concat([{
      Sid       = "Account"
      Effect    = "Allow"
      Principal = { AWS = "arn:${var.aws.partition}:iam::${var.aws.account_id}:root" }
      Action    = "kms:*"
      Resource  = "*"
    }], jsondecode(var.policy_statements_json))
  })
}

resource "aws_kms_alias" "this" {
  name          = "alias/${var.name}"
  target_key_id = aws_kms_key.this.key_id
}
