/** What a ticket is for. */
export type TicketRow = {
  session_id: string;
  recording_id: string;
  /** Milliseconds since the epoch. */
  expires_at: number;
};

/** Where tickets are kept, by the SHA-256 of each: what leaks gives no ticket away. None has to survive a restart. */
export interface TicketRows {
  get(hash: string): Promise<TicketRow | undefined>;
  /** @param now milliseconds since the epoch: those that are over by then may go */
  put(hash: string, row: TicketRow, now: number): Promise<void>;
}

/** In memory, at most so many: the oldest go first. */
export function memoryTicketRows(max: number): TicketRows {
  const rows = new Map<string, TicketRow>();
  return {
    get: async (hash) => rows.get(hash),
    async put(hash, row, now) {
      rows.delete(hash);
      rows.set(hash, row);
      // A Map keeps the order of insertion, which is that of expiry.
      for (const [oldest, { expires_at }] of rows) {
        if (expires_at > now && rows.size <= max) break;
        rows.delete(oldest);
      }
    },
  };
}
