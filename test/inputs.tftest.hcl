# Plan only, with the real provider and no account: nothing here calls AWS.

provider "aws" {
  region                      = "us-east-1"
  access_key                  = "test"
  secret_key                  = "test"
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  skip_requesting_account_id  = true
}

override_data {
  target = data.aws_caller_identity.current
  values = { account_id = "111122223333" }
}

variables {
  name         = "orders"
  event_id     = "event_id"
  business_key = "order_id"
}

# A name that leaves no room for the suffixes is refused.
run "name_too_long" {
  command = plan

  variables {
    name = "a-name-that-goes-on-for-more-than-forty-eight-char"
  }

  expect_failures = [var.name]
}

# 48 characters are the most, and every name still fits.
run "name_longest" {
  command = plan

  variables {
    name = "a-name-that-has-exactly-48-characters-no-more-xy"
  }
}

# A dot is not allowed in a name: `.fifo` is the module's to add.
run "name_with_dot" {
  command = plan

  variables {
    name = "orders.fifo"
  }

  expect_failures = [var.name]
}

# An empty expression is refused.
run "event_id_empty" {
  command = plan

  variables {
    event_id = " "
  }

  expect_failures = [var.event_id]
}

# An expression with an open bracket is refused.
run "event_id_unbalanced" {
  command = plan

  variables {
    event_id = "detail[0"
  }

  expect_failures = [var.event_id]
}

# An expression with an open quote is refused.
run "event_id_open_quote" {
  command = plan

  variables {
    event_id = "detail.'id"
  }

  expect_failures = [var.event_id]
}

# A bracket inside of quotes is text, and not counted.
run "event_id_quoted_bracket" {
  command = plan

  variables {
    event_id = "join('(', [id])"
  }
}

# Without a handler the mapping needs to know the business key.
run "business_key_missing" {
  command = plan

  variables {
    business_key = null
  }

  expect_failures = [var.business_key]
}

# A group id means nothing on a standard topic.
run "notification_group_id_on_standard_topic" {
  command = plan

  variables {
    notification_group_id = "order_id"
  }

  expect_failures = [var.notification_group_id]
}

# On a FIFO topic it does.
run "notification_group_id_on_fifo_topic" {
  command = plan

  variables {
    fifo                  = {}
    notification_group_id = "order_id"
  }
}

# `newer` needs a version to compare.
run "newer_without_version" {
  command = plan

  variables {
    on_existing_key = "newer"
  }

  expect_failures = [var.business_version]
}

# `newer` with a version is fine.
run "newer_with_version" {
  command = plan

  variables {
    on_existing_key  = "newer"
    business_version = "version"
  }
}

# T-25: S3 does not notify FIFO queues; the message points to EventBridge.
run "T_25_s3_to_fifo" {
  command = plan

  variables {
    fifo     = {}
    envelope = "s3"
  }

  expect_failures = [var.envelope]
}

# What does not fit into the environment, even compressed, is refused.
run "json_schema_too_large" {
  command = plan

  variables {
    json_schema = jsonencode({ enum = [for i in range(400) : sha256(tostring(i))] })
  }

  expect_failures = [var.json_schema]
}

# What fits only when compressed is compressed.
run "json_schema_compressed" {
  command = plan

  variables {
    json_schema = jsonencode({ enum = [for i in range(400) : "a value that compresses well"] })
  }

  assert {
    condition     = startswith(local.pipeline_config, "H4sI")
    error_message = "A configuration above the budget is gzipped."
  }
}

# A small configuration stays readable.
run "configuration_in_plain_text" {
  command = plan


  assert {
    condition     = jsondecode(local.pipeline_config).event_id == "event_id"
    error_message = "The configuration is JSON."
  }
}

# A handler of one's own needs no business key, and then no business table.
run "consumer_package_of_a_handler" {
  command = plan

  variables {
    consumer_package = "functions/dist/pipeline.zip"
    business_key     = null
  }

  assert {
    condition     = output.business_table == null
    error_message = "No business table is created."
  }
}

# A bracket that is not closed is refused in every expression.
run "expressions_unbalanced" {
  command = plan

  variables {
    business_key            = "join('-', [a"
    event_filter            = "join('-', [a"
    fingerprint             = "join('-', [a"
    correlation_id          = "join('-', [a"
    business_sort_key       = "join('-', [a"
    business_item           = "join('-', [a"
    notification            = "join('-', [a"
    notification_subject    = "join('-', [a"
    notification_attributes = { status = "a[" }
  }

  expect_failures = [
    var.business_key,
    var.event_filter,
    var.fingerprint,
    var.correlation_id,
    var.business_sort_key,
    var.business_item,
    var.notification,
    var.notification_subject,
    var.notification_attributes,
  ]
}

# The same for the two that need company.
run "expressions_unbalanced_more" {
  command = plan

  variables {
    fifo                  = {}
    notification_group_id = "a["
    on_existing_key       = "newer"
    business_version      = "a["
  }

  expect_failures = [var.notification_group_id, var.business_version]
}

# An empty expression is refused; null is the way to leave one out.
run "expressions_empty" {
  command = plan

  variables {
    business_key            = ""
    fingerprint             = " "
    notification_attributes = { status = "" }
  }

  expect_failures = [
    var.business_key,
    var.fingerprint,
    var.notification_attributes,
  ]
}

# A word that is none of the choices is refused.
run "choices_unknown" {
  command = plan

  variables {
    on_existing_key = "ignore"
    envelope        = "kafka"
    runtime         = "nodejs20.x"
    architecture    = "arm"
    log_level       = "TRACE"
  }

  expect_failures = [
    var.on_existing_key,
    var.envelope,
    var.runtime,
    var.architecture,
    var.log_level,
  ]
}

# Text that is not what it should be.
run "text_refused" {
  command = plan

  variables {
    event_id_prefix         = join("", [for i in range(129) : "x"])
    environment             = { QUEUE_URL = "x" }
    consumer_package        = "no-such.zip"
    runtime                 = "python3.13"
    notification_attributes = { for i in range(7) : "a${i}" => "a" }
  }

  expect_failures = [
    var.event_id_prefix,
    var.environment,
    var.consumer_package,
    var.runtime,
    var.notification_attributes,
  ]
}

# Names that Lambda or the notification reserves.
run "names_refused" {
  command = plan

  variables {
    environment             = { "A-B" = "x" }
    notification_attributes = { event_id = "id" }
  }

  expect_failures = [
    var.environment,
    var.notification_attributes,
  ]
}

# Numbers below what AWS takes.
run "numbers_too_small" {
  command = plan

  variables {
    function_timeout_seconds = 4
    function_memory_mb       = 64
    log_retention_days       = 31
  }

  expect_failures = [
    var.function_timeout_seconds,
    var.function_memory_mb,
    var.log_retention_days,
  ]
}

# Numbers above what AWS takes.
run "numbers_too_large" {
  command = plan

  variables {
    function_timeout_seconds = 901
    function_memory_mb       = 10241
    log_retention_days       = 4000
  }

  expect_failures = [
    var.function_timeout_seconds,
    var.function_memory_mb,
    var.log_retention_days,
  ]
}

# A path instead of the text is refused. Alone: the check measures the whole configuration, so it waits for the others.
run "json_schema_not_json" {
  command = plan

  variables {
    json_schema = "order.schema.json"
  }

  expect_failures = [var.json_schema]
}
