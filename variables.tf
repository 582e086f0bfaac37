# --- The four lines that everybody writes ---------------------------------------------------------------------------

variable "name" {
  description = "Name of the pipeline, prefix of everything it creates: a letter, then letters, digits, `-` and `_`, 48 characters at most. Changing it replaces everything, tables included."
  type        = string
  nullable    = false

  validation {
    condition     = length(var.name) <= 48
    error_message = "name has ${length(var.name)} characters; write 48 at most, so that every suffix fits into the 64 that Lambda allows for the name of a function."
  }

  validation {
    condition     = can(regex("^[A-Za-z][A-Za-z0-9_-]*$", var.name))
    error_message = "name must start with a letter and go on with letters, digits, hyphens and underscores, such as \"orders\"."
  }
}

variable "event_id" {
  description = "JMESPath of the event's id, a non-empty string that the producer chooses, such as `order_id`. The same id is the same event, for as long as its row is kept."
  type        = string
  nullable    = false

  validation {
    condition     = trimspace(var.event_id) != ""
    error_message = "event_id is empty; write the JMESPath that finds the event's id, such as \"event_id\" or \"detail.id\"."
  }

  validation {
    condition = alltrue([
      for bare in [replace(var.event_id, local.jmespath_quoted, "q")] :
      !can(regex("['\"`]", bare)) &&
      alltrue([for pair in [["(", ")"], ["[", "]"], ["{", "}"]] : length(split(pair[0], bare)) == length(split(pair[1], bare))])
    ])
    error_message = "event_id is no complete JMESPath expression: a bracket or a quote is not closed in \"${var.event_id}\"."
  }
}

variable "business_key" {
  description = "JMESPath of the business item's hash key, such as `order_id`. Null: only with a `consumer_package` whose handler says what is written."
  type        = string
  default     = null

  validation {
    condition     = var.business_key != null || var.consumer_package != null
    error_message = "business_key is missing; write the JMESPath that finds the hash key of the business item, such as \"order_id\". Only a consumer_package with a handler does without."
  }

  validation {
    condition = alltrue([
      for bare in var.business_key == null ? [] : [replace(var.business_key, local.jmespath_quoted, "q")] :
      trimspace(bare) != "" && !can(regex("['\"`]", bare)) &&
      alltrue([for pair in [["(", ")"], ["[", "]"], ["{", "}"]] : length(split(pair[0], bare)) == length(split(pair[1], bare))])
    ])
    error_message = "business_key is no complete JMESPath expression: it is empty, or a bracket or a quote is not closed. Write one such as \"order_id\" or \"detail.order.id\"."
  }
}

# --- What an event means ---------------------------------------------------------------------------------------------

variable "envelope" {
  description = "What the producer wraps around the event: `none`, `sns` (a subscription without raw delivery), `eventbridge` (the event is `detail`) or `s3` (one event a record of an S3 notification). Every expression sees what is inside."
  type        = string
  default     = "none"
  nullable    = false

  validation {
    condition     = contains(["none", "sns", "eventbridge", "s3"], var.envelope)
    error_message = "envelope is \"${var.envelope}\"; write \"none\", \"sns\", \"eventbridge\" or \"s3\"."
  }

  validation {
    condition     = !(var.envelope == "s3" && var.fifo != null)
    error_message = "S3 does not send notifications to a FIFO queue; send them to EventBridge, let a rule with a message group id target the queue, and write envelope = \"eventbridge\"."
  }
}

variable "event_filter" {
  description = "JMESPath that is true for events of this pipeline; others are acknowledged and counted as `filtered`. Null: every event is."
  type        = string
  default     = null

  validation {
    condition = alltrue([
      for bare in var.event_filter == null ? [] : [replace(var.event_filter, local.jmespath_quoted, "q")] :
      trimspace(bare) != "" && !can(regex("['\"`]", bare)) &&
      alltrue([for pair in [["(", ")"], ["[", "]"], ["{", "}"]] : length(split(pair[0], bare)) == length(split(pair[1], bare))])
    ])
    error_message = "event_filter is no complete JMESPath expression: it is empty, or a bracket or a quote is not closed. Leave it out for its default."
  }
}

variable "event_id_prefix" {
  description = "Fixed text before every event id in `processed_events`, 0 to 128 bytes, for pipelines that share one table. Never change it: every event would be new."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = floor(length(replace(base64encode(var.event_id_prefix), "=", "")) * 3 / 4) <= 128
    error_message = "event_id_prefix is longer than 128 bytes; write a shorter one."
  }
}

variable "fingerprint" {
  description = "JMESPath of the part of the event that must be the same whenever its id comes again; another one under the same id is refused as `payload_mismatch`. Null: the whole event."
  type        = string
  default     = null

  validation {
    condition = alltrue([
      for bare in var.fingerprint == null ? [] : [replace(var.fingerprint, local.jmespath_quoted, "q")] :
      trimspace(bare) != "" && !can(regex("['\"`]", bare)) &&
      alltrue([for pair in [["(", ")"], ["[", "]"], ["{", "}"]] : length(split(pair[0], bare)) == length(split(pair[1], bare))])
    ])
    error_message = "fingerprint is no complete JMESPath expression: it is empty, or a bracket or a quote is not closed. Leave it out for its default."
  }
}

variable "correlation_id" {
  description = "JMESPath of an id that is passed on in logs, rows and notifications. Null: none, unless the message carries an attribute `correlation_id`."
  type        = string
  default     = null

  validation {
    condition = alltrue([
      for bare in var.correlation_id == null ? [] : [replace(var.correlation_id, local.jmespath_quoted, "q")] :
      trimspace(bare) != "" && !can(regex("['\"`]", bare)) &&
      alltrue([for pair in [["(", ")"], ["[", "]"], ["{", "}"]] : length(split(pair[0], bare)) == length(split(pair[1], bare))])
    ])
    error_message = "correlation_id is no complete JMESPath expression: it is empty, or a bracket or a quote is not closed. Leave it out for its default."
  }
}

variable "json_schema" {
  description = "JSON Schema, as JSON text (`file(\"order.schema.json\")`), that every event must match: draft 2020-12, or draft-07 where `$schema` says so; `format` is not checked. Null: none. It shares 4096 bytes with the rest of the configuration, compressed when it has to be."
  type        = string
  default     = null

  validation {
    condition     = var.json_schema == null ? true : can(keys(jsondecode(var.json_schema)))
    error_message = "json_schema is not the text of a JSON object; write file(\"order.schema.json\") or jsonencode({ ... })."
  }

  validation {
    # Over locals that do not depend on this variable: those that do wait for this very check. Base64 counts bytes,
    # where length() would count characters.
    condition = anytrue([
      for json in [jsonencode(merge(local.consumer_config, var.json_schema == null ? {} : { json_schema = var.json_schema }))] : anytrue([
        for text in [json, base64gzip(json)] :
        length(base64encode(jsonencode(merge(var.environment, { PIPELINE_CONFIG = text })))) * 3 / 4 <= local.environment_budget_bytes
      ])
    ])
    error_message = "The configuration does not fit into the ${local.environment_budget_bytes} bytes that Lambda leaves for it, not even compressed; shorten json_schema (titles, descriptions, examples), the expressions, or environment."
  }
}

