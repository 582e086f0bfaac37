resource "aws_cloudwatch_metric_alarm" "this" {
  for_each = local.alarms

  alarm_name        = "${var.name}-${replace(each.key, "_", "-")}"
  alarm_description = "${each.value.advice} Runbook: ${var.runbook_url}#${each.key}"
  alarm_actions     = var.topic_arns
  ok_actions        = var.topic_arns

  comparison_operator = each.value.silence ? "LessThanThreshold" : "GreaterThanThreshold"
  threshold           = each.value.silence ? 1 : each.value.threshold * each.value.factor
  evaluation_periods  = each.value.points
  datapoints_to_alarm = each.value.points
  # No data is no trouble, except where silence is what is looked for.
  treat_missing_data = each.value.silence ? "breaching" : "notBreaching"

  namespace   = each.value.metric == null ? null : each.value.metric.namespace
  metric_name = each.value.metric == null ? null : each.value.metric.name
  statistic   = each.value.metric == null ? null : each.value.metric.stat
  dimensions  = each.value.metric == null ? null : each.value.metric.dimensions
  period      = each.value.metric == null ? null : each.value.silence ? each.value.threshold * 60 : local.five_minutes

  dynamic "metric_query" {
    for_each = each.value.metrics

    content {
      id    = metric_query.key
      label = metric_query.value.name

      metric {
        namespace   = metric_query.value.namespace
        metric_name = metric_query.value.name
        stat        = metric_query.value.stat
        dimensions  = metric_query.value.dimensions
        period      = local.five_minutes
      }
    }
  }

  dynamic "metric_query" {
    for_each = each.value.expression == null ? [] : [each.value.expression]

    content {
      id          = "result"
      label       = each.key
      expression  = metric_query.value
      return_data = true
    }
  }

  tags = var.tags
}

# What a pager should listen to: one alarm for everything that means harm to the promises or to the flow.
resource "aws_cloudwatch_composite_alarm" "unhealthy" {
  count = length(local.unhealthy) == 0 ? 0 : 1

  alarm_name        = "${var.name}-unhealthy"
  alarm_description = "The pipeline ${var.name} is unhealthy: at least one of its alarms that mean harm is on. Runbook: ${var.runbook_url}#unhealthy"
  alarm_rule        = join(" OR ", [for name in local.unhealthy : "ALARM(\"${aws_cloudwatch_metric_alarm.this[name].alarm_name}\")"])
  tags              = var.tags
}

locals {
  unhealthy = sort([for name, alarm in local.alarms : name if alarm.unhealthy])
}
