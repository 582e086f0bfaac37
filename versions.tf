terraform {
  # 1.10 for validations that read other variables; 1.15.0 has a regression that was repaired in 1.15.1.
  required_version = ">= 1.10.0, != 1.15.0"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.100.0, < 7.0.0"
    }
  }
}

locals {
  # Reaches the functions as MODULE_VERSION, so that a log line tells which release wrote it.
  module_version = "0.1.0"
}
