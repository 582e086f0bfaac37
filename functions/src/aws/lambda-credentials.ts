import { fromEnv } from '@aws-sdk/credential-provider-env';

/**
 * Stands in the bundle for the SDK's `@aws-sdk/credential-provider-node` (scripts/package/bundle.ts): Lambda hands the
 * role's credentials to a Node.js function in its environment, always. The SDK's own chain would also bring the
 * providers of laptops and other services (SSO, profiles, web identity, instance metadata): 80 kB, a dozen files, and
 * a look for `~/.aws` whenever the environment is wrong.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
 */
export const defaultProvider = fromEnv;
