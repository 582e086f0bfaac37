/** Started once for each measurement: from the start of the process to the answer for one message. */
import { pathToFileURL } from 'node:url';
import { batch } from './events.ts';

const [, , file = '', number = '0'] = process.argv;
const { handler } = await import(pathToFileURL(file).href);
const deadline = Date.now() + 30_000;
const answer = await handler(batch({ batchSize: 1, duplicates: 0 }, Number(number)), {
  awsRequestId: 'cold',
  functionName: 'bench',
  getRemainingTimeInMillis: () => deadline - Date.now(),
});
const { user, system } = process.cpuUsage();
process.send?.({
  failures: answer.batchItemFailures.length,
  // `timeOrigin` is the start of the process.
  wallMs: performance.now(),
  cpuMs: (user + system) / 1000,
});
process.on('disconnect', () => process.exit());
