import { type Envelope, openRecord, type Unwrapped } from './envelopes.ts';
import { compileCondition, compileExpression, type Expression } from './expression.ts';
import { payloadHash } from './hash.ts';
import { ExactNumber, isPresent, type JsonObject, type JsonValue, type Result } from './json-value.ts';
import { HASH_KEY_MAX_BYTES } from './limits.ts';
import type { PermanentReason } from './reasons.ts';
import { utf8Bytes } from './size.ts';
import type { Decoded, DecodedEvent, DecodeIssue, SourceRecord } from './types.ts';

/** Where the ids of an event are found. The expressions are JMESPath over the unwrapped event. */
export interface DecodeMapping {
  readonly envelope: Envelope;
  readonly eventId: string;
  /** Put in front of the producer's id where pipelines share a table. */
  readonly eventIdPrefix?: string;
  /** The part of the event that must not change under one id; absent: the whole event. */
  readonly fingerprint?: string;
  /** Absent: the message attribute `correlation_id`. */
  readonly correlationId?: string;
  /** Events for which it finds false, null or something empty are not this pipeline's. */
  readonly eventFilter?: string;
}

export interface Decoder {
  decode(record: SourceRecord): Decoded;
}

const CORRELATION_ID_MAX_BYTES = 1024;

export function createDecoder(mapping: DecodeMapping): Decoder {
  const eventId = compileExpression(mapping.eventId, 'event_id');
  const fingerprint = optional(mapping.fingerprint, 'fingerprint');
  const correlationId = optional(mapping.correlationId, 'correlation_id');
  const filter = mapping.eventFilter === undefined ? undefined : compileCondition(mapping.eventFilter, 'event_filter');
  const prefix = mapping.eventIdPrefix ?? '';

  const findEventId = (payload: JsonObject) => readEventId(eventId(payload), prefix);
  const findOurs = (payload: JsonObject): Result<boolean, PermanentReason> => ({
    ok: true,
    value: filter === undefined || filter(payload),
  });
  const findFingerprint = (payload: JsonObject) =>
    readFingerprint(fingerprint === undefined ? payload : fingerprint(payload));

  /** An event, an issue, or undefined for one that the filter excludes and that has no id of ours. */
  function decodePart(part: Unwrapped, record: SourceRecord): DecodedEvent | DecodeIssue | undefined {
    const id = attempt(findEventId, part.payload);
    const ours = attempt(findOurs, part.payload);
    if (!id.ok) return ours.ok && !ours.value ? undefined : id;
    const issue = (reason: PermanentReason): DecodeIssue => ({ reason, eventId: id.value });
    if (!ours.ok) return issue(ours.reason);
    const excluded = !ours.value;
    const hash = attempt(findFingerprint, part.payload);
    if (!hash.ok && !excluded) return issue(hash.reason);
    const correlated = correlationOf(correlationId, part);
    return {
      eventId: id.value,
      payload: part.payload,
      // Another kind of event need not have the part that is the fingerprint of ours, and its hash is never compared.
      payloadHash: hash.ok ? hash.value : payloadHash(part.payload),
      ...(excluded && { excluded }),
      attributes: part.attributes,
      messageId: record.id ?? '',
      ...(correlated !== undefined && { correlationId: correlated }),
      ...(record.groupId !== undefined && { groupId: record.groupId }),
      ...(record.sentAtMs !== undefined && { sentAtMs: record.sentAtMs }),
    };
  }

  return {
    decode(record) {
      const opened = openRecord(record, mapping.envelope);
      if (opened.kind === 'not_ours') return opened;
      const events: DecodedEvent[] = [];
      const issues: DecodeIssue[] = [];
      let excluded = 0;
      for (const part of opened.parts) {
        const decoded = part.ok ? decodePart(part.value, record) : part;
        if (decoded === undefined) excluded += 1;
        else if ('payload' in decoded) events.push(decoded);
        else issues.push({ reason: decoded.reason, ...('eventId' in decoded && { eventId: decoded.eventId }) });
      }
      return events.length + issues.length === 0
        ? { kind: 'not_ours', reason: 'filtered' }
        : { kind: 'events', events, issues, ...(excluded > 0 && { excluded }) };
    },
  };
}

export function optional(text: string | undefined, variable: string): Expression | undefined {
  return text === undefined ? undefined : compileExpression(text, variable);
}

/** An expression throws when one of its functions gets a value that it cannot take: that is the event's fault. */
export function attempt<A, T>(
  evaluate: (event: A) => Result<T, PermanentReason>,
  event: A,
): Result<T, PermanentReason> {
  try {
    return evaluate(event);
  } catch {
    return { ok: false, reason: 'mapping_failed' };
  }
}

function readEventId(found: JsonValue, prefix: string): Result<string, PermanentReason> {
  if (!isPresent(found)) return { ok: false, reason: 'event_id_missing' };
  // A blank id is a mistake of the producer that its next event would share.
  if (typeof found !== 'string' || found.trim() === '') return { ok: false, reason: 'event_id_invalid' };
  const eventId = prefix + found;
  if (utf8Bytes(eventId) > HASH_KEY_MAX_BYTES) return { ok: false, reason: 'event_id_invalid' };
  return { ok: true, value: eventId };
}

function readFingerprint(found: JsonValue): Result<string, PermanentReason> {
  return isPresent(found) ? { ok: true, value: payloadHash(found) } : { ok: false, reason: 'fingerprint_missing' };
}

/** For people and logs: it never fails an event. */
function correlationOf(expression: Expression | undefined, part: Unwrapped): string | undefined {
  let found: JsonValue;
  try {
    found = expression === undefined ? (part.attributes.correlation_id?.value ?? null) : expression(part.payload);
  } catch {
    return undefined;
  }
  const text = typeof found === 'number' || found instanceof ExactNumber ? String(found) : found;
  return typeof text === 'string' && text !== '' && utf8Bytes(text) <= CORRELATION_ID_MAX_BYTES ? text : undefined;
}
