variable "name" {
  description = "Name of the pipeline and prefix of everything that the example creates."
  type        = string
  default     = "uploads"
}

variable "alarms" {
  description = "True: with the alarms of the module, as in any real account. Off by default, since emulators of AWS do not give back alarms as they were stored, and every plan would show a change."
  type        = bool
  default     = false
}
