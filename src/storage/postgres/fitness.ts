import { oneRow } from './one-row.ts';
import type pg from 'pg';
import { SaidError, codeOf } from '../../shared/errors.ts';
import { check } from '../../words/checks.ts';
import type { Sentence } from '../../words/params.ts';

/** Why a database cannot be used, for the person who set it up. */
export class DatabaseUnfit extends SaidError<DatabaseUnfitCode> {
  override name = 'DatabaseUnfit';
}

export type DatabaseUnfitCode =
  | 'malformed'
  | 'unreachable'
  | 'refused'
  | 'too-old'
  | 'standby'
  | 'not-utf8'
  | 'pooler'
  | 'no-rights'
  | 'connections'
  | 'schema-none'
  | 'schema-newer'
  | 'schema-older'
  | 'schema-other';

/** PostgreSQL's code for `max_connections`, and for limits of a user or a database. */
export const tooManyConnections = '53300';

/** PostgreSQL 14 has `idle_session_timeout`, by which a lock is free when its holder hangs. */
const versionMin = 140_000;

type Found = {
  version: number;
  name: string;
  standby: boolean;
  encoding: string;
  fsync: string;
  /** Milliseconds since the epoch. */
  now: number;
  /** Connections it takes, without those that are kept for administrators; and those there are, with the two that ask. */
  connections: number;
  used: number;
};

/** How far clocks may be apart before it is said, in milliseconds: more than a slow answer takes. */
const apartMs = 30_000;

/**
 * Looks whether a database can hold a log: its version, that it takes writes, that sessions are ours alone, and that
 * there are so many connections as are needed.
 * @throws {DatabaseUnfit}
 */
export async function assertFit(
  newClient: () => pg.Client,
  where: string,
  report: (message: string) => void,
  needed: number,
): Promise<void> {
  const [first, second] = [newClient(), newClient()];
  try {
    for (const client of [first, second]) {
      client.on('error', () => {}); // its questions fail with it
      await client.connect();
    }
    const { rows } = await first.query<Found>(
      `select current_setting('server_version_num')::int as version,
         current_setting('server_version') as name, pg_is_in_recovery() as standby,
         current_setting('server_encoding') as encoding, current_setting('fsync') as fsync,
         (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
         current_setting('max_connections')::int - case when current_setting('is_superuser') = 'on' then 0 else
           current_setting('superuser_reserved_connections')::int
             + coalesce(current_setting('reserved_connections', true)::int, 0) end as connections,
         (select count(*) from pg_stat_activity where backend_type = 'client backend')::int as used`,
    );
    const found = oneRow(rows);
    assertServer(found, where);
    assertRoom(found, where, needed);
    if (found.fsync === 'off') {
      report(`database runs with fsync off; a power cut can lose saved data: ${where}`);
    }
    const aheadMs = Date.now() - found.now;
    if (Math.abs(aheadMs) > apartMs) {
      report(
        `clock is ${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database’s; ` +
          `recorded times will be wrong: ${where}`,
      );
    }
    await assertDirect(first, second, where);
  } catch (error) {
    throw unfit(error, where);
  } finally {
    await Promise.all([first.end(), second.end()].map((ending) => ending.catch(() => {})));
  }
}

function assertServer({ version, name, standby, encoding }: Found, database: string): void {
  if (version < versionMin)
    throw new DatabaseUnfit('too-old', check('database-old', { database, version: name }));
  if (standby) throw new DatabaseUnfit('standby', check('database-standby', { database }));
  if (encoding !== 'UTF8')
    throw new DatabaseUnfit('not-utf8', check('database-encoding', { database, encoding }));
}

function assertRoom(found: Found, database: string, needed: number): void {
  const limit = found.connections;
  const used = found.used - 2;
  if (limit - used >= needed) return;
  const room = { database, limit, used, needed };
  throw new DatabaseUnfit('connections', check('database-few-connections', room));
}

/**
 * A pooler that shares connections between transactions takes session locks and notifications from us and gives
 * them to others. It shows: two sessions are one at the server, or one session is two.
 */
async function assertDirect(first: pg.Client, second: pg.Client, where: string): Promise<void> {
  const pidOf = async (client: pg.Client): Promise<number> =>
    oneRow((await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows).pid;
  const pids = [new Set<number>(), new Set<number>()] as const;
  // Both at once, and often: a pooler that has nothing else to do gives each its own for a while.
  for (let round = 0; round < directRounds; round += 1) {
    const [one, other] = await Promise.all([pidOf(first), pidOf(second)]);
    pids[0].add(one);
    pids[1].add(other);
  }
  const isDirect =
    pids.every(({ size }) => size === 1) && ![...pids[0]].some((pid) => pids[1].has(pid));
  if (!isDirect) throw poolerBetween(where);
}

/** How often two sessions are asked at the start who serves them. */
const directRounds = 20;

const poolerBetween = (database: string, cause?: unknown): DatabaseUnfit =>
  new DatabaseUnfit('pooler', check('database-pooler', { database }), { cause });

/** An error at the start in a sentence; others as they are. */
export function unfit(error: unknown, database: string): unknown {
  if (error instanceof DatabaseUnfit) return error;
  const found = reasonOf(error, database);
  return found ? new DatabaseUnfit(...found, { cause: error }) : error;
}

/** Undefined: it says nothing of the database. */
function reasonOf(error: unknown, database: string): [DatabaseUnfitCode, Sentence] | undefined {
  const code = codeOf(error);
  const silent = (cause: string): [DatabaseUnfitCode, Sentence] => [
    'unreachable',
    check('database-silent', { database, cause }),
  ];
  if (code === undefined) {
    const said = error instanceof Error ? error.message : '';
    if (said.includes('password must be a string'))
      return ['refused', check('database-no-password', { database })];
    return /timeout|terminated|SSL/.test(said) ? silent(said) : undefined;
  }
  if (code.startsWith('28')) return ['refused', check('database-login', { database, cause: code })];
  if (code === '3D000') return ['unreachable', check('database-missing', { database })];
  if (code === '42501') return ['no-rights', check('database-no-rights', { database })];
  if (code === tooManyConnections)
    return ['connections', check('database-few-connections', { database })];
  return /^(E[A-Z_]+$|08|53|57)/.test(code) ? silent(code) : undefined;
}
