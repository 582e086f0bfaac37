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

# T-01: refused by a sentence of our own.
run "T_01_maximum_concurrency_0" {
  command = plan

  variables {
    maximum_concurrency = 0
  }

  expect_failures = [var.maximum_concurrency]
}

# T-01: refused by a sentence of our own.
run "T_01_maximum_concurrency_1" {
  command = plan

  variables {
    maximum_concurrency = 1
  }

  expect_failures = [var.maximum_concurrency]
}

# T-01: refused by a sentence of our own.
run "T_01_maximum_concurrency_2_5" {
  command = plan

  variables {
    maximum_concurrency = 2.5
  }

  expect_failures = [var.maximum_concurrency]
}

# T-01: allowed.
run "T_01_maximum_concurrency_2" {
  command = plan

  variables {
    maximum_concurrency = 2
  }
}

# T-01: allowed.
run "T_01_maximum_concurrency_1000" {
  command = plan

  variables {
    maximum_concurrency = 1000
  }
}

# T-01: null leaves the limit out (the wiring test looks at the mapping).
run "T_01_maximum_concurrency_null" {
  command = plan

  variables {
    maximum_concurrency = null
  }
}

# T-03: FIFO queues know no window.
run "T_03_fifo_with_window" {
  command = plan

  variables {
    fifo                    = {}
    batching_window_seconds = 5
  }

  expect_failures = [var.batching_window_seconds]
}

# T-03: a FIFO batch holds 10 at most.
run "T_03_fifo_batch_11" {
  command = plan

  variables {
    fifo       = {}
    batch_size = 11
  }

  expect_failures = [var.batch_size]
}

# T-03: 10 is fine.
run "T_03_fifo_batch_10" {
  command = plan

  variables {
    fifo       = {}
    batch_size = 10
  }
}

# Lambda asks for a window above 10.
run "batch_above_10_without_window" {
  command = plan

  variables {
    batch_size = 100
  }

  expect_failures = [var.batch_size]
}

# T-04: 6 x timeout + window.
run "T_04_visibility_derived" {
  command = plan

  variables {
    function_timeout_seconds = 100
    batch_size               = 100
    batching_window_seconds  = 7
  }

  assert {
    condition     = local.visibility_timeout_seconds == 607
    error_message = "6 x 100 + 7."
  }
}

# T-04: an explicit value below the timeout is refused.
run "T_04_visibility_below_timeout" {
  command = plan

  variables {
    function_timeout_seconds   = 300
    visibility_timeout_seconds = 60
  }

  expect_failures = [var.visibility_timeout_seconds]
}

# T-04: so it is when only the timeout is raised later.
run "T_04_timeout_raised_later" {
  command = plan

  variables {
    function_timeout_seconds   = 181
    visibility_timeout_seconds = 180
  }

  expect_failures = [var.visibility_timeout_seconds]
}

# T-04: SQS hides a message for 12 hours at most.
run "T_04_visibility_above_12_hours" {
  command = plan

  variables {
    visibility_timeout_seconds = 43201
  }

  expect_failures = [var.visibility_timeout_seconds]
}

# T-05: whole numbers from 1 to 1000.
run "T_05_max_receive_count_0" {
  command = plan

  variables {
    max_receive_count = 0
  }

  expect_failures = [var.max_receive_count]
}

# T-05: whole numbers from 1 to 1000.
run "T_05_max_receive_count_1001" {
  command = plan

  variables {
    max_receive_count = 1001
  }

  expect_failures = [var.max_receive_count]
}

# T-05: whole numbers from 1 to 1000.
run "T_05_max_receive_count_2_5" {
  command = plan

  variables {
    max_receive_count = 2.5
  }

  expect_failures = [var.max_receive_count]
}

# T-05: 12 on a standard queue.
run "T_05_max_receive_count_defaults" {
  command = plan


  assert {
    condition     = local.max_receive_count == 12
    error_message = "The default is 12."
  }
}

# T-05: 5 on a FIFO queue.
run "T_05_max_receive_count_fifo" {
  command = plan

  variables {
    fifo = {}
  }

  assert {
    condition     = local.max_receive_count == 5
    error_message = "The default is 5."
  }
}

