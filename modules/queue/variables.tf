variable "name" {
  description = "Name of the queue, without the `.fifo` suffix; the dead-letter queue is `<name>-dlq`."
  type        = string
  nullable    = false
}

variable "aws" {
  description = "Partition, Region, account id and DNS suffix, read once by the caller: under `depends_on` a data source of our own would be unknown at plan."
  type = object({
    partition  = string
    region     = string
    account_id = string
  })
  nullable = false
}

variable "fifo" {
  description = "Presence makes both queues FIFO. `content_based_deduplication`: SQS derives the de-duplication id from the body. `high_throughput`: limits and de-duplication apply per message group. Null: standard queues."
  type = object({
    content_based_deduplication = optional(bool, false)
    high_throughput             = optional(bool, true)
  })
  default = null
}

variable "visibility_timeout_seconds" {
  description = "Seconds that a received message stays hidden, 0 to 43200."
  type        = number
  nullable    = false
}

variable "message_retention_seconds" {
  description = "Seconds that the queue keeps a message, 60 to 1209600."
  type        = number
  default     = 345600
  nullable    = false
}

variable "dlq_message_retention_seconds" {
  description = "Seconds that the dead-letter queue keeps a message, 60 to 1209600. On a standard queue the age goes on counting from the first send."
  type        = number
  default     = 1209600
  nullable    = false
}

variable "max_receive_count" {
  description = "Receives after which SQS moves a message to the dead-letter queue, 1 to 1000."
  type        = number
  nullable    = false
}

variable "delay_seconds" {
  description = "Seconds before a new message can be received, 0 to 900."
  type        = number
  default     = 0
  nullable    = false
}

variable "max_message_bytes" {
  description = "Largest message that the queue accepts, in bytes, 1024 up to what the provider allows. Null keeps the provider's default (256 KiB)."
  type        = number
  default     = null
}

variable "kms" {
  description = "Customer managed key for both queues: its ARN, and for how many seconds SQS reuses a data key (60 to 86400). Null: SSE-SQS."
  type = object({
    key_arn                = string
    data_key_reuse_seconds = optional(number, 300)
  })
  default = null
}

variable "grants" {
  description = "Who may send to the queue, as `modules/senders` puts it: a name for the statement, a principal and its conditions."
  type = list(object({
    name      = string
    principal = map(string)
    condition = map(map(string))
  }))
  default  = []
  nullable = false
}

variable "existing_dlq" {
  description = "A dead-letter queue of yours, of the same type: its ARN and URL. Null: one is created."
  type = object({
    arn = string
    url = string
  })
  default = null
}

variable "dlq_redrive_allow_policy" {
  description = "True: only this queue may use the created dead-letter queue as its own. False: any queue of the account may (`allowAll`)."
  type        = bool
  default     = true
  nullable    = false
}

variable "tags" {
  description = "Tags of both queues."
  type        = map(string)
  default     = {}
  nullable    = false
}
