import type { AttributeMap } from '../../functions/src/core/attribute-value.ts';
import { Broken } from './broken.ts';
import { numberText, textOf } from './dynamodb.ts';
import type { Ledger, Witness } from './ledger.ts';
import type { DeadLettered } from './sqs.ts';
import { SABOTAGE } from './traffic.ts';

/** Everything has come to rest: nothing may be owed to anybody. */
export function checkRest(ledger: Ledger, witness: Witness, dead: readonly DeadLettered[]): void {
  const { truth } = ledger;
  for (const spec of ledger.scenario.messages) {
    if (ledger.dropped.has(spec.origin)) continue;
    for (const event of spec.events) {
      const row = witness.row(event.eventId);
      if (row === undefined) {
        if (!truth.mayStayUncommitted(spec, event))
          throw new Broken('progress', `${event.eventId} (${spec.nature}) was never committed`);
        continue;
      }
      if (textOf(row.status) !== 'sent') throw new Broken('G2', `${event.eventId} is still pending`);
      if (!ledger.isPublished(event.eventId))
        throw new Broken('G2', `${event.eventId} is committed and was never published`);
    }
  }
  for (const letter of dead) {
    if (letter.redriven) continue;
    const spec = truth.specOf(letter.origin);
    if (
      spec !== undefined &&
      letter.by === 'receives' &&
      !truth.mayBeQuarantined(spec) &&
      !truth.looksLikeAnother(spec, letter.messageId) &&
      !SABOTAGE.has(spec.nature)
    ) {
      throw new Broken(
        'progress',
        `${letter.messageId} (${spec.nature}) ends in the dead-letter queue although all faults were over`,
      );
    }
  }
}

/** The business tables hold what the committed events say. */
export function checkBusiness(ledger: Ledger, item: (key: string) => AttributeMap | undefined): void {
  const { truth } = ledger;
  const { kind, messages } = ledger.scenario;
  const seen = new Map<string, { eventId: string; key: string; version: number }>();
  for (const spec of messages)
    for (const event of spec.events) if (ledger.commits.has(event.eventId)) seen.set(event.eventId, event);
  const byKey = new Map<string, number>();
  const newest = new Map<string, number>();
  for (const { key, version } of seen.values()) {
    byKey.set(key, (byKey.get(key) ?? 0) + 1);
    newest.set(key, Math.max(newest.get(key) ?? 0, version));
  }
  for (const [key, count] of byKey) {
    if (truth.sameIdTwice(key)) continue;
    if (kind === 'handler' && numberText(item(`count ${key}`)?.n) !== String(count))
      throw new Broken('G1', `the counter of ${key} says ${numberText(item(`count ${key}`)?.n)} after ${count} events`);
    if (kind !== 'handler' && item(key) === undefined) throw new Broken('G1', `the business item ${key} is missing`);
    if (kind === 'newer' && numberText(item(key)?.business_version) !== String(newest.get(key)))
      throw new Broken('G1', `the business item ${key} is not of its newest event`);
  }
}
