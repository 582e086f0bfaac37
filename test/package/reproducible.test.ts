import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildZip, copySources, remove, root, scratch, setTimes, sha256 } from './build.ts';

describe('the zip is made of its sources and of nothing else', () => {
  const folder = scratch('reproducible');
  afterAll(() => remove(folder));

  const here = join(folder, 'here');
  const elsewhere = join(folder, 'a much longer path', 'with spaces', 'elsewhere');
  beforeAll(async () => {
    for (const tree of [here, elsewhere]) {
      mkdirSync(tree, { recursive: true });
      await copySources(tree);
    }
    setTimes(elsewhere, new Date('2001-02-03T04:05:06Z'));
  }, 60_000);

  it('T-18: has one SHA-256 whatever the umask, time zone, locale, checkout path and file times', () => {
    const one = buildZip(here, '022', { TZ: 'UTC', LC_ALL: 'C' });
    const other = buildZip(elsewhere, '077', {
      TZ: 'Pacific/Kiritimati',
      LC_ALL: 'tr_TR.UTF-8',
      SOURCE_DATE_EPOCH: '1',
    });
    const again = buildZip(here, '000', { TZ: 'America/St_Johns' });
    expect(sha256(other)).toBe(sha256(one));
    expect(sha256(again)).toBe(sha256(one));
  }, 60_000);

  it('T-18: has the same SHA-256 in the checkout itself', async () => {
    const { bundle } = await import('../../scripts/package/bundle.ts');
    const { reproducibleZip } = await import('../../scripts/package/zip.ts');
    const { thirdPartyLicenses } = await import('../../scripts/package/licenses.ts');
    const { code, metafile } = await bundle(root);
    const licenses = new TextEncoder().encode(thirdPartyLicenses(root, metafile));
    const built = reproducibleZip(new Map([...code, ['THIRD-PARTY-LICENSES.txt', licenses]]));
    expect(sha256(built)).toBe(sha256(buildZip(here, '022', {})));
  }, 60_000);
});
