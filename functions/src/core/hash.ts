import { hash } from 'node:crypto';
import { canonicalJson } from './canonical.ts';
import type { JsonValue } from './json-value.ts';

/** Names the canonical form and the digest together. A new one gets a new name, and this one stays for stored rows. */
const ALGORITHM = 'v1';

/** `v1:` and the SHA-256, in hexadecimal, of the canonical form in UTF-8. */
export function payloadHash(value: JsonValue): string {
  return `${ALGORITHM}:${hash('sha256', canonicalJson(value), 'hex')}`;
}

/**
 * Compares under the algorithm that the row names. A row of an algorithm that this code does not know (written by a
 * newer version, before a rollback) says nothing about the payload.
 */
export function comparePayloadHash(stored: string, ours: string): 'same' | 'different' | 'unknown_algorithm' {
  if (stored === ours) return 'same';
  return /^v1:[0-9a-f]{64}$/.test(stored) ? 'different' : 'unknown_algorithm';
}
