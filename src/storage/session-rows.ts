import { type RowsDatabase, entriesOf, sublevelPrefix, whenOpen } from './level-rows.ts';

/**
 * Sessions in the log's database, as JSON at `!sessions!<SHA-256 of the token, hex>`. Synced: a
 * session that was ended stays ended after a power cut too.
 */
export function levelSessionRows(db: RowsDatabase): SessionRows {
  const get = async (hash: string): Promise<SessionRow | undefined> => {
    const text = await whenOpen(() => db.get(keyOf(hash)));
    return text === undefined ? undefined : JSON.parse(text);
  };
  const put = async (hash: string, row: SessionRow): Promise<void> => {
    await db.batch([{ type: 'put', key: keyOf(hash), value: JSON.stringify(row) }], synced);
  };
  return {
    isShared: false,
    get,
    put,
    async move(hash, moved) {
      const row = await get(hash);
      if (row) await put(hash, { ...row, ...moved });
      return row && { ...row, ...moved };
    },
    async delete(hash) {
      await db.batch([{ type: 'del', key: keyOf(hash) }], synced);
    },
    async all() {
      const found: { id: string; row: SessionRow }[] = [];
      for await (const [key, text] of entriesOf(db, everySession)) {
        found.push({ id: key.slice(sessions.length), row: JSON.parse(text) });
      }
      return found;
    },
    deleteOf: (userId) => deleteWhere(db, ({ user_id }) => user_id === userId),
    async sweep(now) {
      await deleteWhere(db, ({ expires_at }) => expires_at <= now);
    },
  };
}

const deletedAtOnce = 1000;
const synced = { sync: true };
const sessions = sublevelPrefix('sessions');
/** `"` follows `!`. */
const everySession = { gte: sessions, lt: `${sessions.slice(0, -1)}"` };
/** One session as it is stored. Rows, not facts: later it does not matter who was logged in when. */
export type SessionRow = {
  user_id: string;
  /** Milliseconds since the epoch. */
  created_at: number;
  /** Milliseconds since the epoch; slides with use, moved at most every five minutes. */
  expires_at: number;
  /** When it was last used, to five minutes; missing, like the two below, in rows of before there were any. */
  seen_at?: number;
  /** What the program that logged in calls itself. */
  agent?: string;
  /** Version of the `users` stream when it began. */
  users_version?: number;
};

/**
 * Where sessions are kept, by the SHA-256 (hex) of their token: reading the store reveals no
 * token. Every write is done when its promise resolves; none has to survive a power cut.
 */
export interface SessionRows {
  /** Whether other processes write them too: what is kept in memory may then be behind. */
  readonly isShared: boolean;
  get(hash: string): Promise<SessionRow | undefined>;
  /** One that has been used: as it is then; undefined when there is none any more, and none is made. */
  move(
    hash: string,
    moved: Required<Pick<SessionRow, 'expires_at' | 'seen_at'>>,
  ): Promise<SessionRow | undefined>;
  put(hash: string, row: SessionRow): Promise<void>;
  /** Nothing happens when there is no such row. */
  delete(hash: string): Promise<void>;
  /** Every session, also those that are over: there are as many as people who are logged in somewhere. */
  all(): Promise<{ id: string; row: SessionRow }[]>;
  /** Deletes every session of a user; the hashes of those that are gone now. */
  deleteOf(userId: string): Promise<string[]>;
  /** Deletes every session that had expired at `now` (milliseconds since the epoch). */
  sweep(now: number): Promise<void>;
}

/** Looks at every session: there are as many as people who are logged in somewhere. Returns the hashes. */
async function deleteWhere(
  db: RowsDatabase,
  doomed: (row: SessionRow) => boolean,
): Promise<string[]> {
  const keys: string[] = [];
  for await (const [key, text] of entriesOf(db, everySession)) {
    if (doomed(JSON.parse(text))) keys.push(key);
  }
  for (let index = 0; index < keys.length; index += deletedAtOnce) {
    const some = keys.slice(index, index + deletedAtOnce);
    await db.batch(
      some.map((key) => ({ type: 'del' as const, key })),
      synced,
    );
  }
  return keys.map((key) => key.slice(sessions.length));
}

function keyOf(hash: string): string {
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new TypeError('Not a SHA-256 in hexadecimal digits');
  return sessions + hash;
}
