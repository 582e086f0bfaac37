import type { Call } from '../../test/support/fault-proxy.ts';

/** Counts the transactions that AWS executed, event by event: the table itself cannot show that one ran twice. */
export interface Commits {
  readonly observe: (call: Call, status: number) => void;
  /** Of the events whose id starts with the prefix. */
  of(prefix: string): ReadonlyMap<string, number>;
}

interface Transaction {
  readonly ClientRequestToken: string;
  readonly TransactItems: readonly {
    readonly Put?: { readonly Item: { readonly event_id?: { readonly S: string } } };
  }[];
}

export function watchCommits(): Commits {
  // A second answer to one token is the answer of the first execution, given again.
  const tokens = new Map<string, Set<string>>();
  return {
    observe: ({ operation, body }, status) => {
      if (operation !== 'TransactWriteItems' || status !== 200) return;
      const { ClientRequestToken, TransactItems } = JSON.parse(body) as Transaction;
      const ids = TransactItems.flatMap(({ Put }) => {
        // The row of the event, not the order that it writes, which holds the id as well.
        const isRow = Put !== undefined && 'payload_hash' in Put.Item;
        return isRow && Put.Item.event_id !== undefined ? [Put.Item.event_id.S] : [];
      });
      for (const id of ids) tokens.set(id, (tokens.get(id) ?? new Set()).add(ClientRequestToken));
    },
    of: (prefix) => new Map([...tokens].filter(([id]) => id.startsWith(prefix)).map(([id, { size }]) => [id, size])),
  };
}