# T-06: a FIFO queue needs a FIFO dead-letter queue.
run "T_06_plain_dlq_for_fifo" {
  command = plan

  variables {
    fifo         = {}
    existing_dlq = { arn = "arn:aws:sqs:us-east-1:111122223333:plain-dlq" }
  }

  expect_failures = [var.existing_dlq]
}

# T-06: and a standard queue a standard one.
run "T_06_fifo_dlq_for_standard" {
  command = plan

  variables {
    existing_dlq = { arn = "arn:aws:sqs:us-east-1:111122223333:other-dlq.fifo" }
  }

  expect_failures = [var.existing_dlq]
}

# T-06: one of the same type is used as it is.
run "T_06_matching_dlq" {
  command = plan

  variables {
    existing_dlq = { arn = "arn:aws:sqs:us-east-1:111122223333:plain-dlq" }
  }

  assert {
    condition     = output.dlq_url == "https://sqs.us-east-1.amazonaws.com/111122223333/plain-dlq"
    error_message = "The URL is built from the ARN."
  }
}

# O-04: a dead-letter queue that keeps less long than the queue is refused.
run "O_04_dlq_retention_below_queue" {
  command = plan

  variables {
    message_retention_seconds       = 1209600
    dlq_message_retention_seconds   = 345600
    processed_events_retention_days = 60
  }

  expect_failures = [var.dlq_message_retention_seconds]
}

# A redriven message must still be recognised: 2 x 4 + 14 days.
run "retention_days_too_short" {
  command = plan

  variables {
    processed_events_retention_days = 21
  }

  expect_failures = [var.processed_events_retention_days]
}

# 22 days are enough for the defaults.
run "retention_days_least" {
  command = plan

  variables {
    processed_events_retention_days = 22
  }
}

# Days are whole.
run "retention_days_fraction" {
  command = plan

  variables {
    processed_events_retention_days = 30.5
  }

  expect_failures = [var.processed_events_retention_days]
}

# The first delay cannot be longer than the longest.
run "backoff_base_above_cap" {
  command = plan

  variables {
    backoff_base_seconds = 100
    backoff_cap_seconds  = 50
  }

  expect_failures = [var.backoff_base_seconds]
}

# The least time before the dead-letter queue, half of each delay.
run "retry_budget" {
  command = plan

  variables {
    max_receive_count    = 4
    backoff_base_seconds = 10
    backoff_cap_seconds  = 30
  }

  assert {
    condition     = output.retry_budget_seconds == (10 + 20 + 30) / 2
    error_message = "Half of 10, 20 and 30 s."
  }
}

# Quarantine is on, and off on FIFO.
run "quarantine_default" {
  command = plan


  assert {
    condition     = jsondecode(local.pipeline_config).quarantine == true
    error_message = "On by default."
  }
}

# On FIFO it would let a group go on past the bad message.
run "quarantine_fifo" {
  command = plan

  variables {
    fifo = {}
  }

  assert {
    condition     = jsondecode(local.pipeline_config).quarantine == false
    error_message = "Off on FIFO."
  }

  assert {
    condition     = jsondecode(local.pipeline_config).source == "sqs_fifo"
    error_message = "The function is told."
  }
}

# The policy of an existing queue is not ours.
run "senders_beside_existing_queue" {
  command = plan

  variables {
    existing_queue = { arn = "arn:aws:sqs:us-east-1:111122223333:q", url = "https://q", dlq_arn = "arn:aws:sqs:us-east-1:111122223333:d", visibility_timeout_seconds = 180, message_retention_seconds = 345600, max_receive_count = 12 }
    senders        = { partner = { account = "444455556666" } }
  }

  expect_failures = [var.senders]
}

# A FIFO queue is declared by fifo = {}.
run "existing_queue_of_the_other_type" {
  command = plan

  variables {
    existing_queue = { arn = "arn:aws:sqs:us-east-1:111122223333:q.fifo", url = "https://q", dlq_arn = "arn:aws:sqs:us-east-1:111122223333:d.fifo", visibility_timeout_seconds = 180, message_retention_seconds = 345600, max_receive_count = 5 }
  }

  expect_failures = [var.existing_queue]
}

