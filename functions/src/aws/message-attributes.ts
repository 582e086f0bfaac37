import type { MessageAttribute } from '../core/types.ts';

/** What SNS and SQS have in common. */
export interface SdkMessageAttribute {
  readonly DataType: string;
  readonly StringValue?: string;
  readonly BinaryValue?: Uint8Array;
}

/** Undefined when there is none. Binary values are base64 text on our side, and may carry a custom type (`Binary.gzip`). */
export function messageAttributes(
  attributes: Readonly<Record<string, MessageAttribute>>,
): Record<string, SdkMessageAttribute> | undefined {
  const entries = Object.entries(attributes);
  if (entries.length === 0) return undefined;
  // `fromEntries`, since an assignment to the legal name `__proto__` would lose the attribute.
  return Object.fromEntries(
    entries.map(([name, { type, value }]) => [
      name,
      isBinary(type)
        ? { DataType: type, BinaryValue: Buffer.from(value, 'base64') }
        : { DataType: type, StringValue: value },
    ]),
  );
}

export function isBinary(type: string): boolean {
  return type === 'Binary' || type.startsWith('Binary.');
}
