resource "aws_dynamodb_table" "processed_events" {
  count = var.create_processed_events ? 1 : 0

  name         = "${var.name}-processed-events"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "event_id"

  deletion_protection_enabled = var.deletion_protection

  attribute {
    name = "event_id"
    type = "S"
  }

  attribute {
    name = "relay_shard"
    type = "S"
  }

  attribute {
    name = "lease_expires_at_ms"
    type = "N"
  }

  # Sparse: only rows in trouble carry relay_shard, so the happy path pays nothing for it. Declared always, since adding
  # an index later takes hours on a large table; with a range key, since providers from 6.29 on refuse one without.
  global_secondary_index {
    name            = "relay"
    hash_key        = "relay_shard"
    range_key       = "lease_expires_at_ms"
    projection_type = "KEYS_ONLY"
  }

  # No switch: only rows that were sent carry the attribute, and a TTL that goes on and off meets DynamoDB's hour-long
  # pause between two changes of it.
  ttl {
    attribute_name = "expires_at"
    enabled        = true
  }

  point_in_time_recovery {
    enabled = var.point_in_time_recovery
  }

  dynamic "server_side_encryption" {
    for_each = var.kms == null ? [] : [var.kms]

    content {
      enabled     = true
      kms_key_arn = server_side_encryption.value.key_arn
    }
  }

  dynamic "on_demand_throughput" {
    for_each = local.caps.processed_events == null ? [] : [local.caps.processed_events]

    content {
      max_read_request_units  = on_demand_throughput.value.read
      max_write_request_units = on_demand_throughput.value.write
    }
  }

  tags = var.tags
}

resource "aws_dynamodb_table" "business" {
  count = var.create_business ? 1 : 0

  name         = "${var.name}-business"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = var.business_hash_key.name
  range_key    = var.business_sort_key == null ? null : var.business_sort_key.name

  deletion_protection_enabled = var.deletion_protection

  attribute {
    name = var.business_hash_key.name
    type = var.business_hash_key.type
  }

  dynamic "attribute" {
    for_each = var.business_sort_key == null ? [] : [var.business_sort_key]

    content {
      name = attribute.value.name
      type = attribute.value.type
    }
  }

  point_in_time_recovery {
    enabled = var.point_in_time_recovery
  }

  dynamic "server_side_encryption" {
    for_each = var.kms == null ? [] : [var.kms]

    content {
      enabled     = true
      kms_key_arn = server_side_encryption.value.key_arn
    }
  }

  dynamic "on_demand_throughput" {
    for_each = local.caps.business == null ? [] : [local.caps.business]

    content {
      max_read_request_units  = on_demand_throughput.value.read
      max_write_request_units = on_demand_throughput.value.write
    }
  }

  tags = var.tags
}

locals {
  requested_caps = {
    processed_events = var.throughput_caps == null ? [null, null] : [
      var.throughput_caps.processed_events_read_units, var.throughput_caps.processed_events_write_units,
    ]
    business = var.throughput_caps == null ? [null, null] : [
      var.throughput_caps.business_read_units, var.throughput_caps.business_write_units,
    ]
  }

  # No block where nothing is asked for: whether DynamoDB gives one back without caps differs. -1 is its word for no cap.
  caps = {
    for table, units in local.requested_caps : table => units[0] == null && units[1] == null ? null : {
      read  = coalesce(units[0], -1)
      write = coalesce(units[1], -1)
    }
  }
}