# T-06: its dead-letter queue has its type.
run "T_06_existing_queue_dlq_type" {
  command = plan

  variables {
    fifo           = {}
    existing_queue = { arn = "arn:aws:sqs:us-east-1:111122223333:q.fifo", url = "https://q", dlq_arn = "arn:aws:sqs:us-east-1:111122223333:d", visibility_timeout_seconds = 180, message_retention_seconds = 345600, max_receive_count = 5 }
  }

  expect_failures = [var.existing_queue]
}

# T-04 holds for it, too.
run "existing_queue_visibility" {
  command = plan

  variables {
    existing_queue = { arn = "arn:aws:sqs:us-east-1:111122223333:q", url = "https://q", dlq_arn = "arn:aws:sqs:us-east-1:111122223333:d", visibility_timeout_seconds = 20, message_retention_seconds = 345600, max_receive_count = 5 }
  }

  expect_failures = [var.existing_queue]
}

# T-05 holds for it, too.
run "existing_queue_max_receive_count" {
  command = plan

  variables {
    existing_queue = { arn = "arn:aws:sqs:us-east-1:111122223333:q", url = "https://q", dlq_arn = "arn:aws:sqs:us-east-1:111122223333:d", visibility_timeout_seconds = 180, message_retention_seconds = 345600, max_receive_count = 0 }
  }

  expect_failures = [var.existing_queue]
}

# A quarantined message would come straight back.
run "existing_queue_is_its_own_dlq" {
  command = plan

  variables {
    existing_queue = { arn = "arn:aws:sqs:us-east-1:111122223333:q", url = "https://q", dlq_arn = "arn:aws:sqs:us-east-1:111122223333:q", visibility_timeout_seconds = 180, message_retention_seconds = 345600, max_receive_count = 5 }
  }

  expect_failures = [var.existing_queue]
}

# Its required attributes are refused when null.
run "existing_queue_without_arn" {
  command = plan

  variables {
    existing_queue = { arn = null, url = "https://q", dlq_arn = "arn:aws:sqs:us-east-1:111122223333:d", visibility_timeout_seconds = 180, message_retention_seconds = 345600, max_receive_count = 12 }
  }

  expect_failures = [var.existing_queue]
}

# Both name a dead-letter queue.
run "existing_queue_beside_existing_dlq" {
  command = plan

  variables {
    existing_queue = { arn = "arn:aws:sqs:us-east-1:111122223333:q", url = "https://q", dlq_arn = "arn:aws:sqs:us-east-1:111122223333:d", visibility_timeout_seconds = 180, message_retention_seconds = 345600, max_receive_count = 5 }
    existing_dlq   = { arn = "arn:aws:sqs:us-east-1:111122223333:e" }
  }

  expect_failures = [var.existing_dlq]
}

# Numbers below what AWS takes.
run "numbers_too_small" {
  command = plan

  variables {
    batch_size                = 0
    delay_seconds             = -1
    max_message_bytes         = 1000
    message_retention_seconds = 59
    backoff_cap_seconds       = 0
  }

  expect_failures = [
    var.batch_size,
    var.delay_seconds,
    var.max_message_bytes,
    var.message_retention_seconds,
    var.backoff_cap_seconds,
  ]
}

# Numbers above what AWS takes.
run "numbers_too_large" {
  command = plan

  variables {
    batching_window_seconds       = 301
    delay_seconds                 = 901
    dlq_message_retention_seconds = 1209601
    backoff_cap_seconds           = 43200
  }

  expect_failures = [
    var.batching_window_seconds,
    var.delay_seconds,
    var.dlq_message_retention_seconds,
    var.backoff_cap_seconds,
  ]
}

# The presence of the object is the switch, so its ARN must be there.
run "existing_dlq_without_arn" {
  command = plan

  variables {
    existing_dlq = { arn = null }
  }

  expect_failures = [
    var.existing_dlq,
  ]
}
