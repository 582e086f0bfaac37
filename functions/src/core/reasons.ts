/**
 * The one vocabulary of reasons. Logs, metrics, dead-letter attributes, the runbook and the docs use these words and no
 * others; the docs' table is generated from this list. A reason's text is fixed: it never holds a piece of a body.
 */
export const PERMANENT_REASONS = {
  not_json: 'The body is not JSON.',
  not_an_object: 'The body is JSON, but not an object.',
  duplicate_member: 'A JSON object names the same member twice.',
  too_deep: 'A value is nested deeper than DynamoDB stores (32 levels).',
  not_well_formed: 'A string is not well-formed Unicode (a lone surrogate).',
  number_out_of_range: 'A number has more than 38 digits or lies outside of what DynamoDB stores.',
  envelope_invalid: 'The envelope around the event is not in its documented shape.',
  event_id_missing: 'The expression for the event id finds nothing.',
  event_id_invalid: 'The event id is no string, is empty or blank, or is longer than DynamoDB allows for a key.',
  fingerprint_missing: 'The expression for the fingerprint finds nothing.',
  schema_violation: 'The event does not match the JSON Schema or the input type of the handler.',
  mapping_failed: 'An expression of the mapping cannot be evaluated for this event.',
  business_key_missing: 'The expression for the business key finds nothing.',
  business_key_invalid: 'The business key has the wrong type, is empty, or is longer than DynamoDB allows for a key.',
  version_invalid: 'The expression for the version does not find a number.',
  item_not_an_object: 'The expression for the business item does not find an object.',
  item_key_conflict: 'The business item holds another value under the name of a key attribute.',
  item_too_large: 'An item would be larger than the 400 KB that DynamoDB stores.',
  value_not_storable: 'A value or a name has no form in DynamoDB (undefined, an empty set, a class instance, a date).',
  transaction_too_large:
    'One event writes more than 100 items or 4 MB, or by an expression above 4 KB or 300 operators.',
  transaction_self_conflict: 'One event writes the same item twice, or writes to the processed_events row.',
  notification_too_large: 'A notification is larger than the topic accepts.',
  notification_invalid: 'A notification, its subject, an attribute or an id breaks a rule of SNS.',
  payload_mismatch: 'Another event with another payload already used this event id.',
  business_rejected: 'A condition of a business write rejected the event (by default: the business key exists).',
  request_refused: 'DynamoDB refuses this event on its own as invalid.',
} as const;

export const TRANSIENT_REASONS = {
  conflict: 'Another transaction held an item of this event.',
  throttled: 'DynamoDB throttled the call.',
  cancelled_unknown: 'The transaction was cancelled without a reason that is known.',
  commit_unknown: 'The outcome of the commit is unknown (time-out, network, 5xx).',
  commit_failed: 'The commit could not be made (access, encryption key, missing table).',
  look_up_failed: 'The row could not be read.',
  row_missing: 'The row that cancelled the commit is gone.',
  row_newer: 'The row was written by a newer version of the consumer.',
  lease_held: 'Another attempt holds the lease and may still be publishing.',
  takeover_failed: 'The lease could not be taken over.',
  publish_failed: 'SNS did not accept the notification.',
  publish_unknown: 'The outcome of the publish is unknown (time-out, network, 5xx).',
  mark_failed: 'The row could not be marked as sent.',
  handler_failed: 'The handler threw an exception, or did not answer in time.',
  replan_exhausted: 'The items that the plan depends on changed too often.',
  deadline: 'Not started in time: the function was close to its timeout.',
  lane_blocked: 'An earlier message of the same group failed.',
  breaker_open: 'Most of the batch is permanent: quarantine is held back.',
  quarantine_off: 'The failure is permanent and quarantine is switched off.',
  quarantine_failed: 'The dead-letter queue did not accept the message.',
  commit_pending: 'An event of this message may still be committed by a call whose outcome is unknown.',
  internal: 'The consumer itself failed; the log has the error.',
} as const;

/** Not this pipeline's events: acknowledged and counted. */
export const NOT_OURS_REASONS = {
  s3_test_event: 'The test event that S3 sends when a notification is set up.',
  no_events: 'The envelope holds no events.',
  filtered: "Excluded by the operator's filter.",
} as const;

export type PermanentReason = keyof typeof PERMANENT_REASONS;
export type TransientReason = keyof typeof TRANSIENT_REASONS;
export type NotOursReason = keyof typeof NOT_OURS_REASONS;
export type Reason = PermanentReason | TransientReason | NotOursReason;

export function reasonText(reason: Reason): string {
  return { ...PERMANENT_REASONS, ...TRANSIENT_REASONS, ...NOT_OURS_REASONS }[reason];
}