variable "business_sort_key" {
  description = "JMESPath of the business item's sort key. Null: the business table has none."
  type        = string
  default     = null

  validation {
    condition = alltrue([
      for bare in var.business_sort_key == null ? [] : [replace(var.business_sort_key, local.jmespath_quoted, "q")] :
      trimspace(bare) != "" && !can(regex("['\"`]", bare)) &&
      alltrue([for pair in [["(", ")"], ["[", "]"], ["{", "}"]] : length(split(pair[0], bare)) == length(split(pair[1], bare))])
    ])
    error_message = "business_sort_key is no complete JMESPath expression: it is empty, or a bracket or a quote is not closed. Leave it out for its default."
  }
}

variable "business_item" {
  description = "JMESPath of the object that is written as the business item; the key attributes are added to it. Null: the whole event."
  type        = string
  default     = null

  validation {
    condition = alltrue([
      for bare in var.business_item == null ? [] : [replace(var.business_item, local.jmespath_quoted, "q")] :
      trimspace(bare) != "" && !can(regex("['\"`]", bare)) &&
      alltrue([for pair in [["(", ")"], ["[", "]"], ["{", "}"]] : length(split(pair[0], bare)) == length(split(pair[1], bare))])
    ])
    error_message = "business_item is no complete JMESPath expression: it is empty, or a bracket or a quote is not closed. Leave it out for its default."
  }
}

variable "business_version" {
  description = "JMESPath of a number that orders the states of one business key, for `on_existing_key = \"newer\"`; the item keeps it as its attribute `business_version`. Null otherwise."
  type        = string
  default     = null

  validation {
    condition = alltrue([
      for bare in var.business_version == null ? [] : [replace(var.business_version, local.jmespath_quoted, "q")] :
      trimspace(bare) != "" && !can(regex("['\"`]", bare)) &&
      alltrue([for pair in [["(", ")"], ["[", "]"], ["{", "}"]] : length(split(pair[0], bare)) == length(split(pair[1], bare))])
    ])
    error_message = "business_version is no complete JMESPath expression: it is empty, or a bracket or a quote is not closed. Leave it out for its default."
  }

  validation {
    condition     = (var.business_version != null) == (var.on_existing_key == "newer")
    error_message = "business_version and on_existing_key = \"newer\" go together; write both, or none of them."
  }
}

variable "on_existing_key" {
  description = "What happens when another event already wrote the business key: `reject` (the event is refused as `business_rejected`: loud and safe), `overwrite` (last writer wins), or `newer` (the higher `business_version` wins)."
  type        = string
  default     = "reject"
  nullable    = false

  validation {
    condition     = contains(["reject", "overwrite", "newer"], var.on_existing_key)
    error_message = "on_existing_key is \"${var.on_existing_key}\"; write \"reject\", \"overwrite\" or \"newer\"."
  }
}

variable "notification" {
  description = "JMESPath of the notification's message; a string is published as it is, anything else as JSON. Null: a small JSON document with the event's id."
  type        = string
  default     = null

  validation {
    condition = alltrue([
      for bare in var.notification == null ? [] : [replace(var.notification, local.jmespath_quoted, "q")] :
      trimspace(bare) != "" && !can(regex("['\"`]", bare)) &&
      alltrue([for pair in [["(", ")"], ["[", "]"], ["{", "}"]] : length(split(pair[0], bare)) == length(split(pair[1], bare))])
    ])
    error_message = "notification is no complete JMESPath expression: it is empty, or a bracket or a quote is not closed. Leave it out for its default."
  }
}

variable "notification_subject" {
  description = "JMESPath of the notification's subject, one line of 1 to 99 characters. Null: none."
  type        = string
  default     = null

  validation {
    condition = alltrue([
      for bare in var.notification_subject == null ? [] : [replace(var.notification_subject, local.jmespath_quoted, "q")] :
      trimspace(bare) != "" && !can(regex("['\"`]", bare)) &&
      alltrue([for pair in [["(", ")"], ["[", "]"], ["{", "}"]] : length(split(pair[0], bare)) == length(split(pair[1], bare))])
    ])
    error_message = "notification_subject is no complete JMESPath expression: it is empty, or a bracket or a quote is not closed. Leave it out for its default."
  }
}

variable "notification_attributes" {
  description = "Message attributes of the notification, by name: the JMESPath of each. They come beside `event_id` and `correlation_id`; at most 6, so that all of them stay well below the 10 that raw delivery to SQS passes on."
  type        = map(string)
  default     = {}
  nullable    = false

  validation {
    condition     = length(var.notification_attributes) <= 6
    error_message = "notification_attributes has ${length(var.notification_attributes)} entries; write 6 at most: SQS drops a raw delivery of more than 10 attributes without a word, and event_id and correlation_id are always there."
  }

  validation {
    condition = alltrue([
      for name in keys(var.notification_attributes) :
      can(regex("^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*$", name)) && length(name) <= 256 && !startswith(lower(name), "aws.") && !startswith(lower(name), "amazon.") && !contains(["event_id", "correlation_id"], name)
    ])
    error_message = "A name in notification_attributes is not usable; write letters, digits, _, - and single dots, not starting with \"AWS.\" or \"Amazon.\", and not event_id or correlation_id, which are always there."
  }

  validation {
    condition = alltrue(flatten([
      for expression in values(var.notification_attributes) : [
        for bare in [replace(expression, local.jmespath_quoted, "q")] :
        trimspace(bare) != "" && !can(regex("['\"`]", bare)) &&
        alltrue([for pair in [["(", ")"], ["[", "]"], ["{", "}"]] : length(split(pair[0], bare)) == length(split(pair[1], bare))])
      ]
    ]))
    error_message = "An expression in notification_attributes is empty, or a bracket or a quote in it is not closed."
  }
}

variable "notification_group_id" {
  description = "JMESPath of the notification's message group, for a FIFO topic. Null: the group that the message came in, else the event's id."
  type        = string
  default     = null

  validation {
    condition = alltrue([
      for bare in var.notification_group_id == null ? [] : [replace(var.notification_group_id, local.jmespath_quoted, "q")] :
      trimspace(bare) != "" && !can(regex("['\"`]", bare)) &&
      alltrue([for pair in [["(", ")"], ["[", "]"], ["{", "}"]] : length(split(pair[0], bare)) == length(split(pair[1], bare))])
    ])
    error_message = "notification_group_id is no complete JMESPath expression: it is empty, or a bracket or a quote is not closed. Leave it out for its default."
  }

  validation {
    condition     = var.notification_group_id == null || local.topic_fifo
    error_message = "notification_group_id is for a FIFO topic; leave it out, or write topic_fifo = true."
  }
}

