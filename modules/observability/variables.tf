variable "name" {
  description = "Name of the pipeline: prefix of the alarms, name of the dashboard, and the dimension of its metrics."
  type        = string
  nullable    = false
}

variable "region" {
  description = "Region that the dashboard's metrics are in."
  type        = string
  nullable    = false
}

variable "alarms" {
  description = "False: no alarms."
  type        = bool
  default     = true
  nullable    = false
}

variable "dashboard" {
  description = "False: no dashboard."
  type        = bool
  default     = true
  nullable    = false
}

variable "thresholds" {
  description = "Thresholds by alarm, over the defaults; null switches an alarm off."
  type        = map(number)
  default     = {}
  nullable    = false
}

variable "topic_arns" {
  description = "Topics that are told when an alarm goes off and when it is over."
  type        = list(string)
  default     = []
  nullable    = false
}

variable "runbook_url" {
  description = "Where the runbook can be read; the alarms' descriptions link its sections."
  type        = string
  nullable    = false
}

variable "queue_name" {
  description = "Name of the queue."
  type        = string
  nullable    = false
}

variable "dlq_name" {
  description = "Name of the dead-letter queue."
  type        = string
  nullable    = false
}

variable "table_names" {
  description = "Names of the tables, by a label; `processed_events` is one of them."
  type        = map(string)
  nullable    = false
}

variable "topic_name" {
  description = "Name of the topic."
  type        = string
  nullable    = false
}

variable "consumer_name" {
  description = "Name of the consumer's function."
  type        = string
  nullable    = false
}

variable "log_group_name" {
  description = "Name of the consumer's log group."
  type        = string
  nullable    = false
}

variable "consumer_timeout_seconds" {
  description = "Timeout of the consumer's function."
  type        = number
  nullable    = false
}

variable "concurrency_limit" {
  description = "Most concurrent executions that the consumer can reach by its own settings. Null: no limit but the account's, and no alarm on it."
  type        = number
  default     = null
}

variable "quarantine" {
  description = "Whether the consumer quarantines messages that can never succeed. False: the alarm on them counts those that it returns instead."
  type        = bool
  default     = true
  nullable    = false
}

variable "relay" {
  description = "The relay: its function's name and the minutes between two runs. Null: there is none."
  type = object({
    name             = string
    interval_minutes = number
  })
  default = null
}

variable "tags" {
  description = "Tags of the alarms."
  type        = map(string)
  default     = {}
  nullable    = false
}
