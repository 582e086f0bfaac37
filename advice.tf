# Legal, and probably not meant: sentences for the output `advice`. A refusal is a validation; this is none.

locals {
  advice = [
    for entry in [
      {
        when = local.max_receive_count < 5
        say  = "max_receive_count is ${local.max_receive_count}: a few lost receives, by throttling or a deploy, are enough for the dead-letter queue; 5 or more leave room."
      },
      {
        when = local.retry_budget_seconds < 300
        say  = "An outage of more than ${floor(local.retry_budget_seconds)} seconds moves messages to the dead-letter queue; raise max_receive_count or backoff_base_seconds for more."
      },
      {
        when = local.visibility_timeout_seconds < 6 * var.function_timeout_seconds + var.batching_window_seconds
        say  = "The visibility timeout is ${local.visibility_timeout_seconds} s, below 6 x function timeout + window (${6 * var.function_timeout_seconds + var.batching_window_seconds} s): throttled batches come back while Lambda still tries them."
      },
      {
        when = local.dlq_message_retention_seconds <= local.message_retention_seconds && var.fifo == null
        say  = "The dead-letter queue keeps messages no longer than the queue, and on a standard queue their age goes on counting: one that is moved late is gone soon."
      },
      {
        when = var.batch_size > 50 * var.function_timeout_seconds
        say  = "batch_size is ${var.batch_size} for a timeout of ${var.function_timeout_seconds} s: what is not started in time is returned untried; ${50 * var.function_timeout_seconds} or less is safer."
      },
      {
        when = var.maximum_concurrency == null && var.provisioned_pollers == null && var.reserved_concurrency == null
        say  = "Nothing limits the consumer but the account's concurrency: a backlog can throttle every other function; write maximum_concurrency."
      },
      {
        when = var.relay == null
        say  = "There is no relay: an event whose process crashed after its commit, and whose message is gone, is never announced."
      },
      {
        when = var.relay == null ? false : !var.relay.sweep
        say  = "The relay does not sweep: rows of which every redelivery crashed before its takeover are not found."
      },
      {
        when = var.fifo != null && local.quarantine
        say  = "quarantine is on for a FIFO queue: a group goes on past a message that can never succeed."
      },
      {
        when = !var.deletion_protection && (var.existing_processed_events_table == null || local.create_business_table)
        say  = "deletion_protection is off: a destroy deletes processed_events, and with it the memory of what was done."
      },
      {
        when = !var.point_in_time_recovery && (var.existing_processed_events_table == null || local.create_business_table)
        say  = "point_in_time_recovery is off: deleted or damaged rows cannot be brought back."
      },
      {
        when = var.alarms && length(var.alarm_topic_arns) == 0
        say  = "alarm_topic_arns is empty: alarms change their state, and nobody is told."
      },
      {
        when = !var.alarms
        say  = "alarms is false: nobody is told when messages reach the dead-letter queue."
      },
    ] : entry.say if entry.when
  ]
}
