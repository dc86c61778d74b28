import { createHmac } from 'node:crypto';
import { type Cells, type Kept, type WholeKind, keptIn } from '../kept.ts';
import type { Postgres } from './connection.ts';

/**
 * In the table `kept`, for all nodes. The time is the database's, since clocks of nodes differ.
 * @param hashKey which all nodes have and the database does not: hashed keys are HMACs, since people type passwords
 *   where a name belongs, and a plain hash in a copy of the database could be guessed at
 */
export const postgresKept = (db: Pick<Postgres, 'ask'>, hashKey: Buffer): Kept =>
  keptIn((kind) => cellsIn(db, kind, hashKey));

function cellsIn(
  db: Pick<Postgres, 'ask'>,
  { name, volatileMax, keys: keyed }: WholeKind,
  hashKey: Buffer,
): Cells {
  const hashed = (key: string) => createHmac('sha256', hashKey).update(key).digest('base64url');
  const namesOf = (keys: readonly string[]) => (keyed === 'hashed' ? keys.map(hashed) : keys);
  return {
    async read(keys) {
      const found = await db.ask<Found>({
        name: 'kept',
        text: `select a.value as text, coalesce(a.ends_at <= ${now}, false) as "hasEnded", ${now} as now
          from unnest($2::text[]) with ordinality as k(key, n)
          left join kept a on a.kind = $1 and a.key = k.key order by n`,
        values: [name, namesOf(keys)],
      });
      const cells = found.map(({ text, hasEnded }) =>
        text === null ? undefined : { text, hasEnded },
      );
      return { cells, now: Number(found[0]?.now) };
    },
    async list(prefix) {
      const found = await db.ask<{ key: string; text: string }>({
        text: `select key, value as text from kept where kind = $1 and key >= $2 and key < $3
          and (ends_at is null or ends_at > ${now}) order by key`,
        // Behind each key that begins so.
        values: [name, prefix, `${prefix}\u{10ffff}`],
      });
      return found.map(({ key, text }) => ({ key, cell: { text, hasEnded: false } }));
    },
    async swap(keys, before, after) {
      const texts = [before, after].map((cells) => cells.map((cell) => cell?.text));
      const ends = after.map((cell) => cell?.endsAt);
      const [swapped] = await db.ask<{ done: boolean }>({
        name: 'change-kept',
        text: 'select change_kept($1, $2, $3, $4, $5, $6) as done',
        values: [name, namesOf(keys), ...texts, ends, volatileMax !== null],
      });
      return swapped?.done === true;
    },
    async sweep() {
      await db.ask({
        text: `delete from kept where kind = $1 and key in (
          select key from kept where kind = $1 and (ends_at <= ${now} or key in (
            select key from kept where kind = $1 order by ends_at desc offset coalesce($2, 1000000000)))
          for update skip locked)`,
        values: [name, volatileMax],
      });
    },
  };
}

/** `bigint` comes as text. */
type Found = { text: string | null; hasEnded: boolean; now: string };

/** Milliseconds since the epoch. */
const now = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
