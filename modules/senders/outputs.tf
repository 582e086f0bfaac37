output "grants" {
  description = "For each sender: `name`, `service` (true for a service principal), `principal`, `condition`."
  value       = local.grants
}
