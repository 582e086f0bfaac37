import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Reason } from '../core/reasons.ts';
import type { MetricName, Telemetry } from '../ports.ts';

export const METRICS_NAMESPACE = 'idempotent-pipeline';
/** The dimension that every metric has; its value is the pipeline's name. */
export const PIPELINE_DIMENSION = 'pipeline';
/** The second dimension of metrics that are counted by reason. */
export const REASON_DIMENSION = 'reason';

/** Metrics that are measured rather than counted: every value is kept, not their sum. */
const MEASURED: Partial<Record<MetricName, (typeof MetricUnit)[keyof typeof MetricUnit]>> = {
  EventAge: MetricUnit.Milliseconds,
  BatchSize: MetricUnit.Count,
  RowsInTrouble: MetricUnit.Count,
  OldestRowInTrouble: MetricUnit.Seconds,
};

export interface MetricsBuffer {
  readonly count: Telemetry['count'];
  flush(): void;
}

/**
 * Adds up in memory and writes once an invocation, so that a thousand messages cost one line. A metric with a reason is
 * written twice: in the sum of all reasons, which alarms watch, and under its reason, in a line of its own, since one
 * line of the embedded format has one set of dimensions for all its metrics.
 */
export function createMetricsBuffer(pipelineName: string): MetricsBuffer {
  const dimension = { [PIPELINE_DIMENSION]: pipelineName };
  let sums = new Map<MetricName, number>();
  let measured: [MetricName, number][] = [];
  let byReason = new Map<Reason, Map<MetricName, number>>();
  let total: Metrics | undefined;

  return {
    count(metric, value, reason) {
      if (MEASURED[metric] !== undefined) {
        measured.push([metric, value]);
        return;
      }
      sums.set(metric, (sums.get(metric) ?? 0) + value);
      if (reason === undefined) return;
      const own = byReason.get(reason) ?? new Map<MetricName, number>();
      own.set(metric, (own.get(metric) ?? 0) + value);
      byReason.set(reason, own);
    },

    flush() {
      if (sums.size > 0 || measured.length > 0) {
        total ??= blob(dimension);
        for (const [metric, sum] of sums) total.addMetric(metric, MetricUnit.Count, sum);
        for (const [metric, value] of measured) total.addMetric(metric, MEASURED[metric] ?? MetricUnit.Count, value);
        // Powertools writes by itself when a metric has 100 values, the most that one line may carry.
        if (total.hasStoredMetrics()) total.publishStoredMetrics();
      }
      for (const [reason, own] of byReason) {
        const line = blob({ ...dimension, [REASON_DIMENSION]: reason });
        for (const [metric, sum] of own) line.addMetric(metric, MetricUnit.Count, sum);
        line.publishStoredMetrics();
      }
      sums = new Map();
      measured = [];
      byReason = new Map();
    },
  };
}

/** Powertools puts a dimension `service` of its own beside ours; two names for one thing are one too many. */
function blob(dimensions: Readonly<Record<string, string>>): Metrics {
  const metrics = new Metrics({ namespace: METRICS_NAMESPACE });
  metrics.clearDefaultDimensions();
  metrics.setDefaultDimensions(dimensions);
  return metrics;
}