# --- Queue -----------------------------------------------------------------------------------------------------------

variable "fifo" {
  description = "Presence makes queue and dead-letter queue FIFO, or says that the existing ones are. `content_based_deduplication`: SQS takes the de-duplication id from the body; needed by senders that give none, such as EventBridge. `high_throughput`: limits and de-duplication apply per message group. Null: standard queues. Changing it replaces the queues, and the topic unless `topic_fifo` keeps it as it is."
  type = object({
    content_based_deduplication = optional(bool, false)
    high_throughput             = optional(bool, true)
  })
  default = null
}

variable "existing_queue" {
  description = "A queue of yours, with its own dead-letter queue, that the module consumes and does not manage. Nothing can be read from it at plan, so say what it is set to. `dlq_url` null: built from the ARN. `kms_key_arn` null: neither queue has a customer managed key. Null: the module creates both queues."
  type = object({
    arn                           = string
    url                           = string
    dlq_arn                       = string
    dlq_url                       = optional(string)
    visibility_timeout_seconds    = number
    message_retention_seconds     = number
    dlq_message_retention_seconds = optional(number, 1209600)
    max_receive_count             = number
    kms_key_arn                   = optional(string)
  })
  default = null

  validation {
    condition = var.existing_queue == null ? true : alltrue([
      for value in [
        var.existing_queue.arn, var.existing_queue.url, var.existing_queue.dlq_arn,
        var.existing_queue.visibility_timeout_seconds, var.existing_queue.message_retention_seconds,
        var.existing_queue.max_receive_count,
      ] : value != null
    ])
    error_message = "existing_queue needs arn, url, dlq_arn, visibility_timeout_seconds, message_retention_seconds and max_receive_count: one of them is null."
  }

  validation {
    condition     = var.existing_queue == null ? true : endswith(coalesce(var.existing_queue.arn, "-"), ".fifo") == (var.fifo != null)
    error_message = "existing_queue.arn and fifo contradict each other; write fifo = {} for a queue whose name ends in .fifo, and leave fifo out for others."
  }

  validation {
    condition     = var.existing_queue == null ? true : endswith(coalesce(var.existing_queue.dlq_arn, "-"), ".fifo") == (var.fifo != null)
    error_message = "existing_queue.dlq_arn is of the other type; a FIFO queue needs a FIFO dead-letter queue, a standard queue a standard one."
  }

  validation {
    condition     = var.existing_queue == null ? true : var.existing_queue.arn != var.existing_queue.dlq_arn
    error_message = "existing_queue.dlq_arn is the queue itself; name another queue, since a quarantined message would come straight back."
  }

  validation {
    condition     = var.existing_queue == null ? true : var.existing_queue.visibility_timeout_seconds >= var.function_timeout_seconds + var.batching_window_seconds
    error_message = "existing_queue.visibility_timeout_seconds is below function_timeout_seconds + batching_window_seconds; set the queue to ${6 * var.function_timeout_seconds + var.batching_window_seconds} (6 x timeout + window), as AWS recommends."
  }

  validation {
    condition     = var.existing_queue == null ? true : var.existing_queue.max_receive_count >= 1 && var.existing_queue.max_receive_count <= 1000 && floor(var.existing_queue.max_receive_count) == var.existing_queue.max_receive_count
    error_message = "existing_queue.max_receive_count must be a whole number from 1 to 1000, as in the queue's redrive policy."
  }
}

variable "existing_dlq" {
  description = "A dead-letter queue of yours for the queue that the module creates, of the same type. It must allow the queue as a source (redrive allow policy). `url` null: built from the ARN. `kms_key_arn` null: it has no customer managed key. Null: the module creates one."
  type = object({
    arn                       = string
    url                       = optional(string)
    message_retention_seconds = optional(number, 1209600)
    kms_key_arn               = optional(string)
  })
  default = null

  validation {
    condition     = var.existing_dlq == null ? true : var.existing_dlq.arn != null
    error_message = "existing_dlq.arn is null; write the ARN of the dead-letter queue, or leave existing_dlq out."
  }

  validation {
    condition     = var.existing_dlq == null ? true : endswith(coalesce(var.existing_dlq.arn, "-"), ".fifo") == (var.fifo != null)
    error_message = "existing_dlq.arn is of the other type; a FIFO queue needs a FIFO dead-letter queue (its name ends in .fifo), a standard queue a standard one."
  }

  validation {
    condition     = !(var.existing_dlq != null && var.existing_queue != null)
    error_message = "existing_queue brings its own dead-letter queue; write it into existing_queue.dlq_arn and leave existing_dlq out."
  }
}

variable "visibility_timeout_seconds" {
  description = "Seconds that a received message stays hidden, from function timeout + batching window up to 43200. Null derives 6 x function timeout + batching window, as AWS recommends. Of an existing queue it is in `existing_queue`."
  type        = number
  default     = null

  validation {
    condition     = var.visibility_timeout_seconds == null ? true : var.visibility_timeout_seconds >= var.function_timeout_seconds + var.batching_window_seconds
    error_message = "visibility_timeout_seconds is below function_timeout_seconds + batching_window_seconds: messages would come back while they are being worked on. Leave it out, or write ${6 * var.function_timeout_seconds + var.batching_window_seconds} (6 x timeout + window)."
  }

  validation {
    condition     = var.visibility_timeout_seconds == null ? true : var.visibility_timeout_seconds <= 43200 && floor(var.visibility_timeout_seconds) == var.visibility_timeout_seconds
    error_message = "visibility_timeout_seconds must be a whole number of at most 43200 (12 hours), the most that SQS allows."
  }
}

variable "message_retention_seconds" {
  description = "Seconds that the queue keeps a message that nobody finished, 60 to 1209600 (14 days). Default 4 days. On a standard queue the age goes on counting in the dead-letter queue."
  type        = number
  default     = 345600
  nullable    = false

  validation {
    condition     = var.message_retention_seconds >= 60 && var.message_retention_seconds <= 1209600 && floor(var.message_retention_seconds) == var.message_retention_seconds
    error_message = "message_retention_seconds must be a whole number from 60 to 1209600 (14 days)."
  }
}

variable "dlq_message_retention_seconds" {
  description = "Seconds that the dead-letter queue keeps a message, from `message_retention_seconds` to 1209600 (14 days), the default. On a standard queue they count from the first send, not from the move."
  type        = number
  default     = 1209600
  nullable    = false

  validation {
    condition     = var.dlq_message_retention_seconds >= 60 && var.dlq_message_retention_seconds <= 1209600 && floor(var.dlq_message_retention_seconds) == var.dlq_message_retention_seconds
    error_message = "dlq_message_retention_seconds must be a whole number from 60 to 1209600 (14 days)."
  }

  validation {
    condition     = var.dlq_message_retention_seconds >= var.message_retention_seconds
    error_message = "dlq_message_retention_seconds is below message_retention_seconds: a message that is moved late would be gone at once. Write ${var.message_retention_seconds} or more, best 1209600."
  }
}

