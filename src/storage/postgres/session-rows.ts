import type { SessionRow, SessionRows } from '../session-rows.ts';
import type { Postgres } from './connection.ts';

/** Sessions by the SHA-256 of their token, for all nodes. */
export function postgresSessionRows(db: Postgres): SessionRows {
  return {
    isShared: true,
    async move(hash, { expires_at, seen_at }) {
      const [found] = await db.ask<Stored>({
        name: 'move-session',
        text: `update sessions set expires_at = $2, seen_at = $3 where hash = $1 returning ${columns}`,
        values: [assertHash(hash), expires_at, seen_at],
      });
      return found && rowOf(found);
    },
    async get(hash) {
      const [found] = await db.ask<Stored>({
        name: 'session',
        text: `select ${columns} from sessions where hash = $1`,
        values: [assertHash(hash)],
      });
      return found && rowOf(found);
    },
    async put(hash, row) {
      const { user_id, created_at, expires_at, seen_at, agent, users_version } = row;
      await db.ask({
        name: 'put-session',
        text: `insert into sessions (${columns}) values ($1, $2, $3, $4, $5, $6, $7)
          on conflict (hash) do update set user_id = excluded.user_id, created_at = excluded.created_at,
            expires_at = excluded.expires_at, seen_at = excluded.seen_at, agent = excluded.agent,
            users_version = excluded.users_version`,
        values: [
          assertHash(hash),
          user_id,
          created_at,
          expires_at,
          seen_at,
          storable(agent),
          users_version,
        ],
      });
    },
    async delete(hash) {
      await db.ask({ text: 'delete from sessions where hash = $1', values: [assertHash(hash)] });
    },
    async all() {
      const found = await db.ask<Stored>({ text: `select ${columns} from sessions order by hash` });
      return found.map((stored) => ({ id: stored.hash, row: rowOf(stored) }));
    },
    async deleteOf(userId) {
      const text = 'delete from sessions where user_id = $1 returning hash';
      const gone = await db.ask<{ hash: string }>({ text, values: [userId] });
      return gone.map(({ hash }) => hash);
    },
    async sweep(now) {
      await db.ask({ text: 'delete from sessions where expires_at <= $1', values: [now] });
    },
  };
}

const columns = 'hash, user_id, created_at, expires_at, seen_at, agent, users_version';

/** `bigint` comes as text. */
type Stored = {
  hash: string;
  user_id: string;
  created_at: string;
  expires_at: string;
  seen_at: string | null;
  agent: string | null;
  users_version: number | null;
};

const rowOf = (stored: Stored): SessionRow => ({
  user_id: stored.user_id,
  created_at: Number(stored.created_at),
  expires_at: Number(stored.expires_at),
  ...(stored.seen_at === null ? {} : { seen_at: Number(stored.seen_at) }),
  ...(stored.agent === null ? {} : { agent: stored.agent }),
  ...(stored.users_version === null ? {} : { users_version: stored.users_version }),
});

/** A program may call itself anything; PostgreSQL has no place for a zero. */
const storable = (agent: string | undefined) => agent?.replaceAll('\0', '\ufffd');

/** So that a token itself never reaches the database. @throws {TypeError} */
function assertHash(hash: string): string {
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new TypeError('Not a SHA-256 in hexadecimal digits');
  return hash;
}
