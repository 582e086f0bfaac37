/** `make down`: removes what `make demo`, `make up` and interrupted tests left running. Says what it did. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { destroyStack } from '../test/support/stack.ts';
import { terraformIn } from '../test/support/terraform.ts';
import { root } from './local/checkout.ts';
import { localAwsDown, localAwsStatus } from './local/local-aws.ts';

const scratch = join(root, '.scratch');
const stacks = existsSync(scratch) ? readdirSync(scratch).filter((name) => name.startsWith('stack-')) : [];
const localAws = await localAwsStatus().catch(() => undefined);
for (const name of stacks) {
  const folder = join(scratch, name);
  // An emulator of ours takes everything with it; at an endpoint that goes on running, things have to be removed.
  if (localAws?.kind === 'given') await destroyStack({ folder, terraform: terraformIn(folder, localAws.endpoint) });
  else rmSync(folder, { recursive: true, force: true });
  console.log(`removed ${name}`);
}
const stopped = await localAwsDown();
console.log(stopped === undefined ? 'Local AWS: nothing to stop here' : `Local AWS: stopped ${stopped}`);
