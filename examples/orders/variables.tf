variable "name" {
  description = "Name of the pipeline and prefix of everything that the example creates."
  type        = string
  default     = "orders"
}

variable "environment" {
  description = "Further environment variables of the functions, such as an endpoint of local AWS."
  type        = map(string)
  default     = {}
}