variable "max_receive_count" {
  description = "Receives after which SQS moves a message to the dead-letter queue, a whole number from 1 to 1000. Null: 12, and 5 on a FIFO queue, where a failing message blocks its group."
  type        = number
  default     = null

  validation {
    condition     = var.max_receive_count == null ? true : var.max_receive_count >= 1 && var.max_receive_count <= 1000 && floor(var.max_receive_count) == var.max_receive_count
    error_message = "max_receive_count must be a whole number from 1 to 1000; leave it out for ${var.fifo == null ? 12 : 5}."
  }
}

variable "delay_seconds" {
  description = "Seconds before a new message can be received, 0 to 900."
  type        = number
  default     = 0
  nullable    = false

  validation {
    condition     = var.delay_seconds >= 0 && var.delay_seconds <= 900 && floor(var.delay_seconds) == var.delay_seconds
    error_message = "delay_seconds must be a whole number from 0 to 900."
  }
}

variable "max_message_bytes" {
  description = "Largest message that the queue accepts, in bytes, from 1024 up to what the provider allows. Null: the provider's default, 256 KiB."
  type        = number
  default     = null

  validation {
    condition     = var.max_message_bytes == null ? true : var.max_message_bytes >= 1024 && floor(var.max_message_bytes) == var.max_message_bytes
    error_message = "max_message_bytes must be a whole number from 1024."
  }
}

variable "senders" {
  description = "Who may send to the queue, beside identities of this account whose own policy allows it; by a label of your choice. `service` (such as `events.amazonaws.com`), limited to the `arn` that sends (aws:SourceArn) and its `account` (aws:SourceAccount; null is this account); or an `account` id; or an `organization` id; or the `arn` of a role or user. Refused with `existing_queue`, whose policy is yours."
  type = map(object({
    service      = optional(string)
    account      = optional(string)
    organization = optional(string)
    arn          = optional(string)
  }))
  default  = {}
  nullable = false

  validation {
    condition     = length(var.senders) == 0 || var.existing_queue == null
    error_message = "senders is for the queue that the module creates; add the statements of the output queue_policy_statements to the policy of your existing queue instead."
  }

  validation {
    condition     = length(var.senders) <= 50
    error_message = "senders has ${length(var.senders)} entries; write 50 at most, so that the policy fits into the 64 KiB of SQS, and name an organization where there are more accounts."
  }

  validation {
    condition = alltrue([
      for sender in values(var.senders) :
      (sender.organization == null || (sender.service == null && sender.account == null && sender.arn == null)) &&
      (sender.organization != null || sender.service != null || sender.account != null || sender.arn != null) &&
      (sender.service != null || sender.account == null || sender.arn == null)
    ])
    error_message = "Each of senders is one of: { service, arn, account } with the latter two as its limits; { account }; { organization }; { arn } of a role or user."
  }

  validation {
    condition = alltrue([
      for sender in values(var.senders) :
      (sender.service == null ? true : can(regex("^[a-z0-9-]+(\\.[a-z0-9-]+)*\\.amazonaws\\.com(\\.cn)?$", sender.service))) &&
      (sender.account == null ? true : can(regex("^[0-9]{12}$", sender.account))) &&
      (sender.organization == null ? true : can(regex("^o-[a-z0-9]{10,32}$", sender.organization)))
    ])
    error_message = "A sender is misspelt: service is a principal such as \"s3.amazonaws.com\", account has 12 digits, organization looks like \"o-abc1234567\"."
  }

  validation {
    condition     = var.fifo == null || alltrue([for sender in values(var.senders) : sender.service != "s3.amazonaws.com"])
    error_message = "S3 does not send notifications to a FIFO queue; let the bucket send to EventBridge, and a rule with a message group id to the queue."
  }

  validation {
    condition = var.fifo == null ? true : var.fifo.content_based_deduplication || alltrue([
      for sender in values(var.senders) : sender.service != "events.amazonaws.com"
    ])
    error_message = "EventBridge gives no de-duplication id, so a FIFO queue refuses what it sends; write fifo = { content_based_deduplication = true }, and a message group id into the rule's target: all of its events share that group's throughput."
  }

  validation {
    condition = var.fifo == null || alltrue([
      for sender in values(var.senders) : sender.service != "sns.amazonaws.com" || sender.arn == null ? true : endswith(sender.arn, ".fifo")
    ])
    error_message = "A standard topic cannot deliver to a FIFO queue; subscribe the queue to a FIFO topic (its name ends in .fifo), or leave fifo out."
  }

  validation {
    condition = var.existing_topic == null ? true : alltrue([
      for sender in values(var.senders) : sender.arn == null ? true : sender.arn != var.existing_topic.arn
    ])
    error_message = "A sender is the topic that notifications go to: each notification would come back as an event, until Lambda stops the loop and drops messages. Send events over another topic."
  }
}

variable "dlq_redrive_allow_policy" {
  description = "True: only this pipeline's queue may use the created dead-letter queue as its own. False: any queue of the account may."
  type        = bool
  default     = true
  nullable    = false
}

# --- Encryption ------------------------------------------------------------------------------------------------------

variable "kms" {
  description = "Customer managed key. `key_arn`: a key of yours, which needs the statements of the output `kms_policy_statements`; or `create = true`: one is created with them. `queue`, `topic` and `tables` say what it encrypts; `logs` and `environment` (the functions' variables) are off unless asked for. `data_key_reuse_seconds`: how long SQS reuses a data key, 60 to 86400. Null: SSE-SQS for queues, the keys that AWS owns for tables, logs and environment, none for the topic."
  type = object({
    key_arn                = optional(string)
    create                 = optional(bool, false)
    queue                  = optional(bool, true)
    topic                  = optional(bool, true)
    tables                 = optional(bool, true)
    logs                   = optional(bool, false)
    environment            = optional(bool, false)
    data_key_reuse_seconds = optional(number, 300)
  })
  default = null

  validation {
    condition     = var.kms == null ? true : var.kms.create != (var.kms.key_arn != null)
    error_message = "kms needs either key_arn, the ARN of a key of yours, or create = true."
  }

  validation {
    condition     = var.kms == null ? true : var.kms.key_arn == null ? true : !strcontains(var.kms.key_arn, "alias/aws/")
    error_message = "kms.key_arn is a key that AWS manages, such as alias/aws/sqs: its policy lets no other service or account use it, so nothing from S3, SNS or EventBridge would arrive. Write the ARN of a customer managed key, or leave kms out."
  }

  validation {
    condition     = var.kms == null ? true : var.kms.key_arn == null ? true : strcontains(var.kms.key_arn, "alias/aws/") || can(regex("^arn:[^:]+:kms:[^:]+:[0-9]{12}:key/", var.kms.key_arn))
    error_message = "kms.key_arn is no ARN of a key; write arn:aws:kms:REGION:ACCOUNT:key/ID, not an alias and not the bare id: the roles' policies name the key by it."
  }

  validation {
    condition     = var.kms == null ? true : var.kms.data_key_reuse_seconds >= 60 && var.kms.data_key_reuse_seconds <= 86400
    error_message = "kms.data_key_reuse_seconds must be from 60 to 86400."
  }
}

