/** DynamoDB's attribute-value form, as plain data: the core builds and reads it without the SDK. */
export type AttributeValue =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly B: Uint8Array }
  | { readonly BOOL: boolean }
  | { readonly NULL: true }
  | { readonly L: readonly AttributeValue[] }
  | { readonly M: AttributeMap }
  | { readonly SS: readonly string[] }
  | { readonly NS: readonly string[] }
  | { readonly BS: readonly Uint8Array[] };

/** An item, or the key of one. */
export interface AttributeMap {
  readonly [name: string]: AttributeValue;
}
