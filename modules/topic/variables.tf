variable "name" {
  description = "Name of the topic, without the `.fifo` suffix."
  type        = string
  nullable    = false
}

variable "aws" {
  description = "Partition, Region and account id, read once by the caller."
  type = object({
    partition  = string
    region     = string
    account_id = string
  })
  nullable = false
}

variable "fifo" {
  description = "True: a FIFO topic, which delivers to SQS queues only."
  type        = bool
  default     = false
  nullable    = false
}

variable "kms" {
  description = "Customer managed key of the topic. Null: not encrypted at rest by a key of yours."
  type        = object({ key_arn = string })
  default     = null
}

variable "subscribers" {
  description = "Who outside of this account may subscribe, by a label of your choice: an `account` id or an `organization` id."
  type = map(object({
    account      = optional(string)
    organization = optional(string)
  }))
  default  = {}
  nullable = false
}

variable "subscriptions" {
  description = "Subscriptions of the topic, by a label of your choice. `dlq_arn` keeps what the endpoint did not take."
  type = map(object({
    protocol             = string
    endpoint             = string
    raw_message_delivery = optional(bool, false)
    filter_policy        = optional(string)
    filter_policy_scope  = optional(string)
    dlq_arn              = optional(string)
  }))
  default  = {}
  nullable = false
}

variable "tags" {
  description = "Tags of the topic."
  type        = map(string)
  default     = {}
  nullable    = false
}
