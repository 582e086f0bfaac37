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

# O-03: the queue could use more than is set aside.
run "O_03_concurrency_above_reservation" {
  command = plan

  variables {
    maximum_concurrency  = 10
    reserved_concurrency = 5
  }

  expect_failures = [
    var.reserved_concurrency,
  ]
}

# O-01: a reservation alone lets messages reach the dead-letter queue untried.
run "O_01_reservation_without_limit" {
  command = plan

  variables {
    maximum_concurrency  = null
    max_receive_count    = 3
    reserved_concurrency = 1
  }

  expect_failures = [
    var.reserved_concurrency,
  ]
}

# O-03: this is how it is meant.
run "O_03_reservation_covers_the_limit" {
  command = plan

  variables {
    reserved_concurrency = 10
    maximum_concurrency  = 10
  }
}

# Zero would stop consumption by throttling; there is a switch for that.
run "reservation_of_zero" {
  command = plan

  variables {
    maximum_concurrency  = null
    reserved_concurrency = 0
  }

  expect_failures = [
    var.reserved_concurrency,
  ]
}

# Lambda takes one of them.
run "pollers_beside_maximum" {
  command = plan

  variables {
    provisioned_pollers = { minimum = 2, maximum = 4 }
  }

  expect_failures = [
    var.provisioned_pollers,
  ]
}

# The minimum is not above the maximum.
run "pollers_out_of_order" {
  command = plan

  variables {
    maximum_concurrency = null
    provisioned_pollers = { minimum = 5, maximum = 4 }
  }

  expect_failures = [
    var.provisioned_pollers,
  ]
}

# Each poller may run ten invocations.
run "reservation_below_pollers" {
  command = plan

  variables {
    maximum_concurrency  = null
    provisioned_pollers  = { minimum = 2, maximum = 4 }
    reserved_concurrency = 39
  }

  expect_failures = [
    var.reserved_concurrency,
  ]
}

# It is kept for the version of an alias.
run "provisioned_concurrency_without_alias" {
  command = plan

  variables {
    provisioned_concurrency = 2
  }

  expect_failures = [
    var.provisioned_concurrency,
  ]
}

# Lambda refuses it on an alias with two versions.
run "provisioned_concurrency_while_shifting" {
  command = plan

  variables {
    deployment              = { stable_version = "3", weight = 0.5 }
    provisioned_concurrency = 2
  }

  expect_failures = [
    var.provisioned_concurrency,
  ]
}

# A share of what?
run "deployment_weight_alone" {
  command = plan

  variables {
    deployment = { weight = 0.1 }
  }

  expect_failures = [
    var.deployment,
  ]
}

# A share is at most all.
run "deployment_weight_too_large" {
  command = plan

  variables {
    deployment = { stable_version = "3", weight = 10 }
  }

  expect_failures = [
    var.deployment,
  ]
}

# Not an alias, not $LATEST.
run "deployment_version_is_a_number" {
  command = plan

  variables {
    deployment = { stable_version = "$LATEST", weight = 0.5 }
  }

  expect_failures = [
    var.deployment,
  ]
}

# What Lambda, IAM and DynamoDB would refuse later.
run "numbers_and_objects_refused" {
  command = plan

  variables {
    vpc                = { subnet_ids = [], security_group_ids = ["sg-1"] }
    iam_path           = "pipelines"
    throughput_caps    = { business_read_units = 0 }
    existing_log_group = { name = "g", arn = null }
    handler_tables     = { a = { arn = "arn:aws:dynamodb:us-east-1:111122223333:table/a" } }
    handler_topics     = { a = { arn = "arn:aws:sns:us-east-1:111122223333:a" } }
  }

  expect_failures = [
    var.vpc,
    var.iam_path,
    var.throughput_caps,
    var.existing_log_group,
    var.handler_tables,
    var.handler_topics,
  ]
}

# A misspelt alarm would watch nothing.
run "alarm_unknown" {
  command = plan

  variables {
    alarm_thresholds = { dlq_message = 1 }
  }

  expect_failures = [
    var.alarm_thresholds,
  ]
}

# With the defaults there is one thing to say: whom to tell.
run "advice_of_the_defaults" {
  command = plan

  variables {
  }

  assert {
    condition     = length(output.advice) == 1 && strcontains(output.advice[0], "alarm_topic_arns")
    error_message = "The defaults need no other advice."
  }
}

# T-05, O-02: one receive is legal, and advised against.
run "T_05_O_02_advice_for_few_receives" {
  command = plan

  variables {
    max_receive_count = 1
  }

  assert {
    condition     = anytrue([for sentence in output.advice : strcontains(sentence, "max_receive_count is 1")])
    error_message = "The advice names it."
  }

  assert {
    condition     = anytrue([for sentence in output.advice : strcontains(sentence, "An outage of more than 0 seconds")])
    error_message = "So is the retry budget."
  }
}

# O-04: an equal retention is legal, and advised against.
run "O_04_advice_for_equal_retention" {
  command = plan

  variables {
    message_retention_seconds       = 1209600
    processed_events_retention_days = 42
  }

  assert {
    condition     = anytrue([for sentence in output.advice : strcontains(sentence, "keeps messages no longer")])
    error_message = "The advice says why."
  }
}

# Legal but unwise, each with its sentence.
run "advice_for_everything_else" {
  command = plan

  variables {
    batch_size                 = 10000
    batching_window_seconds    = 1
    maximum_concurrency        = null
    visibility_timeout_seconds = 60
    relay                      = null
    deletion_protection        = false
    point_in_time_recovery     = false
    alarms                     = false
  }

  assert {
    condition     = anytrue([for sentence in output.advice : strcontains(sentence, "batch_size is 10000")])
    error_message = "batch_size is 10000."
  }

  assert {
    condition     = anytrue([for sentence in output.advice : strcontains(sentence, "Nothing limits the consumer")])
    error_message = "Nothing limits the consumer."
  }

  assert {
    condition     = anytrue([for sentence in output.advice : strcontains(sentence, "visibility timeout is 60 s")])
    error_message = "visibility timeout is 60 s."
  }

  assert {
    condition     = anytrue([for sentence in output.advice : strcontains(sentence, "There is no relay")])
    error_message = "There is no relay."
  }

  assert {
    condition     = anytrue([for sentence in output.advice : strcontains(sentence, "deletion_protection is off")])
    error_message = "deletion_protection is off."
  }

  assert {
    condition     = anytrue([for sentence in output.advice : strcontains(sentence, "point_in_time_recovery is off")])
    error_message = "point_in_time_recovery is off."
  }

  assert {
    condition     = anytrue([for sentence in output.advice : strcontains(sentence, "alarms is false")])
    error_message = "alarms is false."
  }
}

# And these two.
run "advice_for_fifo_and_sweep" {
  command = plan

  variables {
    fifo       = {}
    quarantine = true
    relay      = { sweep = false }
  }

  assert {
    condition     = anytrue([for sentence in output.advice : strcontains(sentence, "quarantine is on for a FIFO")])
    error_message = "quarantine is on for a FIFO."
  }

  assert {
    condition     = anytrue([for sentence in output.advice : strcontains(sentence, "does not sweep")])
    error_message = "does not sweep."
  }
}
