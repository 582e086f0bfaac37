variable "name" {
  description = "Name of the pipeline; the function is `<name>-relay`."
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

variable "interval_minutes" {
  description = "Minutes between two runs, a whole number from 1."
  type        = number
  default     = 5
  nullable    = false
}

variable "processed_events_table" {
  description = "The table that remembers events: its ARN."
  type        = object({ arn = string })
  nullable    = false
}

variable "topic_arns" {
  description = "Topics that notifications go to."
  type        = list(string)
  nullable    = false
}

variable "topic_key_arns" {
  description = "Customer managed keys of the topics. Its length must be known at plan."
  type        = list(string)
  default     = []
  nullable    = false
}

variable "table_key_arns" {
  description = "Customer managed keys of the table. Its length must be known at plan."
  type        = list(string)
  default     = []
  nullable    = false
}

variable "tags" {
  description = "Tags of everything here that takes them."
  type        = map(string)
  default     = {}
  nullable    = false
}
