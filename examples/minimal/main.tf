# The least that one can write: a source, a name, and where the event id and the business key are found.

terraform {
  required_version = ">= 1.10.0, != 1.15.0"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.100.0, < 7.0.0"
    }
  }
}

module "payments" {
  source = "../.."

  name         = "payments"
  event_id     = "payment_id"
  business_key = "payment_id"

  deletion_protection = false # an example is made to be removed; leave this line out
}

output "queue_url" {
  description = "Send payments here."
  value       = module.payments.queue_url
}
