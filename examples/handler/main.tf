# Reservations: a handler of one's own reads the stock, and changes stock and reservation together.

terraform {
  required_version = ">= 1.10.0, != 1.15.0"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.100.0, < 7.0.0"
    }
  }
}

variable "package" {
  description = "Path of the zip that `make handler` wrote. No default: it is built, not committed."
  type        = string
}

module "reservations" {
  source = "../.."

  name             = "reservations"
  event_id         = "event_id"
  consumer_package = var.package

  handler_tables = {
    stock        = { arn = aws_dynamodb_table.stock.arn }
    reservations = { arn = aws_dynamodb_table.reservations.arn }
  }
  environment = {
    STOCK_TABLE        = "handler-example-stock"
    RESERVATIONS_TABLE = "handler-example-reservations"
  }

  deletion_protection = false # an example is made to be removed
}

resource "aws_dynamodb_table" "stock" {
  #checkov:skip=CKV_AWS_119:an example; the keys that AWS owns encrypt it
  #checkov:skip=CKV_AWS_28:an example is made to be removed
  #checkov:skip=CKV2_AWS_16:billed by request
  name         = "handler-example-stock"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "pk"

  attribute {
    name = "pk"
    type = "S"
  }
}

resource "aws_dynamodb_table" "reservations" {
  #checkov:skip=CKV_AWS_119:an example; the keys that AWS owns encrypt it
  #checkov:skip=CKV_AWS_28:an example is made to be removed
  #checkov:skip=CKV2_AWS_16:billed by request
  name         = "handler-example-reservations"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "pk"

  attribute {
    name = "pk"
    type = "S"
  }
}

output "queue_url" {
  description = "Send reservations here: `{\"event_id\": \"...\", \"sku\": \"...\"}`."
  value       = module.reservations.queue_url
}
