import type { Call, Change } from './fault-proxy.ts';

/** Whether an entry of a batch call is to fail. */
type Fails = () => boolean;

/** The operations that can succeed for some entries and fail for others, each in its own way. */
export const PARTIAL_OPERATIONS = [
  'PublishBatch',
  'SendMessageBatch',
  'DeleteMessageBatch',
  'ChangeMessageVisibilityBatch',
  'BatchExecuteStatement',
  'BatchGetItem',
] as const;

/**
 * Takes entries out of a batch call before AWS sees it, and has the answer say that they failed. Undefined when no
 * entry is to fail, or none would be left: AWS refuses an empty call.
 */
export function failSome({ operation, body }: Call, fails: Fails): Change | undefined {
  switch (operation) {
    case 'PublishBatch':
      return publishBatch(body, fails);
    case 'BatchExecuteStatement':
      return statements(body, fails);
    case 'BatchGetItem':
      return keys(body, fails);
    default:
      return sqsBatch(body, fails);
  }
}

const ENTRY = /^PublishBatchRequestEntries\.member\.(\d+)\.(.+)$/;

/** SNS speaks forms and XML: entries are numbered from 1, without gaps. */
function publishBatch(body: string, fails: Fails): Change | undefined {
  const form = [...new URLSearchParams(body)];
  const numbers = [...new Set(form.flatMap(([name]) => ENTRY.exec(name)?.[1] ?? []))];
  const { kept, failed } = split(numbers, fails);
  if (kept.length === 0 || failed.length === 0) return undefined;
  const next = form.flatMap(([name, value]): [string, string][] => {
    const [, number, rest] = ENTRY.exec(name) ?? [];
    if (number === undefined) return [[name, value]];
    const at = kept.indexOf(number);
    return at < 0 ? [] : [[`PublishBatchRequestEntries.member.${at + 1}.${rest}`, value]];
  });
  const idOf = (number: string) =>
    form.find(([name]) => name === `PublishBatchRequestEntries.member.${number}.Id`)?.[1];
  const members = failed.map(
    (number) =>
      `<member><Id>${idOf(number)}</Id><Code>InternalError</Code><Message>injected</Message><SenderFault>false</SenderFault></member>`,
  );
  return {
    body: new URLSearchParams(next).toString(),
    answer: (text) =>
      text
        .replace(/<Failed\s*\/>|<Failed>[\s\S]*?<\/Failed>/, '')
        .replace('</PublishBatchResult>', `<Failed>${members.join('')}</Failed></PublishBatchResult>`),
  };
}

interface SqsEntry {
  readonly Id: string;
}

function sqsBatch(body: string, fails: Fails): Change | undefined {
  const call = JSON.parse(body) as { readonly Entries: readonly SqsEntry[] };
  const { kept, failed } = split(call.Entries, fails);
  if (kept.length === 0 || failed.length === 0) return undefined;
  return {
    body: JSON.stringify({ ...call, Entries: kept }),
    answer: (text) => {
      const answer = JSON.parse(text) as { readonly Failed?: readonly object[] };
      const injected = failed.map(({ Id }) => ({ Id, Code: 'InternalError', Message: 'injected', SenderFault: false }));
      return JSON.stringify({ ...answer, Failed: [...(answer.Failed ?? []), ...injected] });
    },
  };
}

/** Answers of statements have no ids: each is in the place of its statement. */
function statements(body: string, fails: Fails): Change | undefined {
  const call = JSON.parse(body) as { readonly Statements: readonly object[] };
  const { kept, failed } = split(call.Statements, fails);
  if (kept.length === 0 || failed.length === 0) return undefined;
  return {
    body: JSON.stringify({ ...call, Statements: kept }),
    answer: (text) => {
      const answer = JSON.parse(text) as { readonly Responses: readonly object[] };
      const rest = [...answer.Responses];
      const injected = { Error: { Code: 'ThrottlingError', Message: 'injected' } };
      const Responses = call.Statements.map((statement) => (failed.includes(statement) ? injected : rest.shift()));
      return JSON.stringify({ ...answer, Responses });
    },
  };
}

interface TableKeys {
  readonly Keys: readonly object[];
}

/** DynamoDB does not call unread keys failed: it hands them back. */
function keys(body: string, fails: Fails): Change | undefined {
  const call = JSON.parse(body) as { readonly RequestItems: Readonly<Record<string, TableKeys>> };
  const read: Record<string, TableKeys> = {};
  const unread: Record<string, TableKeys> = {};
  for (const [table, request] of Object.entries(call.RequestItems)) {
    const { kept, failed } = split(request.Keys, fails);
    if (kept.length > 0) read[table] = { ...request, Keys: kept };
    if (failed.length > 0) unread[table] = { ...request, Keys: failed };
  }
  if (Object.keys(read).length === 0 || Object.keys(unread).length === 0) return undefined;
  return {
    body: JSON.stringify({ ...call, RequestItems: read }),
    answer: (text) => JSON.stringify({ ...JSON.parse(text), UnprocessedKeys: unread }),
  };
}

function split<T>(entries: readonly T[], fails: Fails): { kept: readonly T[]; failed: readonly T[] } {
  const kept: T[] = [];
  const failed: T[] = [];
  for (const entry of entries) (fails() ? failed : kept).push(entry);
  return { kept, failed };
}
