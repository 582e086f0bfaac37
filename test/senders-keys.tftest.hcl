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

# T-25: S3 cannot notify a FIFO queue, whatever the envelope.
run "T_25_s3_sender_to_fifo" {
  command = plan

  variables {
    fifo    = {}
    senders = { uploads = { service = "s3.amazonaws.com", arn = "arn:aws:s3:::uploads" } }
  }

  expect_failures = [
    var.senders,
  ]
}

# T-26: EventBridge gives no de-duplication id.
run "T_26_eventbridge_to_fifo" {
  command = plan

  variables {
    fifo    = {}
    senders = { rule = { service = "events.amazonaws.com" } }
  }

  expect_failures = [
    var.senders,
  ]
}

# T-26: with content-based de-duplication it works.
run "T_26_eventbridge_to_fifo_by_content" {
  command = plan

  variables {
    fifo    = { content_based_deduplication = true }
    senders = { rule = { service = "events.amazonaws.com" } }
  }
}

# T-27: a standard topic cannot deliver to a FIFO queue.
run "T_27_standard_topic_to_fifo" {
  command = plan

  variables {
    fifo    = {}
    senders = { topic = { service = "sns.amazonaws.com", arn = "arn:aws:sns:us-east-1:111122223333:plain" } }
  }

  expect_failures = [
    var.senders,
  ]
}

# T-27: a FIFO topic delivers to both types.
run "T_27_fifo_topic" {
  command = plan

  variables {
    senders = { topic = { service = "sns.amazonaws.com", arn = "arn:aws:sns:us-east-1:111122223333:t.fifo" } }
  }
}

# C-70: each notification would come back as an event.
run "C_70_source_topic_is_the_notification_topic" {
  command = plan

  variables {
    existing_topic = { arn = "arn:aws:sns:us-east-1:111122223333:t" }
    senders        = { topic = { service = "sns.amazonaws.com", arn = "arn:aws:sns:us-east-1:111122223333:t" } }
  }

  expect_failures = [
    var.senders,
  ]
}

# C-70: and so it would by a subscription of the own queue.
run "C_70_own_queue_subscribes" {
  command = plan

  variables {
    subscriptions = { self = { protocol = "sqs", endpoint = "arn:aws:sqs:us-east-1:111122223333:orders" } }
  }

  expect_failures = [
    var.subscriptions,
  ]
}

# A sender is of one kind.
run "sender_of_no_kind" {
  command = plan

  variables {
    senders = { nobody = {} }
  }

  expect_failures = [
    var.senders,
  ]
}

# An organization has no account beside it.
run "sender_of_two_kinds" {
  command = plan

  variables {
    senders = { both = { organization = "o-abc1234567", account = "111122223333" } }
  }

  expect_failures = [
    var.senders,
  ]
}

# A service is named by its principal.
run "sender_misspelt" {
  command = plan

  variables {
    senders = { s3 = { service = "s3" } }
  }

  expect_failures = [
    var.senders,
  ]
}

# More than fit into a policy.
run "senders_too_many" {
  command = plan

  variables {
    senders = { for i in range(51) : "a${i}" => { account = "111122223333" } }
  }

  expect_failures = [
    var.senders,
  ]
}

# A subscriber has 12 digits or is an organization.
run "subscribers_refused" {
  command = plan

  variables {
    subscribers = { a = { account = "1" } }
  }

  expect_failures = [
    var.subscribers,
  ]
}

# Its policy is not ours.
run "subscribers_of_existing_topic" {
  command = plan

  variables {
    existing_topic = { arn = "arn:aws:sns:us-east-1:111122223333:t" }
    subscribers    = { a = { account = "777788889999" } }
  }

  expect_failures = [
    var.subscribers,
  ]
}

# T-20, T-21, T-22: a key that AWS manages lets no service send, so it is refused.
run "T_20_aws_managed_key" {
  command = plan

  variables {
    kms = { key_arn = "alias/aws/sqs" }
  }

  expect_failures = [
    var.kms,
  ]
}

# Policies name a key, not an alias.
run "kms_alias_arn" {
  command = plan

  variables {
    kms = { key_arn = "arn:aws:kms:us-east-1:111122223333:alias/mine" }
  }

  expect_failures = [
    var.kms,
  ]
}

# Its presence is a switch; what it switches must be said.
run "kms_without_key" {
  command = plan

  variables {
    kms = {}
  }

  expect_failures = [
    var.kms,
  ]
}

# A key of yours, or one of the module's.
run "kms_with_two_keys" {
  command = plan

  variables {
    kms = { create = true, key_arn = "arn:aws:kms:us-east-1:111122223333:key/k" }
  }

  expect_failures = [
    var.kms,
  ]
}

# SQS reuses a data key for a minute at least.
run "kms_reuse_too_short" {
  command = plan

  variables {
    kms = { create = true, data_key_reuse_seconds = 10 }
  }

  expect_failures = [
    var.kms,
  ]
}
