/** What the central directory of a zip says of one entry. */
export interface ZipEntry {
  readonly name: string;
  /** Unix permission bits; undefined when the entry was not made on Unix, which Lambda reads as no permission. */
  readonly mode: number | undefined;
  /** 0 is STORE. */
  readonly method: number;
  /** DOS date and time as they stand in the file. */
  readonly modified: number;
}

/** Reads the central directory (APPNOTE.TXT 4.3.12): unpacking libraries hide the mode and the method. */
export function zipEntries(zip: Buffer): readonly ZipEntry[] {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  const entries: ZipEntry[] = [];
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const nameLength = zip.readUInt16LE(at + 28);
    entries.push({
      name: zip.toString('utf8', at + 46, at + 46 + nameLength),
      mode: zip.readUInt8(at + 5) === 3 ? (zip.readUInt32LE(at + 38) >>> 16) & 0o7777 : undefined,
      method: zip.readUInt16LE(at + 10),
      modified: zip.readUInt32LE(at + 12),
    });
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return entries;
}
