import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import * as limits from '../../src/core/limits.ts';

const SOURCES = new URL('../../src/', import.meta.url);

/** Every source but the limits themselves, as one text. */
const code = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('core/limits.ts'))
  .map((path) => readFileSync(new URL(path, SOURCES), 'utf8'))
  .join('\n');

describe('a limit', () => {
  it.each(Object.keys(limits))(
    '%s is kept by somebody: a limit that nothing checks promises what nobody does',
    (name) => {
      expect(new RegExp(`\\b${name}\\b`).test(code)).toBe(true);
    },
  );
});
