import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

describe('the protocol over all interleavings', () => {
  it('keeps G1, G3, G4 and G2 for two deliveries, and every mutant of it is caught (scripts/verify-model.sh runs three)', async () => {
    const script = fileURLToPath(new URL('../../scripts/verify-model.sh', import.meta.url));
    const { stdout } = await promisify(execFile)(script, ['--quick']);
    expect(stdout).toContain('every property holds over all interleavings, every mutant is caught');
  }, 300_000);
});
