/** One session as it is stored. Rows, not facts: nobody needs to know later who was logged in when. */
export type SessionRow = {
  user_id: string;
  /** Milliseconds since the epoch. */
  created_at: number;
  /** Milliseconds since the epoch; slides with use, moved at most every five minutes. */
  expires_at: number;
  /** Version of the `users` stream when it began; missing in rows of before there were any. */
  users_version?: number;
};

/**
 * Where sessions are kept, by the SHA-256 (hex) of their token: whoever reads the store learns no
 * token. Every write is done when its promise resolves; none has to survive a power cut.
 */
export interface SessionRows {
  get(hash: string): Promise<SessionRow | undefined>;
  put(hash: string, row: SessionRow): Promise<void>;
  /** Nothing happens when there is no such row. */
  delete(hash: string): Promise<void>;
  /** Deletes every session of a user; the hashes of those that are gone now. */
  deleteOf(userId: string): Promise<string[]>;
  /** Deletes every session that had expired at `now` (milliseconds since the epoch). */
  sweep(now: number): Promise<void>;
}