variable "retired_kms_key_arns" {
  description = "Keys that messages still in the queues may be encrypted with, after `kms` was changed: the consumer may still decrypt with them. Remove them once both queues' retention is over."
  type        = list(string)
  default     = []
  nullable    = false
}

# --- Failures --------------------------------------------------------------------------------------------------------

variable "backoff_base_seconds" {
  description = "Delay after the first failed receive, in seconds; it doubles with each further one. A whole number from 1 to `backoff_cap_seconds`. The actual delay is random between half and all of it."
  type        = number
  default     = 10
  nullable    = false

  validation {
    condition     = var.backoff_base_seconds >= 1 && floor(var.backoff_base_seconds) == var.backoff_base_seconds && var.backoff_base_seconds <= var.backoff_cap_seconds
    error_message = "backoff_base_seconds must be a whole number from 1 to backoff_cap_seconds (${var.backoff_cap_seconds})."
  }
}

variable "backoff_cap_seconds" {
  description = "Longest delay between two receives of a failing message, in seconds, a whole number from 1 to 39600 (11 hours: SQS hides a message for 12 at most, counted from its receive)."
  type        = number
  default     = 900
  nullable    = false

  validation {
    condition     = var.backoff_cap_seconds >= 1 && var.backoff_cap_seconds <= 39600 && floor(var.backoff_cap_seconds) == var.backoff_cap_seconds
    error_message = "backoff_cap_seconds must be a whole number from 1 to 39600."
  }
}

variable "quarantine" {
  description = "True: a message that can never succeed goes to the dead-letter queue at once, with its reason. False: it is returned until SQS moves it. Null: true, and false on a FIFO queue, where quarantine lets the group go on past the bad message."
  type        = bool
  default     = null
}

variable "grouping" {
  description = "True: events that share no key are committed together, up to 100 writes a transaction. False: one transaction an event."
  type        = bool
  default     = true
  nullable    = false
}

# --- Function --------------------------------------------------------------------------------------------------------

variable "consumer_package" {
  description = "Path of a zip with `consumer.mjs` and `relay.mjs`, such as one that bundles your handler. Null: the module's own."
  type        = string
  default     = null

  validation {
    condition     = var.consumer_package == null ? true : fileexists(var.consumer_package)
    error_message = "consumer_package names no file; write the path of the zip, best from $${path.module}."
  }
}

variable "handler_tables" {
  description = "Tables that the handler of `consumer_package` reads and writes, beside the business table, by a label of your choice. `kms_key_arn` null: the table has no customer managed key."
  type = map(object({
    arn         = string
    kms_key_arn = optional(string)
  }))
  default  = {}
  nullable = false

  validation {
    condition     = length(var.handler_tables) == 0 || var.consumer_package != null
    error_message = "handler_tables is for a handler; bring one by consumer_package, or leave handler_tables out."
  }
}

variable "handler_topics" {
  description = "Topics that the handler of `consumer_package` notifies, beside the pipeline's own, by a label of your choice. `kms_key_arn` null: the topic has no customer managed key."
  type = map(object({
    arn         = string
    kms_key_arn = optional(string)
  }))
  default  = {}
  nullable = false

  validation {
    condition     = length(var.handler_topics) == 0 || var.consumer_package != null
    error_message = "handler_topics is for a handler; bring one by consumer_package, or leave handler_topics out."
  }
}

variable "runtime" {
  description = "Lambda runtime of the functions: `nodejs22.x`, or a later one that your provider knows."
  type        = string
  default     = "nodejs22.x"
  nullable    = false

  validation {
    condition     = can(regex("^nodejs(2[2-9]|[3-9][0-9])\\.x$", var.runtime))
    error_message = "runtime is \"${var.runtime}\"; write \"nodejs22.x\" or a later one, since the bundle is built for Node.js 22."
  }
}

variable "architecture" {
  description = "Processor of the functions: `arm64` (cheaper) or `x86_64`."
  type        = string
  default     = "arm64"
  nullable    = false

  validation {
    condition     = contains(["arm64", "x86_64"], var.architecture)
    error_message = "architecture is \"${var.architecture}\"; write \"arm64\" or \"x86_64\"."
  }
}

variable "function_timeout_seconds" {
  description = "Seconds after which Lambda stops an invocation, a whole number from 5 to 900. The consumer stops by itself 1.5 s before."
  type        = number
  default     = 30
  nullable    = false

  validation {
    condition     = var.function_timeout_seconds >= 5 && var.function_timeout_seconds <= 900 && floor(var.function_timeout_seconds) == var.function_timeout_seconds
    error_message = "function_timeout_seconds must be a whole number from 5 to 900; less leaves no time for a call and its retry."
  }
}

variable "function_memory_mb" {
  description = "Memory of the functions in MB, a whole number from 128 to 10240. CPU grows with it, one full core at 1769."
  type        = number
  default     = 512
  nullable    = false

  validation {
    condition     = var.function_memory_mb >= 128 && var.function_memory_mb <= 10240 && floor(var.function_memory_mb) == var.function_memory_mb
    error_message = "function_memory_mb must be a whole number from 128 to 10240."
  }
}

variable "environment" {
  description = "Further environment variables of both functions, such as `AWS_ENDPOINT_URL` or what your handler reads. They share 4096 bytes with the configuration."
  type        = map(string)
  default     = {}
  nullable    = false

  validation {
    condition = length(setintersection(keys(var.environment), [
      "PIPELINE_CONFIG", "PROCESSED_EVENTS_TABLE", "BUSINESS_TABLE", "TOPIC_ARN", "QUEUE_URL", "DLQ_URL", "MODULE_VERSION",
    ])) == 0
    error_message = "environment holds a name that the module sets itself (PIPELINE_CONFIG, PROCESSED_EVENTS_TABLE, BUSINESS_TABLE, TOPIC_ARN, QUEUE_URL, DLQ_URL or MODULE_VERSION); choose another one."
  }

  validation {
    condition     = alltrue([for name in keys(var.environment) : can(regex("^[A-Za-z][A-Za-z0-9_]+$", name))])
    error_message = "A name in environment is not allowed by Lambda; write a letter, then letters, digits and underscores, two characters at least."
  }
}

