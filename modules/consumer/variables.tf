variable "name" {
  description = "Name of the pipeline; the function is `<name>-consumer`."
  type        = string
  nullable    = false
}

variable "aws" {
  description = "Partition, Region, account id and DNS suffix, read once by the caller."
  type = object({
    partition  = string
    region     = string
    account_id = string
    dns_suffix = string
  })
  nullable = false
}

variable "settings" {
  description = "What consumer and relay have in common: the zip, runtime, limits, logs, keys, network and identity of the function."
  type = object({
    package                  = string                # path of the zip
    runtime                  = string                # such as nodejs22.x
    architecture             = string                # arm64 or x86_64
    timeout_seconds          = number                # 1 to 900
    memory_mb                = number                # 128 to 10240; CPU grows with it, one full core at 1769
    log_retention_days       = number                # one of the numbers that CloudWatch Logs knows
    log_level                = string                # DEBUG, INFO, WARN or ERROR
    tracing                  = optional(bool, false) # false: a trace that came with the message is passed on
    log_kms                  = optional(object({ key_arn = string }))
    environment_kms          = optional(object({ key_arn = string }))
    existing_log_group       = optional(object({ name = string, arn = string }))
    vpc                      = optional(object({ subnet_ids = list(string), security_group_ids = list(string), ipv6 = optional(bool, false) }))
    permissions_boundary_arn = optional(string)
    iam_path                 = optional(string, "/")
  })
  nullable = false
}

variable "environment" {
  description = "Environment variables of the function."
  type        = map(string)
  nullable    = false
}

variable "queue" {
  description = "The queue to consume: its ARN."
  type        = object({ arn = string })
  nullable    = false
}

variable "dlq" {
  description = "The dead-letter queue that permanent failures are sent to: its ARN."
  type        = object({ arn = string })
  nullable    = false
}

variable "processed_events_table" {
  description = "The table that remembers events: its ARN."
  type        = object({ arn = string })
  nullable    = false
}

variable "business_table_arns" {
  description = "Tables that the meaning of an event writes to."
  type        = list(string)
  nullable    = false
}

variable "handler" {
  description = "True: the zip holds a handler of the caller's, which may read, update, delete and check items of the business tables, too."
  type        = bool
  default     = false
  nullable    = false
}

variable "topic_arns" {
  description = "Topics that notifications go to."
  type        = list(string)
  nullable    = false
}

variable "queue_key_arns" {
  description = "Customer managed keys of queue and dead-letter queue, old ones included. Its length must be known at plan."
  type        = list(string)
  default     = []
  nullable    = false
}

variable "topic_key_arns" {
  description = "Customer managed keys of the topics. Its length must be known at plan."
  type        = list(string)
  default     = []
  nullable    = false
}

variable "table_key_arns" {
  description = "Customer managed keys of the tables. Its length must be known at plan."
  type        = list(string)
  default     = []
  nullable    = false
}

variable "enabled" {
  description = "False: the mapping stops, and messages wait in the queue."
  type        = bool
  default     = true
  nullable    = false
}

variable "batch_size" {
  description = "Most messages of one invocation, 1 to 10000; FIFO 1 to 10; above 10 needs a window of 1 second or more."
  type        = number
  default     = 10
  nullable    = false
}

variable "batching_window_seconds" {
  description = "Seconds that Lambda waits for a fuller batch, 0 to 300; FIFO 0."
  type        = number
  default     = 0
  nullable    = false
}

variable "maximum_concurrency" {
  description = "Most concurrent invocations by this queue, 2 and more. Null: no limit but the account's."
  type        = number
  default     = 50
}

variable "provisioned_pollers" {
  description = "Pollers that are kept ready: `minimum` and `maximum`. Null: Lambda scales them as it sees fit."
  type = object({
    minimum = number
    maximum = number
  })
  default = null
}

variable "reserved_concurrency" {
  description = "Concurrent executions set aside for the function. Null: none."
  type        = number
  default     = null
}

variable "deployment" {
  description = "Presence publishes versions and puts the mapping on the alias `live`. `stable_version`: the version that the alias points to (null: the newest); `weight`: the share of the newest version beside it, 0 to 1. Null: the mapping invokes the function as it is."
  type = object({
    stable_version = optional(string)
    weight         = optional(number)
  })
  default = null
}

variable "provisioned_concurrency" {
  description = "Execution environments kept warm behind the alias. Null: none."
  type        = number
  default     = null
}

variable "tags" {
  description = "Tags of everything here that takes them."
  type        = map(string)
  default     = {}
  nullable    = false
}
