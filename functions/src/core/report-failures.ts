import type { Failed, Telemetry } from '../ports.ts';

/** What an answer leaves out has failed, under this name. */
const MISSING_FROM_ANSWER = 'MissingFromAnswer';

/** The outcome of an entry that an answer leaves out. */
export const NOT_ANSWERED = { kind: 'failed', name: MISSING_FROM_ANSWER } as const;

/**
 * Once for each name: an outage fails every entry alike, and the name tells a missing permission from throttling, and
 * both from a time-out.
 */
export function reportFailures(
  { telemetry }: { readonly telemetry: Telemetry },
  message: string,
  names: Iterable<string>,
): void {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const [error_name, count] of counts) telemetry.warn(message, { error_name, count });
}

/** Names of the failures among the outcomes of a call. */
export function failureNames(outcomes: Iterable<{ readonly kind: string } | FailedOutcome>): string[] {
  const names: string[] = [];
  for (const outcome of outcomes) if (isFailed(outcome)) names.push(outcome.name);
  return names;
}

/** Names of the failures among `count` entries of a call to the queue. */
export function refusedNames(answer: readonly Failed[], count: number): string[] {
  const names: string[] = [];
  for (let position = 0; position < count; position += 1) {
    const failed = answer[position] ?? MISSING_FROM_ANSWER;
    if (failed !== false) names.push(failed);
  }
  return names;
}

interface FailedOutcome {
  readonly kind: 'failed';
  readonly name: string;
}

function isFailed(outcome: { readonly kind: string }): outcome is FailedOutcome {
  return outcome.kind === 'failed';
}
