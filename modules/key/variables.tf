variable "name" {
  description = "Name of the key's alias, without `alias/`."
  type        = string
  nullable    = false
}

variable "aws" {
  description = "Partition and account id, read once by the caller."
  type = object({
    partition  = string
    account_id = string
  })
  nullable = false
}

variable "policy_statements_json" {
  description = "Statements of the key's policy beside the account's own, as the JSON text of a list: who may use the key through which service."
  type        = string
  default     = "[]"
  nullable    = false
}

variable "deletion_window_days" {
  description = "Days between the destruction of the key and its end, 7 to 30, in which it can be brought back."
  type        = number
  default     = 30
  nullable    = false
}

variable "tags" {
  description = "Tags of the key."
  type        = map(string)
  default     = {}
  nullable    = false
}
