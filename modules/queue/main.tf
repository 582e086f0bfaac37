locals {
  suffix    = var.fifo == null ? "" : ".fifo"
  queue_arn = "arn:${var.aws.partition}:sqs:${var.aws.region}:${var.aws.account_id}:${var.name}${local.suffix}"
  dlq_arn   = "arn:${var.aws.partition}:sqs:${var.aws.region}:${var.aws.account_id}:${var.name}-dlq${local.suffix}"
}

resource "aws_sqs_queue" "main" {
  # The suffix follows `fifo`; nothing else in this module may force a replacement.
  name       = "${var.name}${local.suffix}"
  fifo_queue = var.fifo != null

  content_based_deduplication = var.fifo == null ? null : var.fifo.content_based_deduplication
  deduplication_scope         = local.deduplication_scope
  fifo_throughput_limit       = local.fifo_throughput_limit

  visibility_timeout_seconds = var.visibility_timeout_seconds
  message_retention_seconds  = var.message_retention_seconds
  delay_seconds              = var.delay_seconds
  max_message_size           = var.max_message_bytes

  # The two ways of encryption exclude each other: with a key the switch must be null, or every plan shows a change.
  sqs_managed_sse_enabled           = var.kms == null ? true : null
  kms_master_key_id                 = var.kms == null ? null : var.kms.key_arn
  kms_data_key_reuse_period_seconds = var.kms == null ? null : var.kms.data_key_reuse_seconds

  # Inline: each of these as a resource of its own waits another 25 s in the provider.
  policy = local.queue_policy
  redrive_policy = jsonencode({
    deadLetterTargetArn = var.existing_dlq == null ? one(aws_sqs_queue.dlq[*].arn) : var.existing_dlq.arn
    maxReceiveCount     = var.max_receive_count
  })

  tags = var.tags
}

resource "aws_sqs_queue" "dlq" {
  count = var.existing_dlq == null ? 1 : 0

  name       = "${var.name}-dlq${local.suffix}"
  fifo_queue = var.fifo != null

  # The consumer names a de-duplication id for what it quarantines; throughput follows the queue.
  content_based_deduplication = var.fifo == null ? null : false
  deduplication_scope         = local.deduplication_scope
  fifo_throughput_limit       = local.fifo_throughput_limit

  message_retention_seconds = var.dlq_message_retention_seconds
  max_message_size          = var.max_message_bytes

  sqs_managed_sse_enabled           = var.kms == null ? true : null
  kms_master_key_id                 = var.kms == null ? null : var.kms.key_arn
  kms_data_key_reuse_period_seconds = var.kms == null ? null : var.kms.data_key_reuse_seconds

  policy = local.dlq_policy

  # The queue is named by an ARN built as text: a reference would close a cycle with its redrive_policy. Switched off
  # is an explicit `allowAll`, since the argument is computed and null would change nothing.
  redrive_allow_policy = (
    var.dlq_redrive_allow_policy
    ? jsonencode({ redrivePermission = "byQueue", sourceQueueArns = [local.queue_arn] })
    : jsonencode({ redrivePermission = "allowAll" })
  )

  tags = var.tags
}

locals {
  # Off is explicit here as well: "queue" and "perQueue" are what AWS calls the ordinary limits.
  high_throughput       = var.fifo == null ? false : var.fifo.high_throughput
  deduplication_scope   = var.fifo == null ? null : local.high_throughput ? "messageGroup" : "queue"
  fifo_throughput_limit = var.fifo == null ? null : local.high_throughput ? "perMessageGroupId" : "perQueue"
}