variable "log_level" {
  description = "Least level of the log lines that the functions write: `DEBUG`, `INFO`, `WARN` or `ERROR`. Metrics are written at any level."
  type        = string
  default     = "INFO"
  nullable    = false

  validation {
    condition     = contains(["DEBUG", "INFO", "WARN", "ERROR"], var.log_level)
    error_message = "log_level is \"${var.log_level}\"; write \"DEBUG\", \"INFO\", \"WARN\" or \"ERROR\"."
  }
}

variable "log_retention_days" {
  description = "Days that log lines are kept: one of the numbers that CloudWatch Logs knows, such as 7, 14, 30, 90 or 365."
  type        = number
  default     = 30
  nullable    = false

  validation {
    condition     = contains([1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653], var.log_retention_days)
    error_message = "log_retention_days is ${var.log_retention_days}; write a number that CloudWatch Logs knows, such as 7, 14, 30, 60, 90, 180 or 365."
  }
}

variable "tracing" {
  description = "True: X-Ray samples traces in the functions. False: a trace that came with the message is passed on, none is begun."
  type        = bool
  default     = false
  nullable    = false
}

variable "existing_log_group" {
  description = "A log group of yours that both functions write to. Null: the module creates one for each."
  type = object({
    name = string
    arn  = string
  })
  default = null

  validation {
    condition     = var.existing_log_group == null ? true : var.existing_log_group.name != null && var.existing_log_group.arn != null
    error_message = "existing_log_group needs name and arn: one of them is null."
  }
}

variable "vpc" {
  description = "Subnets and security groups that the functions run in; `ipv6` for dual-stack subnets. They need a way to DynamoDB, SNS, SQS and KMS: endpoints or a NAT gateway. Null: outside of any VPC."
  type = object({
    subnet_ids         = list(string)
    security_group_ids = list(string)
    ipv6               = optional(bool, false)
  })
  default = null

  validation {
    condition     = var.vpc == null ? true : try(length(var.vpc.subnet_ids) > 0, false) && try(length(var.vpc.security_group_ids) > 0, false)
    error_message = "vpc needs at least one of subnet_ids and one of security_group_ids."
  }
}

variable "permissions_boundary_arn" {
  description = "ARN of the IAM policy that bounds the functions' roles. Null: none."
  type        = string
  default     = null
}

variable "iam_path" {
  description = "Path of the functions' roles, starting and ending with a slash."
  type        = string
  default     = "/"
  nullable    = false

  validation {
    condition     = can(regex("^/([!-.0-~]+/)*$", var.iam_path)) && length(var.iam_path) <= 512
    error_message = "iam_path must start and end with a slash, such as \"/pipelines/\"."
  }
}

variable "deployment" {
  description = "Presence publishes a version with every change and puts the mapping on the alias `live`. `stable_version` and `weight`: a gradual shift, in which the alias stays on that version and gives the newest a share between 0 and 1. Without them the alias follows the newest version. Null: no versions; a change is live at once."
  type = object({
    stable_version = optional(string)
    weight         = optional(number)
  })
  default = null

  validation {
    condition     = var.deployment == null ? true : (var.deployment.stable_version == null) == (var.deployment.weight == null)
    error_message = "deployment.stable_version and deployment.weight go together: the version that keeps the rest of the traffic, and the newest one's share."
  }

  validation {
    condition     = var.deployment == null ? true : var.deployment.weight == null ? true : var.deployment.weight >= 0 && var.deployment.weight <= 1
    error_message = "deployment.weight must be from 0 to 1, such as 0.1 for every tenth invocation."
  }

  validation {
    condition     = var.deployment == null ? true : var.deployment.stable_version == null ? true : can(regex("^[0-9]+$", var.deployment.stable_version))
    error_message = "deployment.stable_version must be the number of a published version, such as \"7\"."
  }
}

# --- Scaling ---------------------------------------------------------------------------------------------------------

variable "enabled" {
  description = "False: consumption stops and messages wait in the queue; nothing else changes."
  type        = bool
  default     = true
  nullable    = false
}

variable "batch_size" {
  description = "Most messages of one invocation, a whole number from 1 to 10000; above 10 needs `batching_window_seconds` of 1 or more. FIFO: 1 to 10."
  type        = number
  default     = 10
  nullable    = false

  validation {
    condition     = var.batch_size >= 1 && var.batch_size <= 10000 && floor(var.batch_size) == var.batch_size
    error_message = "batch_size must be a whole number from 1 to 10000."
  }

  validation {
    condition     = var.fifo == null || var.batch_size <= 10
    error_message = "batch_size is ${var.batch_size}; Lambda takes 10 messages of a FIFO queue at most. Write 10 or less."
  }

  validation {
    condition     = var.batch_size <= 10 || var.batching_window_seconds >= 1
    error_message = "batch_size is ${var.batch_size}; above 10 Lambda asks for a window. Write batching_window_seconds = 1."
  }
}

variable "batching_window_seconds" {
  description = "Seconds that Lambda waits for a fuller batch, a whole number from 0 to 300. On a quiet queue a window can add up to 20 s to a message. FIFO: 0."
  type        = number
  default     = 0
  nullable    = false

  validation {
    condition     = var.batching_window_seconds >= 0 && var.batching_window_seconds <= 300 && floor(var.batching_window_seconds) == var.batching_window_seconds
    error_message = "batching_window_seconds must be a whole number from 0 to 300."
  }

  validation {
    condition     = var.fifo == null || var.batching_window_seconds == 0
    error_message = "Lambda knows no batching window for FIFO queues; leave batching_window_seconds out."
  }
}

variable "maximum_concurrency" {
  description = "Most invocations that this queue may run at once, a whole number from 2 up to what the provider allows. Null: no limit but the account's."
  type        = number
  default     = 50

  validation {
    condition     = var.maximum_concurrency == null ? true : var.maximum_concurrency >= 2 && floor(var.maximum_concurrency) == var.maximum_concurrency
    error_message = "maximum_concurrency must be a whole number from 2, the least that Lambda allows; null leaves the limit out."
  }
}

variable "provisioned_pollers" {
  description = "Pollers that Lambda keeps ready for this queue: `minimum` from 2 to 200, `maximum` from 2 to 2000. Instead of `maximum_concurrency`, which must be null then. Null: Lambda scales pollers as it sees fit."
  type = object({
    minimum = number
    maximum = number
  })
  default = null

  validation {
    condition     = var.provisioned_pollers == null || var.maximum_concurrency == null
    error_message = "Lambda takes provisioned_pollers or maximum_concurrency, not both; write maximum_concurrency = null beside provisioned_pollers."
  }

  validation {
    condition = var.provisioned_pollers == null ? true : try(alltrue([
      for pollers in [var.provisioned_pollers.minimum, var.provisioned_pollers.maximum] : pollers >= 2 && floor(pollers) == pollers
    ]) && var.provisioned_pollers.minimum <= var.provisioned_pollers.maximum, false)
    error_message = "provisioned_pollers.minimum and maximum must be whole numbers from 2, the minimum not above the maximum."
  }
}

