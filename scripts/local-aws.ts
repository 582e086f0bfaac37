/**
 * Local AWS for this checkout: `scripts/local-aws [up|status|down]`.
 *
 * In this order: the endpoint that AWS_ENDPOINT_URL gives; LocalStack, where a Docker engine answers; MiniStack, from
 * the project's virtual environment. `LOCAL_AWS=ministack` or `localstack` skips the other one. One line says which.
 */
import { localAwsDown, localAwsStatus, localAwsUp, NoLocalAws } from './local/local-aws.ts';

const commands: Record<string, () => Promise<string>> = {
  up: async () => (await localAwsUp()).description,
  status: async () => (await localAwsStatus())?.description ?? 'Local AWS: not running',
  down: async () => {
    const stopped = await localAwsDown();
    return stopped === undefined ? 'Local AWS: nothing to stop here' : `Local AWS: stopped ${stopped}`;
  },
};

const command = commands[process.argv[2] ?? 'up'];
if (command === undefined) {
  console.error('usage: scripts/local-aws [up|status|down]');
  process.exit(2);
}
try {
  console.log(await command());
} catch (error) {
  console.error(error instanceof NoLocalAws ? error.message : error);
  process.exit(1);
}
