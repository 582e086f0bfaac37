import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
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
