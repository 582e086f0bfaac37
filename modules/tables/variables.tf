variable "name" {
  description = "Prefix of the tables' names: `<name>-processed-events` and `<name>-business`."
  type        = string
  nullable    = false
}

variable "create_processed_events" {
  description = "False when the caller brings a table of its own."
  type        = bool
  default     = true
  nullable    = false
}

variable "create_business" {
  description = "False when the caller brings a table of its own."
  type        = bool
  default     = true
  nullable    = false
}

variable "business_hash_key" {
  description = "Name and type (`S` or `N`) of the business table's hash key."
  type = object({
    name = string
    type = string
  })
  default  = { name = "pk", type = "S" }
  nullable = false
}

variable "business_sort_key" {
  description = "Name and type (`S` or `N`) of the business table's sort key. Null: the table has none."
  type = object({
    name = string
    type = string
  })
  default = null
}

variable "deletion_protection" {
  description = "DynamoDB refuses to delete the tables while this is true."
  type        = bool
  default     = true
  nullable    = false
}

variable "point_in_time_recovery" {
  description = "The tables can be restored to any second of the last 35 days."
  type        = bool
  default     = true
  nullable    = false
}

variable "kms" {
  description = "Customer managed key for both tables. Null: the key that AWS owns, at no cost."
  type        = object({ key_arn = string })
  default     = null
}

variable "throughput_caps" {
  description = "Most units a second that each on-demand table may use, 1 and more. Null, as a whole or one of them: no cap."
  type = object({
    processed_events_read_units  = optional(number)
    processed_events_write_units = optional(number)
    business_read_units          = optional(number)
    business_write_units         = optional(number)
  })
  default = null
}

variable "tags" {
  description = "Tags of both tables."
  type        = map(string)
  default     = {}
  nullable    = false
}
