import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { testPlace } from '../../scripts/aws/place.ts';
import { cliConfig, cliConfigFile } from '../../scripts/tf/cli-config.ts';
import { terraformEnvironment } from '../../scripts/tf/environment.ts';
import { temporaryFolder } from './folder.ts';

describe('the environment that Terraform runs in', () => {
  it('keeps out every account and every setting of the person at the keyboard', () => {
    const mine = {
      AWS_PROFILE: 'production',
      AWS_SESSION_TOKEN: 'secret',
      TF_VAR_name: 'mine',
      TF_WORKSPACE: 'x',
      PATH: '/bin',
    };
    const env = terraformEnvironment('http://127.0.0.1:4566', mine);
    expect(env).not.toHaveProperty('AWS_PROFILE');
    expect(env).not.toHaveProperty('AWS_SESSION_TOKEN');
    expect(env).not.toHaveProperty('TF_VAR_name');
    expect(env).not.toHaveProperty('TF_WORKSPACE');
    expect(env).toMatchObject({ PATH: '/bin', AWS_ENDPOINT_URL: 'http://127.0.0.1:4566', AWS_ACCESS_KEY_ID: 'test' });
  });

  it('leads nowhere without an endpoint, not to AWS', () => {
    expect(terraformEnvironment(undefined, {}).AWS_ENDPOINT_URL).toMatch(/^http:\/\/127\.0\.0\.1:/);
  });

  it('reaches an account that was named, with its own credentials and by nothing else of the environment', () => {
    const place = {
      account: '123456789012',
      region: 'eu-west-1',
      credentials: { accessKeyId: 'id', secretAccessKey: 'key', sessionToken: 'token' },
    };
    const env = terraformEnvironment(place, {
      AWS_PROFILE: 'other',
      AWS_ENDPOINT_URL: 'http://x',
      TF_VAR_name: 'mine',
    });
    expect(env).toMatchObject({ AWS_ACCESS_KEY_ID: 'id', AWS_SESSION_TOKEN: 'token', AWS_REGION: 'eu-west-1' });
    for (const name of ['AWS_PROFILE', 'AWS_ENDPOINT_URL', 'TF_VAR_name']) expect(env).not.toHaveProperty(name);
  });

  it('names an account only when a person did, and never a part of it', async () => {
    await expect(testPlace({})).rejects.toThrow(/TEST_AWS_ACCOUNT_ID/);
    await expect(testPlace({ TEST_AWS_ACCOUNT_ID: 'mine' })).rejects.toThrow(/12 digits/);
    const half = { TEST_AWS_ACCOUNT_ID: '123456789012', AWS_ENDPOINT_URL_SQS: 'http://x' };
    await expect(testPlace(half)).rejects.toThrow(/AWS_ENDPOINT_URL_SQS/);
  });

  it('replaces a CLI configuration that is missing', () => {
    const missing = join(temporaryFolder(), 'missing.tfrc');
    const path = cliConfigFile({ TF_CLI_CONFIG_FILE: missing });
    expect(path).not.toBe(missing);
    expect(readFileSync(path, 'utf8')).toContain('disable_checkpoint');
  });

  it('leaves a CLI configuration in force that says where providers come from', () => {
    const own = join(
      temporaryFolder({ 'own.tfrc': 'provider_installation {\n  network_mirror {\n url = "https://mirror/"\n }\n}\n' }),
      'own.tfrc',
    );
    expect(cliConfigFile({ TF_CLI_CONFIG_FILE: own })).toBe(own);
  });

  it('takes the provider from the mirror alone, and from the registry where there is none', () => {
    const include = 'include = ["registry.terraform.io/hashicorp/aws"]';
    expect(cliConfig('/opt/a "b"')).toContain(`path    = "/opt/a \\"b\\""\n    ${include}`);
    expect(cliConfig('/opt/a')).toContain('exclude = ["registry.terraform.io/hashicorp/aws"]');
    expect(cliConfig(undefined)).not.toContain('provider_installation');
  });
});