variable "reserved_concurrency" {
  description = "Concurrent executions that are set aside for the consumer, a whole number of at least `maximum_concurrency`: with less, messages are received, throttled and moved to the dead-letter queue without ever being tried. Null: none; use `maximum_concurrency` to limit."
  type        = number
  default     = null

  validation {
    condition     = var.reserved_concurrency == null ? true : var.reserved_concurrency >= 1 && floor(var.reserved_concurrency) == var.reserved_concurrency
    error_message = "reserved_concurrency must be a whole number from 1; to stop consumption write enabled = false."
  }

  validation {
    condition = var.reserved_concurrency == null ? true : (
      var.maximum_concurrency != null ? var.reserved_concurrency >= coalesce(var.maximum_concurrency, 0) :
      var.provisioned_pollers != null ? var.reserved_concurrency >= 10 * var.provisioned_pollers.maximum : false
    )
    error_message = "reserved_concurrency is below what the queue may use, so unprocessed messages would end in the dead-letter queue. Write maximum_concurrency too, not above reserved_concurrency (with provisioned_pollers: reserve 10 for each of its maximum)."
  }
}

variable "provisioned_concurrency" {
  description = "Execution environments that are kept warm behind the alias, a whole number from 1; needs `deployment = {}` without a gradual shift. Null: none."
  type        = number
  default     = null

  validation {
    condition     = var.provisioned_concurrency == null ? true : var.provisioned_concurrency >= 1 && floor(var.provisioned_concurrency) == var.provisioned_concurrency && var.provisioned_concurrency <= (var.reserved_concurrency == null ? var.provisioned_concurrency : var.reserved_concurrency)
    error_message = "provisioned_concurrency must be a whole number from 1, and not above reserved_concurrency."
  }

  validation {
    condition     = var.provisioned_concurrency == null ? true : var.deployment == null ? false : var.deployment.weight == null
    error_message = "provisioned_concurrency needs deployment = {}: it is kept for the version of an alias, and Lambda refuses it while the alias shifts between two."
  }
}

# --- Tables ----------------------------------------------------------------------------------------------------------

variable "existing_processed_events_table" {
  description = "A table of yours in this account and Region, in the shape of `modules/tables`, that pipelines share (see `event_id_prefix`). `kms_key_arn` null: it has no customer managed key. Null: the module creates one."
  type = object({
    arn         = string
    kms_key_arn = optional(string)
  })
  default = null

  validation {
    condition     = var.existing_processed_events_table == null ? true : var.existing_processed_events_table.arn != null
    error_message = "existing_processed_events_table.arn is null; write the table's ARN, or leave existing_processed_events_table out."
  }
}

variable "existing_business_table" {
  description = "A table of yours in this account and Region that business items are written to; its keys are named by `business_hash_key_name` and its siblings. `kms_key_arn` null: it has no customer managed key. Null: the module creates one."
  type = object({
    arn         = string
    kms_key_arn = optional(string)
  })
  default = null

  validation {
    condition     = var.existing_business_table == null ? true : var.existing_business_table.arn != null
    error_message = "existing_business_table.arn is null; write the table's ARN, or leave existing_business_table out."
  }
}

variable "business_hash_key_name" {
  description = "Name of the business table's hash key attribute, 1 to 255 bytes. Changing it replaces a table that the module created."
  type        = string
  default     = "pk"
  nullable    = false

  validation {
    condition     = length(var.business_hash_key_name) >= 1 && length(base64encode(var.business_hash_key_name)) <= 340
    error_message = "business_hash_key_name must have 1 to 255 bytes."
  }
}

variable "business_hash_key_type" {
  description = "Type of the business table's hash key: `S` (string) or `N` (number)."
  type        = string
  default     = "S"
  nullable    = false

  validation {
    condition     = contains(["S", "N"], var.business_hash_key_type)
    error_message = "business_hash_key_type is \"${var.business_hash_key_type}\"; write \"S\" or \"N\"."
  }
}

variable "business_sort_key_name" {
  description = "Name of the business table's sort key attribute, 1 to 255 bytes; used when `business_sort_key` is set. Changing it replaces a table that the module created."
  type        = string
  default     = "sk"
  nullable    = false

  validation {
    condition     = length(var.business_sort_key_name) >= 1 && length(base64encode(var.business_sort_key_name)) <= 340 && var.business_sort_key_name != var.business_hash_key_name
    error_message = "business_sort_key_name must have 1 to 255 bytes and differ from business_hash_key_name."
  }
}

variable "business_sort_key_type" {
  description = "Type of the business table's sort key: `S` (string) or `N` (number); used when `business_sort_key` is set."
  type        = string
  default     = "S"
  nullable    = false

  validation {
    condition     = contains(["S", "N"], var.business_sort_key_type)
    error_message = "business_sort_key_type is \"${var.business_sort_key_type}\"; write \"S\" or \"N\"."
  }
}

variable "processed_events_retention_days" {
  description = "Days that a row of `processed_events` is kept after its event was sent, a whole number. At least 2 x queue retention + DLQ retention, so that a redriven message is still recognised."
  type        = number
  default     = 30
  nullable    = false

  validation {
    condition     = floor(var.processed_events_retention_days) == var.processed_events_retention_days && var.processed_events_retention_days * 86400 >= local.least_retention_seconds
    error_message = "processed_events_retention_days must be a whole number of at least ${ceil(local.least_retention_seconds / 86400)}: twice the queue's retention plus the dead-letter queue's, or a message that is redriven late would be written a second time."
  }
}

variable "deletion_protection" {
  description = "True: DynamoDB refuses to delete the tables that the module created, since losing `processed_events` is losing exactly-once. To remove the pipeline, set it to false, apply, then destroy."
  type        = bool
  default     = true
  nullable    = false
}

variable "point_in_time_recovery" {
  description = "True: the tables that the module created can be restored to any second of the last 35 days."
  type        = bool
  default     = true
  nullable    = false
}

variable "throughput_caps" {
  description = "Most units a second that each on-demand table which the module created may use, whole numbers from 1: a limit of cost, beyond which DynamoDB throttles. One that is null has no cap. To take a cap away again write -1 and keep it: the provider cannot remove one by leaving it out. Null: no caps."
  type = object({
    processed_events_read_units  = optional(number)
    processed_events_write_units = optional(number)
    business_read_units          = optional(number)
    business_write_units         = optional(number)
  })
  default = null

  validation {
    condition = var.throughput_caps == null ? true : alltrue([
      for cap in values(var.throughput_caps) : cap == null ? true : cap == -1 || (cap >= 1 && floor(cap) == cap)
    ])
    error_message = "Each of throughput_caps must be a whole number from 1, or -1 for no cap."
  }
}

