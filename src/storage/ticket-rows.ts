/** What a ticket is for. */
export type TicketRow = { session_id: string; recording_id: string };

/**
 * Where tickets are kept, by the SHA-256 of each: what leaks gives no ticket away. None has to survive a restart. How long they
 * are good goes by one clock, at however many nodes. `test/storage/ticket-rows-contract.ts` says what each must hold to.
 */
export interface TicketRows {
  /** Undefined when it is over, too. */
  get(hash: string): Promise<TicketRow | undefined>;
  /** Keeps it from now on for so many milliseconds; of too many, of one session or of all, those go that would end first. */
  put(hash: string, row: TicketRow, forMs: number): Promise<void>;
}

/** How many tickets are kept, and how many of one session. */
export const ticketsMax = 10_000;
export const ticketsPerSessionMax = 100;

/** In memory. */
export function memoryTicketRows({
  max = ticketsMax,
  now = Date.now,
}: { max?: number; now?: () => number } = {}): TicketRows {
  const rows = new Map<string, TicketRow & { over: number }>();
  return {
    async get(hash) {
      const found = rows.get(hash);
      if (!found || found.over <= now()) return undefined;
      const { over: _, ...row } = found;
      return row;
    },
    async put(hash, row, forMs) {
      rows.delete(hash);
      rows.set(hash, { ...row, over: now() + forMs });
      const own = [...rows].filter(([, { session_id }]) => session_id === row.session_id);
      for (const [oldest] of own.slice(0, -ticketsPerSessionMax)) rows.delete(oldest);
      // All are good for as long: a Map keeps the order of insertion, which is that of expiry.
      for (const [oldest, { over }] of rows) {
        if (over > now() && rows.size <= max) break;
        rows.delete(oldest);
      }
    },
  };
}
