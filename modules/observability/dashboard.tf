# Four questions, one row each: is it flowing, is it keeping up, what fails and why, what does it cost.

resource "aws_cloudwatch_dashboard" "this" {
  count = var.dashboard ? 1 : 0

  dashboard_name = var.name
  dashboard_body = jsonencode({ widgets = concat(local.headings, local.graphs) })
}

locals {
  ours = "idempotent-pipeline"

  rows = [
    {
      title = "Is it flowing?"
      graphs = [
        { title = "Events", metrics = [for name in ["Received", "Committed", "Duplicates", "NotOurs"] : [local.ours, name, "pipeline", var.name, { stat = "Sum" }]] },
        { title = "Notifications", metrics = [
          [local.ours, "Notifications", "pipeline", var.name, { stat = "Sum" }],
          ["AWS/SNS", "NumberOfNotificationsDelivered", "TopicName", var.topic_name, { stat = "Sum", label = "Delivered" }],
          ["AWS/SNS", "NumberOfNotificationsFailed", "TopicName", var.topic_name, { stat = "Sum", label = "Not delivered" }],
        ] },
        { title = "Age of events when they are sent (ms)", metrics = [for stat in ["p50", "p99"] : [local.ours, "EventAge", "pipeline", var.name, { stat = stat, label = stat }]] },
      ]
    },
    {
      title = "Is it keeping up?"
      graphs = [
        { title = "Queue", metrics = [
          ["AWS/SQS", "ApproximateNumberOfMessagesVisible", "QueueName", var.queue_name, { stat = "Maximum", label = "waiting" }],
          ["AWS/SQS", "ApproximateNumberOfMessagesNotVisible", "QueueName", var.queue_name, { stat = "Maximum", label = "in flight" }],
        ] },
        { title = "Oldest message (s)", metrics = [["AWS/SQS", "ApproximateAgeOfOldestMessage", "QueueName", var.queue_name, { stat = "Maximum" }]] },
        { title = "Consumer", metrics = [
          ["AWS/Lambda", "ConcurrentExecutions", "FunctionName", var.consumer_name, { stat = "Maximum" }],
          ["AWS/Lambda", "Duration", "FunctionName", var.consumer_name, { stat = "p99", yAxis = "right" }],
          [local.ours, "DeferredAtDeadline", "pipeline", var.name, { stat = "Sum" }],
        ] },
      ]
    },
    {
      title = "What fails, and why?"
      graphs = [
        { title = "Returned to the queue, by reason", metrics = [[{ expression = "SEARCH('{${local.ours},pipeline,reason} pipeline=\"${var.name}\" MetricName=\"Failed\"', 'Sum', 300)", id = "failed" }]] },
        { title = "Quarantined, by reason", metrics = [[{ expression = "SEARCH('{${local.ours},pipeline,reason} pipeline=\"${var.name}\" MetricName=\"Quarantined\"', 'Sum', 300)", id = "quarantined" }]] },
        { title = "Dead-letter queue, errors, throttles", metrics = concat([
          ["AWS/SQS", "ApproximateNumberOfMessagesVisible", "QueueName", var.dlq_name, { stat = "Maximum", label = "dead letters" }],
          ["AWS/Lambda", "Errors", "FunctionName", var.consumer_name, { stat = "Sum" }],
          ["AWS/Lambda", "Throttles", "FunctionName", var.consumer_name, { stat = "Sum" }],
          ["AWS/Lambda", "RecursiveInvocationsDropped", "FunctionName", var.consumer_name, { stat = "Sum", label = "Loops dropped" }],
        ], [for relay in var.relay == null ? [] : [var.relay] : ["AWS/Lambda", "Errors", "FunctionName", relay.name, { stat = "Sum", label = "Errors of the relay" }]]) },
        { title = "Rows in trouble", metrics = [
          [local.ours, "RowsInTrouble", "pipeline", var.name, { stat = "Maximum" }],
          [local.ours, "OldestRowInTrouble", "pipeline", var.name, { stat = "Maximum", yAxis = "right", label = "age (s)" }],
          [local.ours, "Relayed", "pipeline", var.name, { stat = "Sum" }],
          [local.ours, "LeaseWaits", "pipeline", var.name, { stat = "Sum" }],
        ] },
      ]
    },
    {
      title = "What does it cost?"
      graphs = [
        { title = "Units of the tables", metrics = concat([for label, table in var.table_names : [
          for kind in ["Write", "Read"] :
          ["AWS/DynamoDB", "Consumed${kind}CapacityUnits", "TableName", table, { stat = "Sum", label = "${label}: ${lower(kind)}" }]
        ]]...) },
        { title = "Invocations, and messages in one", metrics = [
          ["AWS/Lambda", "Invocations", "FunctionName", var.consumer_name, { stat = "Sum" }],
          [local.ours, "BatchSize", "pipeline", var.name, { stat = "Average", yAxis = "right" }],
        ] },
        { title = "Log bytes", metrics = [["AWS/Logs", "IncomingBytes", "LogGroupName", var.log_group_name, { stat = "Sum" }]] },
      ]
    },
  ]

  row_height = 7

  headings = [
    for index, row in local.rows : {
      type       = "text"
      x          = 0
      y          = index * local.row_height
      width      = 24
      height     = 1
      properties = { markdown = "## ${row.title}" }
    }
  ]

  graphs = flatten([
    for index, row in local.rows : [
      for place, graph in row.graphs : {
        type   = "metric"
        x      = place * (24 / length(row.graphs))
        y      = index * local.row_height + 1
        width  = 24 / length(row.graphs)
        height = local.row_height - 1
        properties = {
          title   = graph.title
          region  = var.region
          view    = "timeSeries"
          period  = local.five_minutes
          metrics = graph.metrics
          yAxis   = { left = { min = 0 } }
        }
      }
    ]
  ])
}
