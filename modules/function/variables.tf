variable "name" {
  description = "Name of the function; its log group is `/aws/lambda/<name>`."
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

variable "description" {
  description = "What the function does, for people who find it in the console."
  type        = string
  nullable    = false
}

variable "handler" {
  description = "Entry point inside the zip, such as `consumer.handler`."
  type        = string
  nullable    = false
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

variable "reserved_concurrency" {
  description = "Concurrent executions set aside for this function. Null: none are set aside, none are the limit."
  type        = number
  default     = null
}

variable "environment" {
  description = "Environment variables."
  type        = map(string)
  nullable    = false
}

variable "publish" {
  description = "True: every change of code or configuration publishes a version."
  type        = bool
  default     = false
  nullable    = false
}

variable "tags" {
  description = "Tags of function, role and log group."
  type        = map(string)
  default     = {}
  nullable    = false
}
