import type { Telemetry } from '../../functions/src/ports.ts';
import type { Instance } from './container.ts';

/** Logs go into the timeline; of the metrics only what a check needs is looked at. */
export function telemetryOf(host: Instance): Telemetry {
  const { world } = host;
  const log = (message: string, fields?: object): void =>
    world.trace(() => `${host.name} logs: ${message} ${JSON.stringify(fields ?? {})}`);
  return {
    info: log,
    warn: (message, fields) => {
      log(message, fields);
      if (message === 'failed: comes back' && fields?.reason !== undefined && fields.message_id !== undefined)
        world.returned(fields.message_id, fields.receive_count ?? 0, fields.reason, host.invocation);
    },
    error: log,
    count: (metric) => {
      if (metric === 'BreakerOpen') host.hit('breaker opened');
    },
  };
}
