variable "aws" {
  description = "Partition and account id, read once by the caller."
  type = object({
    partition  = string
    account_id = string
  })
  nullable = false
}

variable "senders" {
  description = "Who may send, by a label of your choice. `service` (such as `s3.amazonaws.com`), limited by `arn` (aws:SourceArn) and `account` (aws:SourceAccount; null is this account); or an `account` id; or an `organization` id; or the `arn` of a role or user."
  type = map(object({
    service      = optional(string)
    account      = optional(string)
    organization = optional(string)
    arn          = optional(string)
  }))
  default  = {}
  nullable = false
}
