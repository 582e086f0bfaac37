/**
 * Runs Terraform for this checkout: `scripts/terraform -chdir=DIR plan`. Providers come from an offline mirror where
 * there is one; calls go to local AWS while it runs, and nowhere otherwise.
 */
import { spawnSync } from 'node:child_process';
import { localAwsStatus, NoLocalAws } from './local/local-aws.ts';
import { terraformEnvironment } from './tf/environment.ts';

try {
  const endpoint = (await localAwsStatus())?.endpoint;
  const { status, error } = spawnSync('terraform', process.argv.slice(2), {
    env: terraformEnvironment(endpoint),
    stdio: 'inherit',
  });
  if (error !== undefined)
    throw new NoLocalAws(`terraform cannot be run: ${error.message}. Install Terraform 1.10 or later.`);
  process.exitCode = status ?? 1;
} catch (error) {
  console.error(error instanceof NoLocalAws ? error.message : error);
  process.exitCode = 1;
}
