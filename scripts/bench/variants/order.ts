/** What the events of the benchmark hold; every variant writes the whole order and announces its event id. */
export interface OrderEvent {
  readonly event_id: string;
  readonly order_id: string;
  readonly [field: string]: unknown;
}

/** The stub knows the variant by the first word of every name. */
export const names = {
  processed: process.env.PROCESSED_EVENTS_TABLE ?? '',
  orders: process.env.BUSINESS_TABLE ?? '',
  idempotency: process.env.IDEMPOTENCY_TABLE ?? '',
  topic: process.env.TOPIC_ARN ?? '',
};
