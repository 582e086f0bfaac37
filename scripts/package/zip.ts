import { type Zippable, zipSync } from 'fflate';

/**
 * A zip whose bytes depend on the names and contents of its entries and on nothing else.
 *
 * - Sorted entries: the order of a directory listing differs between file systems.
 * - One time stamp, the first day that the format knows. It is given in local time because the format stores local
 *   time; noon, so that no time zone's clock change falls on it.
 * - Mode 0644 (T-19): Lambda runs the code as another user than the one that owns it.
 * - STORE: the output of deflate differs between zlib builds, and Lambda unpacks once for a container.
 */
export function reproducibleZip(entries: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const mtime = new Date(1980, 0, 1, 12);
  const attrs = (0o100644 << 16) >>> 0;
  const files: Zippable = {};
  for (const name of [...entries.keys()].sort()) {
    files[name] = [entries.get(name) as Uint8Array, { level: 0, mtime, os: 3, attrs }];
  }
  return zipSync(files);
}
