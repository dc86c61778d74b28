import { systemClock } from '../../shared/retry.ts';
import type { ClusterNode, NodeSelf, Tenure } from '../cluster.ts';
import type { Postgres } from './connection.ts';
import { type PostgresOwnership, locksHeld } from './ownership.ts';

/** How a node writes down who it is and what it holds. */
export type NodeNotes = {
  /** What it holds is another now, or its session is. Never throws, and waits for nothing. */
  changed(): void;
  /** Says where it is reached. */
  listensAt(address: string): void;
  /** Nothing is known of it from then on. */
  close(): Promise<void>;
};

/** Names are claimed and given back many times a second: they are written down together. */
const noteEveryMs = 250;
/** Until what could not be written down is tried again. */
const againMs = 5_000;

/**
 * Writes down what a node holds, a row each node. What it really holds its locks say, which the server frees: a
 * row without them is of a node that died or was cut off. It is removed after a day by the others.
 */
export function keepNodeNoted(
  db: Pick<Postgres, 'ask' | 'logId' | 'away'>,
  self: NodeSelf,
  {
    holding,
    report,
  }: {
    holding: PostgresOwnership['holding'];
    report: (message: string, error: unknown) => void;
  },
): NodeNotes {
  const stopping = new AbortController();
  const { signal } = stopping;
  let address: string | null = null;
  let isDue = false;
  let isAtIt = false;
  let last: Promise<void> = Promise.resolve();

  const note = async (): Promise<number> => {
    const { marker, claims } = holding();
    // Without a session it holds nothing; with the next one it is noted.
    if (marker === null) return noteEveryMs;
    const now = performance.now();
    try {
      const about = JSON.stringify({ ...self, address });
      const names = claims.map(({ name }) => name);
      const agesMs = claims.map(({ since }) => now - since);
      const values = [db.logId, self.id, marker, about, names, names.map(shown), agesMs];
      await db.ask({ name: 'note-node', text: noting, values });
      return noteEveryMs;
    } catch (error) {
      isDue = true;
      if (db.away() === undefined) report('locks of this node could not be registered', error);
      return againMs;
    }
  };
  const keepNoting = async (): Promise<void> => {
    while (isDue && !signal.aborted) {
      isDue = false;
      const pauseMs = await note();
      await systemClock.wait(pauseMs, signal).catch(() => undefined);
    }
    isAtIt = false;
  };
  const changed = (): void => {
    isDue = true;
    if (isAtIt || signal.aborted) return;
    isAtIt = true;
    last = keepNoting();
  };
  return {
    changed,
    listensAt(url) {
      address = url;
      changed();
    },
    async close() {
      stopping.abort();
      await last;
      // What cannot be removed now is removed by another node.
      if (db.away() === undefined)
        await db
          .ask({ text: 'delete from nodes where id = $1', values: [self.id] })
          .catch((error: unknown) =>
            report('this node could not be removed from the list of nodes', error),
          );
    },
  };
}

/**
 * The nodes that are there and what each holds, and those that died within a day.
 * @throws {EventStoreError} `BUSY`
 */
export async function nodesAt(db: Pick<Postgres, 'ask' | 'logId'>): Promise<ClusterNode[]> {
  const rows = await db.ask<NodeRow>({ text: listing, values: [db.logId] });
  return rows.map(({ about, noted_at, there, holds, locks }) => ({
    ...about,
    there,
    noted_at: timeOf(noted_at),
    holds: holds.map(({ name, since }) => ({ name, since: timeOf(since) })),
    // One of its locks is the marker.
    unnamed: Math.max(0, Number(locks) - 1 - holds.length),
  }));
}

/** Who knows all of an upload's name may go on with it. */
const shown = (name: string): string => name.replace(/^(upload:.{8}).+/s, '$1…');

type NodeRow = {
  about: NodeSelf & { address: string | null };
  noted_at: number;
  there: boolean;
  holds: (Pick<Tenure, 'name'> & { since: number })[];
  locks: string;
};

const timeOf = (ms: number): string => new Date(ms).toISOString();

/** Milliseconds since 1970. */
const nowMs = '(extract(epoch from clock_timestamp()) * 1000)::float8';

/** The lock by which a node is there, as `ownership.ts` takes it. */
const markerKey = `hashtextextended($1::text || ' node:' || n.marker, 0)`;

const noting = `
  with over as (
    delete from nodes n where n.noted_at < ${nowMs} - 86400000 and n.id <> $2
      and ${markerKey} not in (select key from (${locksHeld}) as held)
  )
  insert into nodes (id, marker, about, holds, noted_at)
    select $2, $3, $4::jsonb, coalesce(jsonb_agg(jsonb_build_object(
        'key', hashtextextended($1::text || ' ' || h.name, 0), 'name', h.shown, 'since', ${nowMs} - h.age
      )) filter (where h.name is not null), '[]'), ${nowMs}
      from (select 1) as one left join unnest($5::text[], $6::text[], $7::float8[]) as h(name, shown, age) on true
  on conflict (id) do update set
    marker = excluded.marker, about = excluded.about, holds = excluded.holds, noted_at = excluded.noted_at`;

const listing = `
  with held as materialized (${locksHeld}), known as (
    select n.*, h.pid from nodes n left join held h on h.key = ${markerKey}
  )
  select k.about, k.noted_at, k.pid is not null as there,
      (select count(*) from held h where h.pid = k.pid) as locks,
      coalesce((
        select jsonb_agg(jsonb_build_object('name', t.name, 'since', t.since) order by t.name collate "C")
          from jsonb_to_recordset(k.holds) as t(key bigint, name text, since float8)
          join held h using (key) where h.pid = k.pid
      ), '[]') as holds
    from known k order by k.about->>'started_at', k.id`;
