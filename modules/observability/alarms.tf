# One entry an alarm: what it watches, from which value on, and what to do. A default has its reason beside it.

locals {
  five_minutes = 300

  pipeline = { pipeline = var.name }
  queue    = { QueueName = var.queue_name }
  dlq      = { QueueName = var.dlq_name }
  consumer = { FunctionName = var.consumer_name }
  topic    = { TopicName = var.topic_name }

  defaults = {
    # The first message is one too many: it has failed for good, and its retention is running.
    dlq_messages = 0
    # Three times the longest delay between two receives. SQS leaves out messages that were received three times.
    oldest_message_seconds = 2700
    # 80 % of the 120,000 that SQS allows; beyond them it delivers nothing more. Backoff holds messages in flight.
    in_flight_messages = 96000
    # The consumer answers for each message and never throws for one: an error is a crash, a timeout or a bad deploy.
    function_errors = 0
    # A throttled batch has been received without being tried, and counts towards the dead-letter queue.
    function_throttles = 0
    # The consumer stops 1.5 s before its timeout by itself; so close to it for 15 minutes, it defers work every time.
    function_duration_percent = 90
    # Near the limit for 15 minutes, the queue is not drained as fast as it could be.
    concurrency_percent = 90
    # Single throttles are normal while an on-demand table doubles its peak; 15 minutes of them are not.
    table_throttles = 0
    # What SNS could not deliver is lost unless the subscription has a dead-letter queue.
    notifications_failed = 0
    # The relay takes rows within minutes; so many at once are an outage of the topic.
    rows_in_trouble = 1000
    # Since the commit, whether the run then published the row or not. The relay runs every few minutes: an hour, in two
    # periods running, is a row that it cannot publish, or are several that only the sweep could find.
    oldest_row_in_trouble_seconds = 3600
    # Most of a batch was permanent, and quarantine is held back: a bad deploy, or another kind of message.
    breaker_open = 0
    # A quarter of all receives failing for 15 minutes is more than single messages.
    failed_percent = 25
    # Each is a message that can never succeed as it is.
    quarantined_messages = 0
    # Two different events under one id: the producer's ids are not unique.
    payload_mismatches = 0
    # Rows disappeared between publish and mark: somebody deletes from the table.
    rows_missing_at_mark = 0
    # For 15 minutes, every invocation ran out of time.
    deferred_at_deadline = 0
    # Single waits are normal after a crash; hundreds in five minutes mean that deliveries overlap all the time.
    lease_waits = 100
    # The relay retries in its next run; three failed runs in a row do not repair themselves.
    relay_errors = 0
    # Notifications that the relay could not publish either, for 15 minutes.
    relay_failures = 0
    # The sweep is exhaustive only when each run finishes its part.
    sweeps_incomplete = 0
    # Off: how long a pause is normal, only its owner knows.
    no_traffic_minutes = null
  }

  # By an id that CloudWatch takes: a lower-case letter first.
  throttle_metrics = merge([
    for label, table in var.table_names : {
      for kind in ["Read", "Write"] : "${label}_${lower(kind)}" => {
        namespace = "AWS/DynamoDB", name = "${kind}ThrottleEvents", stat = "Sum", dimensions = { TableName = table }
      }
    }
  ]...)

  # Where nothing is quarantined, what can never succeed is returned, for hours on a standard queue until SQS moves it.
  permanent = var.quarantine ? {
    metric = { namespace = "idempotent-pipeline", name = "Quarantined", stat = "Sum", dimensions = local.pipeline }
    advice = "Messages that can never succeed went to the dead-letter queue. Their attribute error_type is the reason."
    } : {
    metric = { namespace = "idempotent-pipeline", name = "Failed", stat = "Sum", dimensions = merge(local.pipeline, { reason = "quarantine_off" }) }
    advice = "Messages that can never succeed are returned to the queue: quarantine is off. The log says permanent_reason for each."
  }

  thresholds = merge(local.defaults, var.thresholds)

  definitions = {
    dlq_messages = {
      metric    = { namespace = "AWS/SQS", name = "ApproximateNumberOfMessagesVisible", stat = "Maximum", dimensions = local.dlq }
      advice    = "Messages have failed for good and lie in the dead-letter queue. Read their reasons, repair the cause, redrive."
      points    = 1
      unhealthy = true
    }
    oldest_message_seconds = {
      metric    = { namespace = "AWS/SQS", name = "ApproximateAgeOfOldestMessage", stat = "Maximum", dimensions = local.queue }
      advice    = "The queue is not drained. Look whether the consumer runs, fails, or is at its concurrency."
      points    = 3
      unhealthy = true
    }
    in_flight_messages = {
      metric    = { namespace = "AWS/SQS", name = "ApproximateNumberOfMessagesNotVisible", stat = "Maximum", dimensions = local.queue }
      advice    = "So many messages wait for their next attempt that SQS will soon deliver nothing more. Find why they fail."
      points    = 1
      unhealthy = true
    }
    function_errors = {
      metric    = { namespace = "AWS/Lambda", name = "Errors", stat = "Sum", dimensions = local.consumer }
      advice    = "Invocations of the consumer crashed or timed out as a whole. Read the log; roll back a deploy."
      points    = 2
      unhealthy = true
    }
    function_throttles = {
      metric    = { namespace = "AWS/Lambda", name = "Throttles", stat = "Sum", dimensions = local.consumer }
      advice    = "The consumer is throttled: the account or its reservation has no concurrency left. Messages may reach the dead-letter queue untried."
      points    = 3
      unhealthy = false
    }
    function_duration_percent = {
      metric    = { namespace = "AWS/Lambda", name = "Duration", stat = "Maximum", dimensions = local.consumer }
      factor    = var.consumer_timeout_seconds * 1000 / 100
      advice    = "Invocations use up their time. Lower batch_size, or raise function_memory_mb or function_timeout_seconds."
      points    = 3
      unhealthy = false
    }
    concurrency_percent = {
      metric    = { namespace = "AWS/Lambda", name = "ConcurrentExecutions", stat = "Maximum", dimensions = local.consumer }
      factor    = var.concurrency_limit == null ? null : var.concurrency_limit / 100
      advice    = "The consumer is at its limit of concurrency. If the queue grows as well, raise maximum_concurrency or batch_size."
      points    = 3
      unhealthy = false
    }
    table_throttles = {
      metrics    = local.throttle_metrics
      expression = join(" + ", [for id in keys(local.throttle_metrics) : "FILL(${id}, 0)"])
      advice     = "DynamoDB throttles a table. Look for a hot key, a cap in throughput_caps, or the account's quota."
      points     = 3
      unhealthy  = false
    }
    notifications_failed = {
      metric    = { namespace = "AWS/SNS", name = "NumberOfNotificationsFailed", stat = "Sum", dimensions = local.topic }
      advice    = "SNS could not deliver notifications to a subscriber. Repair the endpoint; give the subscription a dead-letter queue."
      points    = 1
      unhealthy = true
    }
    rows_in_trouble = {
      metric    = { namespace = "idempotent-pipeline", name = "RowsInTrouble", stat = "Maximum", dimensions = local.pipeline }
      advice    = "Many events are committed and not announced. Look whether SNS takes anything at all."
      points    = 3
      unhealthy = true
    }
    oldest_row_in_trouble_seconds = {
      metric    = { namespace = "idempotent-pipeline", name = "OldestRowInTrouble", stat = "Maximum", dimensions = local.pipeline }
      advice    = "The relay found a row still pending so long after its commit. If it could not publish it either, its log names the event."
      points    = 2
      unhealthy = true
    }
    breaker_open = {
      metric    = { namespace = "idempotent-pipeline", name = "BreakerOpen", stat = "Sum", dimensions = local.pipeline }
      advice    = "Most messages of a batch are refused as permanent, so none is quarantined. Roll back the last deploy, or stop the producer."
      points    = 1
      unhealthy = true
    }
    failed_percent = {
      metrics = {
        failed   = { namespace = "idempotent-pipeline", name = "Failed", stat = "Sum", dimensions = local.pipeline }
        received = { namespace = "idempotent-pipeline", name = "Received", stat = "Sum", dimensions = local.pipeline }
      }
      expression = "100 * failed / received"
      advice     = "A large part of all messages is returned to the queue. The metric Failed by reason says why."
      points     = 3
      unhealthy  = true
    }
    quarantined_messages = {
      metric    = local.permanent.metric
      advice    = local.permanent.advice
      points    = 1
      unhealthy = false
    }
    payload_mismatches = {
      metric    = { namespace = "idempotent-pipeline", name = "PayloadMismatches", stat = "Sum", dimensions = local.pipeline }
      advice    = "Two different events came under one id. The second is in the dead-letter queue; the producer must repair its ids."
      points    = 1
      unhealthy = false
    }
    rows_missing_at_mark = {
      metric    = { namespace = "idempotent-pipeline", name = "RowMissingAtMark", stat = "Sum", dimensions = local.pipeline }
      advice    = "Rows of processed_events disappear while they are worked on. Find who deletes them: their events can be written twice."
      points    = 1
      unhealthy = true
    }
    deferred_at_deadline = {
      metric    = { namespace = "idempotent-pipeline", name = "DeferredAtDeadline", stat = "Sum", dimensions = local.pipeline }
      advice    = "Invocations run out of time and return messages untried. Lower batch_size, or raise function_memory_mb."
      points    = 3
      unhealthy = false
    }
    lease_waits = {
      metric    = { namespace = "idempotent-pipeline", name = "LeaseWaits", stat = "Sum", dimensions = local.pipeline }
      advice    = "Deliveries of one event overlap all the time. Look for crashes, for a visibility timeout that is too short, or for a producer that sends twice."
      points    = 3
      unhealthy = false
    }
    relay_errors = {
      metric    = var.relay == null ? null : { namespace = "AWS/Lambda", name = "Errors", stat = "Sum", dimensions = { FunctionName = var.relay.name } }
      advice    = "The relay crashes. What crashes of the consumer leave behind is not announced. Read its log."
      points    = 3
      unhealthy = true
    }
    relay_failures = {
      metric    = var.relay == null ? null : { namespace = "idempotent-pipeline", name = "RelayFailed", stat = "Sum", dimensions = local.pipeline }
      advice    = "The relay finds notifications that it cannot publish or mark. Its log has the event ids and the errors."
      points    = 3
      unhealthy = false
    }
    sweeps_incomplete = {
      metric    = var.relay == null ? null : { namespace = "idempotent-pipeline", name = "SweepIncomplete", stat = "Sum", dimensions = local.pipeline }
      advice    = "The relay does not finish its part of the table. Raise relay.sweep_hours, or function_timeout_seconds."
      points    = 3
      unhealthy = false
    }
    no_traffic_minutes = {
      metric    = { namespace = "AWS/SQS", name = "NumberOfMessagesSent", stat = "Sum", dimensions = local.queue }
      advice    = "No message arrived for the time given. Look at the producer, and at the policy of the queue."
      points    = 1
      silence   = true
      unhealthy = false
    }
  }

  # What a definition leaves out: one metric as it is, compared with the threshold as it is.
  plain = { metric = null, metrics = {}, expression = null, factor = 1, silence = false }

  # Off: no threshold, or nothing to watch.
  alarms = {
    for name, definition in local.definitions : name => merge(local.plain, definition, { threshold = local.thresholds[name] })
    if var.alarms && local.thresholds[name] != null && local.applies[name]
  }
  applies = {
    for name in keys(local.definitions) : name => (
      contains(["relay_errors", "relay_failures", "sweeps_incomplete"], name) ? var.relay != null :
      name == "concurrency_percent" ? var.concurrency_limit != null : true
    )
  }
}
