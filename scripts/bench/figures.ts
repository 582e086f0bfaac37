import type { Variant } from './build.ts';

export interface Spread {
  readonly median: number;
  /** First and third quartile. */
  readonly low: number;
  readonly high: number;
}

/** One variant at one batch size and one share of duplicates; times are per message. */
export interface ScenarioFigures {
  readonly variant: Variant;
  readonly batchSize: number;
  readonly duplicates: number;
  readonly batches: number;
  readonly messagesPerSecond: number;
  readonly cpuMs: Spread;
  readonly wallMs: Spread;
  readonly callsPerMessage: number;
  readonly writeUnitsPerMessage: number;
  readonly readUnitsPerMessage: number;
  /** Write units, a read unit counted as a fifth of one. */
  readonly capacityPerMessage: number;
  readonly peakRssBytes: number;
}

export interface HeapFigures {
  readonly after20Bytes: number;
  readonly after200Bytes: number;
}

/** The pipeline at batch 100 while a share of its writes meets another writer of the same item. */
export interface ConflictFigures {
  readonly share: number;
  readonly grouping: boolean;
  readonly cpuMs: Spread;
  readonly wallMs: Spread;
  readonly callsPerMessage: number;
  readonly writeUnitsPerMessage: number;
  /** Share of messages that were returned, to be tried again later. */
  readonly comeBack: number;
}

export interface ColdStartFigures {
  readonly wallMs: Spread;
  readonly cpuMs: Spread;
}

export interface Figures {
  readonly scenarios: ScenarioFigures[];
  conflicts: ConflictFigures[];
  heap: HeapFigures | undefined;
  coldStart: Record<string, ColdStartFigures> | undefined;
  readonly bundleBytes: Record<string, number>;
}

export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((left, right) => left - right);
  const at = (share: number): number => {
    const place = share * (sorted.length - 1);
    const below = sorted[Math.floor(place)] ?? 0;
    return below + ((sorted[Math.ceil(place)] ?? 0) - below) * (place % 1);
  };
  return { median: at(0.5), low: at(0.25), high: at(0.75) };
}