# --- Topic -----------------------------------------------------------------------------------------------------------

variable "existing_topic" {
  description = "A topic of yours that notifications go to. `kms_key_arn` null: it has no customer managed key. Null: the module creates one."
  type = object({
    arn         = string
    kms_key_arn = optional(string)
  })
  default = null

  validation {
    condition     = var.existing_topic == null ? true : var.existing_topic.arn != null
    error_message = "existing_topic.arn is null; write the topic's ARN, or leave existing_topic out."
  }

  validation {
    condition     = var.existing_topic == null ? true : endswith(coalesce(var.existing_topic.arn, "-"), ".fifo") == local.topic_fifo
    error_message = "existing_topic.arn and the topic's type contradict each other; write topic_fifo = ${!local.topic_fifo}."
  }
}

variable "topic_fifo" {
  description = "True: the topic, created or existing, is FIFO. Null: as the queue is."
  type        = bool
  default     = null
}

variable "topic_max_bytes" {
  description = "Most bytes that the topic takes in one call, attributes included, a whole number from 1024 to 262144."
  type        = number
  default     = 262144
  nullable    = false

  validation {
    condition     = var.topic_max_bytes >= 1024 && var.topic_max_bytes <= 262144 && floor(var.topic_max_bytes) == var.topic_max_bytes
    error_message = "topic_max_bytes must be a whole number from 1024 to 262144, the most that SNS takes."
  }
}

variable "subscribers" {
  description = "Who outside of this account may subscribe to the topic that the module creates, by a label of your choice: an `account` id or an `organization` id."
  type = map(object({
    account      = optional(string)
    organization = optional(string)
  }))
  default  = {}
  nullable = false

  validation {
    condition     = length(var.subscribers) == 0 || var.existing_topic == null
    error_message = "subscribers is for the topic that the module creates; the policy of an existing topic is yours."
  }

  validation {
    condition = alltrue([
      for subscriber in values(var.subscribers) :
      (subscriber.account == null) != (subscriber.organization == null) &&
      (subscriber.account == null ? true : can(regex("^[0-9]{12}$", subscriber.account))) &&
      (subscriber.organization == null ? true : can(regex("^o-[a-z0-9]{10,32}$", subscriber.organization)))
    ])
    error_message = "Each of subscribers is { account } with 12 digits, or { organization } such as \"o-abc1234567\"."
  }
}

variable "subscriptions" {
  description = "Subscriptions of the topic that the module creates, by a label of your choice: `protocol` and `endpoint`, as SNS names them; `raw_message_delivery` (true sends the message alone, with its attributes); `filter_policy` (JSON text) and `filter_policy_scope`; `dlq_arn` keeps what the endpoint did not take."
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

  validation {
    condition     = length(var.subscriptions) == 0 || var.existing_topic == null
    error_message = "subscriptions is for the topic that the module creates; subscribe to your existing topic where you manage it."
  }

  validation {
    condition = alltrue([
      for subscription in values(var.subscriptions) :
      contains(["sqs", "lambda", "firehose", "application", "email", "email-json", "http", "https", "sms"], subscription.protocol) && (subscription.protocol == "sqs" || !local.topic_fifo)
    ])
    error_message = "A protocol in subscriptions is not one of sqs, lambda, firehose, http, https, email, email-json, sms and application, or is not sqs on a FIFO topic, which delivers to SQS queues only."
  }

  validation {
    condition = alltrue([
      for subscription in values(var.subscriptions) :
      subscription.endpoint != try(var.existing_queue.arn, "-") &&
      !(var.existing_queue == null && subscription.protocol == "sqs" && endswith(subscription.endpoint, ":${var.name}${var.fifo == null ? "" : ".fifo"}"))
    ])
    error_message = "A subscription's endpoint is the pipeline's own queue: each notification would come back as an event, until Lambda stops the loop and drops messages."
  }
}

# --- Relay -----------------------------------------------------------------------------------------------------------

variable "relay" {
  description = "The scheduled function that publishes what a crash left behind. `interval_minutes`: a whole number from 1 to 1440. `sweep`: each run also scans one part of the table; `sweep_hours`: hours in which the whole table is scanned once, 1 to 168. Null: no relay; a row whose message is gone then stays `pending` for ever."
  type = object({
    interval_minutes = optional(number, 5)
    sweep            = optional(bool, true)
    sweep_hours      = optional(number, 24)
  })
  default = {}

  validation {
    condition     = var.relay == null ? true : var.relay.interval_minutes >= 1 && var.relay.interval_minutes <= 1440 && floor(var.relay.interval_minutes) == var.relay.interval_minutes
    error_message = "relay.interval_minutes must be a whole number from 1 to 1440."
  }

  validation {
    condition     = var.relay == null ? true : var.relay.sweep_hours >= 1 && var.relay.sweep_hours <= 168 && var.relay.sweep_hours * 60 >= var.relay.interval_minutes && floor(var.relay.sweep_hours) == var.relay.sweep_hours
    error_message = "relay.sweep_hours must be a whole number from 1 to 168, and not shorter than one interval."
  }
}

# --- Alarms ----------------------------------------------------------------------------------------------------------

variable "alarms" {
  description = "True: the alarms of `modules/observability` and one composite alarm. False: none."
  type        = bool
  default     = true
  nullable    = false
}

variable "alarm_thresholds" {
  description = "Thresholds of the alarms, by name, over the defaults of `modules/observability`; null switches an alarm off."
  type        = map(number)
  default     = {}
  nullable    = false

  validation {
    condition     = length(setsubtract(keys(var.alarm_thresholds), local.alarm_names)) == 0
    error_message = "alarm_thresholds names alarms that do not exist (${join(", ", setsubtract(keys(var.alarm_thresholds), local.alarm_names))}); there are ${join(", ", local.alarm_names)}."
  }
}

variable "alarm_topic_arns" {
  description = "Topics that are told when an alarm goes off and when it is over. Not the pipeline's own: its subscribers expect events. Empty: the alarms change their state and tell nobody."
  type        = list(string)
  default     = []
  nullable    = false
}

variable "runbook_url" {
  description = "Where the module's docs/operations.md can be read; each alarm's description links its section of it."
  type        = string
  default     = "docs/operations.md"
  nullable    = false
}

variable "dashboard" {
  description = "True: a CloudWatch dashboard named after the pipeline. The first three of an account cost nothing."
  type        = bool
  default     = true
  nullable    = false
}

# --- Everything ------------------------------------------------------------------------------------------------------

variable "tags" {
  description = "Tags of everything that takes tags."
  type        = map(string)
  default     = {}
  nullable    = false
}
