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

# The ARN says FIFO, the module would think standard.
run "existing_topic_type" {
  command = plan

  variables {
    existing_topic = { arn = "arn:aws:sns:us-east-1:111122223333:t.fifo" }
  }

  expect_failures = [var.existing_topic]
}

# A FIFO queue with a standard topic says so.
run "existing_topic_standard_for_fifo_queue" {
  command = plan

  variables {
    fifo           = {}
    topic_fifo     = false
    existing_topic = { arn = "arn:aws:sns:us-east-1:111122223333:t" }
  }
}

# A FIFO topic delivers to SQS only.
run "subscription_of_fifo_topic" {
  command = plan

  variables {
    fifo          = {}
    subscriptions = { a = { protocol = "lambda", endpoint = "arn:aws:lambda:us-east-1:111122223333:function:f" } }
  }

  expect_failures = [var.subscriptions]
}

# Its subscriptions are not ours.
run "subscriptions_of_existing_topic" {
  command = plan

  variables {
    existing_topic = { arn = "arn:aws:sns:us-east-1:111122223333:t" }
    subscriptions  = { a = { protocol = "sqs", endpoint = "arn:aws:sqs:us-east-1:111122223333:s" } }
  }

  expect_failures = [var.subscriptions]
}

# A sweep takes several runs.
run "relay_sweep_shorter_than_interval" {
  command = plan

  variables {
    relay = { interval_minutes = 120, sweep_hours = 1 }
  }

  expect_failures = [var.relay]
}

# Null is no relay.
run "relay_off" {
  command = plan

  variables {
    relay = null
  }

  assert {
    condition     = output.relay_function == null
    error_message = "There is none."
  }
}

# The sweep is switched apart.
run "relay_without_sweep" {
  command = plan

  variables {
    relay = { sweep = false }
  }

  assert {
    condition     = !can(jsondecode(local.relay_json).relay.sweep_hours)
    error_message = "No sweep in the configuration."
  }

  assert {
    condition     = jsondecode(local.relay_json).relay.interval_minutes == 5
    error_message = "The relay itself stays."
  }
}

# The presence of the object is the switch, so its ARN must be there.
run "existing_without_arn" {
  command = plan

  variables {
    existing_topic                  = { arn = null }
    existing_processed_events_table = { arn = null }
    existing_business_table         = { arn = null }
  }

  expect_failures = [
    var.existing_topic,
    var.existing_processed_events_table,
    var.existing_business_table,
  ]
}

# Values that DynamoDB, SNS or EventBridge do not take.
run "values_refused" {
  command = plan

  variables {
    topic_max_bytes        = 262145
    subscriptions          = { a = { protocol = "queue", endpoint = "arn:aws:sqs:us-east-1:111122223333:s" } }
    business_hash_key_type = "B"
    business_sort_key_name = "pk"
    business_sort_key_type = "B"
    relay                  = { interval_minutes = 0 }
  }

  expect_failures = [
    var.topic_max_bytes,
    var.subscriptions,
    var.business_hash_key_type,
    var.business_sort_key_name,
    var.business_sort_key_type,
    var.relay,
  ]
}

# DynamoDB wants a name.
run "business_hash_key_name_empty" {
  command = plan

  variables {
    business_hash_key_name = ""
  }

  expect_failures = [
    var.business_hash_key_name,
  ]
}
