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
  let all: Record<string, SdkMessageAttribute> | undefined;
  for (const [name, { type, value }] of Object.entries(attributes)) {
    all ??= {};
    all[name] = isBinary(type)
      ? { DataType: type, BinaryValue: Buffer.from(value, 'base64') }
      : { DataType: type, StringValue: value };
  }
  return all;
}

export function isBinary(type: string): boolean {
  return type === 'Binary' || type.startsWith('Binary.');
}
