import { type CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';

/** Every line that the function logged, oldest first; empty when it has not run. */
export async function logLines(logs: CloudWatchLogsClient, functionName: string): Promise<readonly string[]> {
  const lines: string[] = [];
  let nextToken: string | undefined;
  do {
    const page = await logs.send(
      new FilterLogEventsCommand({ logGroupName: `/aws/lambda/${functionName}`, ...(nextToken && { nextToken }) }),
    );
    lines.push(...(page.events ?? []).map(({ message }) => message ?? ''));
    nextToken = page.nextToken;
  } while (nextToken !== undefined);
  return lines;
}
