import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { VALUES_PAGE, valuesPage } from '../../../scripts/docs/values.ts';

describe('docs/values.md', () => {
  it('says what the code does: scripts/node scripts/docs/values.ts writes it', () => {
    expect(readFileSync(VALUES_PAGE, 'utf8')).toBe(valuesPage());
  });
});
