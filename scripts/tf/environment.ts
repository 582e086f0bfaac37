import type { Place, RealAccount } from '../aws/place.ts';
import { scratchFolder } from '../local/checkout.ts';
import { cliConfigFile } from './cli-config.ts';

/**
 * The environment that Terraform runs in. The provider reads its endpoint and credentials from it, so no module and no
 * example says a word about local AWS.
 *
 * Everything of AWS that the person at the keyboard has set is left out: a test must not be able to reach a real
 * account by accident. Without an endpoint, plans are offline and calls go nowhere. Only an account that was named on
 * purpose is reached, with the credentials that came with it.
 */
export function terraformEnvironment(place: Place | undefined, env = process.env): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !/^(AWS|TF)_/.test(name));
  return {
    ...Object.fromEntries(kept),
    TF_CLI_CONFIG_FILE: cliConfigFile(env),
    TF_PLUGIN_CACHE_DIR: scratchFolder('terraform', 'plugin-cache'),
    // The lock files of examples are not committed; without this, each of them would fetch the provider again.
    TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE: 'true',
    TF_IN_AUTOMATION: 'true',
    TF_INPUT: 'false',
    CHECKPOINT_DISABLE: 'true',
    ...(env.TF_LOG === undefined ? {} : { TF_LOG: env.TF_LOG }),
    ...(typeof place === 'object' ? accountCredentials(place) : localCredentials(place)),
  };
}

/** What an SDK or the provider needs to talk to local AWS, and to nothing else. */
export function localCredentials(endpoint: string | undefined): Record<string, string> {
  return {
    AWS_ENDPOINT_URL: endpoint ?? 'http://127.0.0.1:1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: 'us-east-1',
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_MAX_ATTEMPTS: '3',
  };
}

function accountCredentials({ region, credentials }: RealAccount): Record<string, string> {
  return {
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    ...(credentials.sessionToken === undefined ? {} : { AWS_SESSION_TOKEN: credentials.sessionToken }),
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  };
}
