import { SQSClient } from '@aws-sdk/client-sqs';
import { localAwsUp, NoLocalAws } from '../local/local-aws.ts';

/** An account that a person named for tests, and what reaches it. Made by `testPlace` only, never by default. */
export interface RealAccount {
  readonly account: string;
  readonly region: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

/** Where tests run: an endpoint that stands in for AWS, or a real account. */
export type Place = string | RealAccount;

/** Longer than the tests take: what cannot be destroyed because the session is over stays and costs. */
const LEAST_MINUTES = 45;

/** The endpoint in AWS_ENDPOINT_URL where there is one, else the account in TEST_AWS_ACCOUNT_ID. */
export async function testPlace(env: NodeJS.ProcessEnv = process.env): Promise<Place> {
  if (isLocal(env)) return (await localAwsUp(env)).endpoint;
  return namedAccount(env);
}

export function isLocal(env: NodeJS.ProcessEnv = process.env): boolean {
  return (env.AWS_ENDPOINT_URL ?? '') !== '';
}

/**
 * Credentials are looked for once, as the SDK does, and handed to Terraform: its provider looks in another order, and a
 * profile beside keys in the environment would send the two to different accounts. That they belong to the account is
 * asked by the provider (`allowed_account_ids`, test/support/stack.ts) before it does anything else.
 */
async function namedAccount(env: NodeJS.ProcessEnv): Promise<RealAccount> {
  const account = env.TEST_AWS_ACCOUNT_ID ?? '';
  if (!/^[0-9]{12}$/.test(account)) {
    throw new NoLocalAws(
      'This creates things in a real account and destroys them. Write its 12 digits into TEST_AWS_ACCOUNT_ID, and have ' +
        'credentials and a region in the environment; or set AWS_ENDPOINT_URL for a run on local AWS.',
    );
  }
  const endpoints = Object.keys(env).filter((name) => name.startsWith('AWS_ENDPOINT_URL_') && env[name] !== '');
  if (endpoints.length > 0) throw new NoLocalAws(`Unset ${endpoints.join(', ')}: half an account proves nothing.`);
  const client = new SQSClient({});
  try {
    const region = await client.config.region();
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = await client.config.credentials();
    const minutes = expiration === undefined ? Number.POSITIVE_INFINITY : (expiration.getTime() - Date.now()) / 60_000;
    if (minutes < LEAST_MINUTES) {
      throw new Error(`the credentials end in ${Math.floor(minutes)} minutes; ${LEAST_MINUTES} are needed`);
    }
    const credentials = { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
    return { account, region, credentials };
  } catch (error) {
    throw new NoLocalAws(`No way into account ${account}: ${(error as Error).message}`);
  } finally {
    client.destroy();
  }
}
