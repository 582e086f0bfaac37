import { Logger } from '@aws-lambda-powertools/logger';
import type { Context } from 'aws-lambda';
import { reasonText } from '../core/reasons.ts';
import type { LogFields, Telemetry } from '../ports.ts';
import { createMetricsBuffer } from './metrics-buffer.ts';

export type LogLevel = 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';

export interface InvocationTelemetry extends Telemetry {
  /** Adds the request id and the function's facts to every line of this invocation. */
  begin(context: Context): void;
  /** Writes the metrics of the invocation; once, at its end. */
  flush(): void;
}

/**
 * Structured logs and metrics in CloudWatch's embedded format, both on standard output: no call to AWS, no agent. Fields
 * are a closed list without a body in it, and a reason's text is a fixed sentence.
 */
export function createTelemetry(pipelineName: string, logLevel: LogLevel): InvocationTelemetry {
  const logger = new Logger({ serviceName: pipelineName, logLevel });
  const metrics = createMetricsBuffer(pipelineName);
  return {
    begin: (context) => logger.addContext(context),
    info: (message, fields) => logger.info(message, extra(fields)),
    warn: (message, fields) => logger.warn(message, extra(fields)),
    error: (message, fields) => logger.error(message, extra(fields)),
    count: metrics.count,
    flush: metrics.flush,
  };
}

function extra(fields: LogFields | undefined): { [name: string]: string | number } {
  if (fields === undefined) return {};
  if (fields.reason === undefined) return { ...fields };
  return { ...fields, reason_text: reasonText(fields.reason) };
}
