import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder that holds this checkout of the project. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * A path below the one folder that everything of a checkout is written to: state, logs, plugin cache, temporary files.
 * Two checkouts on one machine share nothing, and removing the checkout removes all of it.
 */
export function scratch(...path: string[]): string {
  const full = join(root, '.scratch', ...path);
  mkdirSync(dirname(full), { recursive: true });
  return full;
}

/** The same for a folder, which is made. */
export function scratchFolder(...path: string[]): string {
  const full = join(root, '.scratch', ...path);
  mkdirSync(full, { recursive: true });
  return full;
}
