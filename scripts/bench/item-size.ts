/** A value in DynamoDB's attribute-value form, as the stub gets it over the wire. */
export type Wire = { readonly [type: string]: unknown };
export type WireItem = Readonly<Record<string, Wire>>;

/**
 * Bytes of an item as DynamoDB counts them.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export function itemBytes(item: WireItem): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(item)) bytes += Buffer.byteLength(name) + valueBytes(value);
  return bytes;
}

function valueBytes(value: Wire): number {
  const [type, content] = Object.entries(value)[0] as [string, never];
  switch (type) {
    case 'S':
      return Buffer.byteLength(content as string);
    case 'N':
      return Math.ceil((content as string).length / 2) + 1;
    case 'M':
      return 3 + itemBytes(content as WireItem) + Object.keys(content).length;
    case 'L':
      return 3 + (content as Wire[]).reduce((sum, entry) => sum + 1 + valueBytes(entry), 0);
    case 'B':
      return Buffer.byteLength(content as string, 'base64');
    default:
      return 1;
  }
}

/** Units of one standard write; a transactional one costs twice as much. */
export const writeUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 1024));

/** Units of one strongly consistent read, of a missing item too. */
export const readUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 4096));
