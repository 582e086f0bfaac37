import type { Mapping } from '../../src/core/mapping.ts';
import type { Decoded, DecodedEvent, MessageAttribute, SourceRecord } from '../../src/core/types.ts';

/** A record as a source delivers it, with defaults for what a test does not care about. */
export function record(body: unknown, overrides: Partial<SourceRecord> = {}): SourceRecord {
  return {
    id: 'm1',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    attributes: {},
    receiveCount: 1,
    ...overrides,
  };
}

export const mapping: Mapping = {
  envelope: 'none',
  eventId: 'id',
  businessTable: 'orders',
  processedEventsTable: 'processed_events',
  businessHashKey: { name: 'pk', type: 'S' },
  businessKey: 'id',
  onExistingKey: 'reject',
  topicArn: 'arn:aws:sns:eu-central-1:111122223333:orders',
  topicFifo: false,
};

export function text(value: string): MessageAttribute {
  return { type: 'String', value };
}

/** The only event of a record that must have one. */
export function onlyEvent(decoded: Decoded): DecodedEvent {
  if (decoded.kind !== 'events' || decoded.events.length !== 1 || decoded.issues.length > 0) {
    throw new Error(`not one event: ${JSON.stringify(decoded)}`);
  }
  return decoded.events[0] as DecodedEvent;
}
