# Which key encrypts what, which keys the functions may use, and what a key's policy must say for all of it.

locals {
  create_key = var.kms == null ? false : var.kms.create
  key_arn    = var.kms == null ? null : local.create_key ? one(module.key[*].key.arn) : var.kms.key_arn
  key        = var.kms == null ? null : { key_arn = local.key_arn }

  # The switches are known at plan where the ARN is not.
  encrypts = {
    queue       = var.kms == null ? false : var.kms.queue && var.existing_queue == null
    topic       = var.kms == null ? false : var.kms.topic && var.existing_topic == null
    tables      = var.kms == null ? false : var.kms.tables
    logs        = var.kms == null ? false : var.kms.logs && var.existing_log_group == null
    environment = var.kms == null ? false : var.kms.environment
  }

  queue_kms = local.encrypts.queue ? {
    key_arn                = local.key_arn
    data_key_reuse_seconds = var.kms.data_key_reuse_seconds
  } : null
  topic_kms       = local.encrypts.topic ? local.key : null
  table_kms       = local.encrypts.tables ? local.key : null
  log_kms         = local.encrypts.logs ? local.key : null
  environment_kms = local.encrypts.environment ? local.key : null

  queue_key_arns = distinct(compact(concat(
    local.encrypts.queue ? [local.key_arn] : [],
    var.existing_queue == null ? [] : [var.existing_queue.kms_key_arn],
    var.existing_dlq == null ? [] : [var.existing_dlq.kms_key_arn],
    var.retired_kms_key_arns,
  )))
  topic_key_arns = distinct(compact(concat(
    local.encrypts.topic ? [local.key_arn] : [],
    var.existing_topic == null ? [] : [var.existing_topic.kms_key_arn],
    [for topic in values(var.handler_topics) : topic.kms_key_arn],
  )))
  events_key_arns = distinct(compact(concat(
    local.encrypts.tables && var.existing_processed_events_table == null ? [local.key_arn] : [],
    var.existing_processed_events_table == null ? [] : [var.existing_processed_events_table.kms_key_arn],
  )))
  table_key_arns = distinct(compact(concat(
    local.events_key_arns,
    local.encrypts.tables && local.create_business_table ? [local.key_arn] : [],
    var.existing_business_table == null ? [] : [var.existing_business_table.kms_key_arn],
    [for table in values(var.handler_tables) : table.kms_key_arn],
  )))
}

locals {
  # Roles of this account need no statement: theirs are in their own policies, which the account's own statement in
  # the key's policy lets count.
  kms_policy_statements = concat(
    [
      for grant in module.senders.grants : {
        Sid       = "Send${grant.name}"
        Effect    = "Allow"
        Principal = grant.principal
        Action    = ["kms:Decrypt", "kms:GenerateDataKey"]
        Resource  = "*"
        Condition = grant.service ? grant.condition : merge(grant.condition, {
          StringEquals = merge(
            lookup(grant.condition, "StringEquals", {}),
            { "kms:ViaService" = "sqs.${local.aws.region}.${local.aws.dns_suffix}" }
          )
        })
      } if local.encrypts.queue
    ],
    [
      for logs in local.encrypts.logs ? [true] : [] : {
        Sid       = "Logs"
        Effect    = "Allow"
        Principal = { Service = "logs.${local.aws.region}.amazonaws.com" }
        Action    = ["kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey*", "kms:ReEncrypt*"]
        Resource  = "*"
        Condition = {
          ArnEquals = {
            "kms:EncryptionContext:aws:logs:arn" = [
              for function in ["consumer", "relay"] :
              "arn:${local.aws.partition}:logs:${local.aws.region}:${local.aws.account_id}:log-group:/aws/lambda/${var.name}-${function}"
            ]
          }
        }
      }
    ],
  )
}
