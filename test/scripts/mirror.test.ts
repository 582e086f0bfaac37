import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findMirror } from '../../scripts/tf/mirror.ts';
import { temporaryFolder } from './folder.ts';

const platform = 'linux_amd64';
const unpacked = `registry.terraform.io/hashicorp/aws/5.100.0/${platform}/terraform-provider-aws_v5.100.0_x5`;
const packed = `registry.terraform.io/hashicorp/aws/terraform-provider-aws_6.1.0_${platform}.zip`;

/** A file system with the given files; `home` is `/home/me` in it. */
function find(files: Record<string, string>, env: Record<string, string> = {}) {
  const fileSystemRoot = temporaryFolder(files);
  const home = join(fileSystemRoot, 'home/me');
  const relocated = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, value.replace('ROOT', fileSystemRoot)]),
  );
  const found = findMirror({ env: relocated, fileSystemRoot, home, platform });
  return found === undefined ? undefined : found.slice(fileSystemRoot.length);
}

describe('the offline mirror of the AWS provider', () => {
  it('is none where none is, so that the registry is asked', () => {
    expect(find({})).toBeUndefined();
    expect(find({ 'opt/': '', 'usr/local/bin/': '' })).toBeUndefined();
  });

  it.each([
    ['below a folder of /opt', '/opt/some-vendor'],
    ['in /opt itself', '/opt'],
    ['below a folder of /usr/local', '/usr/local/anything'],
    ['in /usr/local itself', '/usr/local'],
    ['where Terraform looks for a person', '/home/me/.terraform.d/plugins'],
    ['where Terraform looks for data of a person', '/home/me/.local/share/terraform/plugins'],
    ['where Terraform looks for data of the system', '/usr/share/terraform/plugins'],
    ['where Terraform looks on a Mac', '/Library/Application Support/io.terraform/plugins'],
  ])('is found %s', (_where, folder) => {
    expect(find({ [`${folder}/${unpacked}`]: '' })).toBe(folder);
    expect(find({ [`${folder}/${packed}`]: '' })).toBe(folder);
  });

  it('is not looked for two levels down: who keeps one there names it', () => {
    expect(find({ [`/opt/a/b/${unpacked}`]: '' })).toBeUndefined();
  });

  it('is passed over when it holds another provider, or another platform', () => {
    expect(find({ '/opt/a/registry.terraform.io/hashicorp/random/3.0.0/linux_amd64/x': '' })).toBeUndefined();
    expect(find({ [`/opt/a/${unpacked.replace(platform, 'darwin_arm64')}`]: '' })).toBeUndefined();
    expect(find({ [`/opt/a/${packed.replace(platform, 'darwin_arm64')}`]: '' })).toBeUndefined();
  });

  it("prefers Terraform's own folders to those of add-on software", () => {
    const files = { [`/opt/a/${unpacked}`]: '', [`/home/me/.terraform.d/plugins/${unpacked}`]: '' };
    expect(find(files)).toBe('/home/me/.terraform.d/plugins');
  });

  it('is the named one before any other', () => {
    const files = { [`/opt/a/${unpacked}`]: '', [`/srv/mine/${packed}`]: '' };
    expect(find(files, { IDEMPOTENT_PIPELINE_TF_MIRROR: 'ROOT/srv/mine' })).toBe('/srv/mine');
    expect(find(files, { IDEMPOTENT_PIPELINE_TF_MIRROR: '' })).toBe('/opt/a');
  });

  it('is refused in words when the named one does not hold the provider', () => {
    expect(() => find({}, { IDEMPOTENT_PIPELINE_TF_MIRROR: 'ROOT/nowhere' })).toThrow(
      /IDEMPOTENT_PIPELINE_TF_MIRROR is .*\/nowhere, which holds no .*hashicorp\/aws for linux_amd64/,
    );
  });

  it('follows the XDG variables', () => {
    const files = { [`/data/terraform/plugins/${unpacked}`]: '' };
    expect(find(files, { XDG_DATA_DIRS: '/elsewhere:/data' })).toBe('/data/terraform/plugins');
    expect(find(files, { XDG_DATA_HOME: 'ROOT/data' })).toBe('/data/terraform/plugins');
  });
});
