import pg from 'pg';
import type { RawRecord } from '../../../events/event-log.ts';
import { rowCrc } from './fact-rows.ts';
import { prepareSession } from './session-settings.ts';

/** What connections of nodes call themselves (`connection.ts`). */
const nodeName = 'mitschrift';

/**
 * Puts a whole log into a database that has its tables and no fact, with its id, in one transaction: all of it is there
 * or nothing.
 * @param pages records in order, from the first one on; @param progress called with the position that is reached
 * @throws {Error} there are facts already; what the database throws
 */
export async function importFacts(
  url: string,
  log: { id: string; pages: AsyncIterable<RawRecord[]> },
  progress: (position: number) => void,
): Promise<void> {
  await withClient(url, async (client) => {
    // A log of years takes longer than a question may.
    await client.query('set statement_timeout = 0');
    await client.query('begin');
    // Who appends waits for this row.
    await client.query('select id from log for update');
    const { rowCount } = await client.query('select 1 from facts limit 1');
    if (rowCount) throw new Error('The database already contains events. Choose an empty one.');
    await client.query('update log set id = $1', [log.id]);
    // Secrets are sealed with the id of their log.
    await client.query(
      'delete from rows; delete from checkpoints; delete from sessions; delete from secrets',
    );
    for await (const page of log.pages) {
      await client.query(insertPage, columnsOf(page));
      progress(page.at(-1)?.fact.position ?? 0);
    }
    await client.query('commit');
  });
}

/**
 * How many connections of nodes a database has: those of their name, which an operator may have set to another, and those
 * that hold their locks, as each node has one (`ownership.ts`).
 */
export async function nodesConnected(url: string): Promise<number> {
  return await withClient(url, async (client) => {
    const { rows } = await client.query<{ nodes: number }>(
      `select count(*)::int as nodes from pg_stat_activity
       where datname = current_database() and (application_name = $1 or pid in (
         select pid from pg_locks where locktype = 'advisory' and granted
           and database = (select oid from pg_database where datname = current_database())
       ))`,
      [nodeName],
    );
    return rows[0]?.nodes ?? 0;
  });
}

const insertPage = `
  insert into facts (position, stream, version, type, command, record, crc)
  select * from unnest($1::bigint[], $2::text[], $3::int[], $4::text[], $5::text[], $6::text[], $7::int[])`;

/** Rows as `append_batch` would have written them. */
function columnsOf(page: readonly RawRecord[]): unknown[][] {
  const records = page.map(({ fact, json }) => ({
    fact,
    record: json.replace(`"position":${fact.position},`, ''),
  }));
  return [
    page.map(({ fact }) => fact.position),
    page.map(({ fact }) => fact.stream),
    page.map(({ fact }) => fact.version),
    page.map(({ fact }) => fact.type),
    page.map(({ fact }) => (fact.version === 1 ? commandOf(fact) : null)),
    records.map(({ record }) => record),
    records.map(({ fact, record }) => rowCrc(fact.stream, fact.version, record)),
  ];
}

/** As JSON writes it, without quotes: `append_batch` compares it so. */
const commandOf = (fact: object): string =>
  JSON.stringify('command' in fact ? fact.command : '').slice(1, -1);

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'mitschrift-migrate',
    connectionTimeoutMillis: 10_000,
  });
  try {
    await client.connect();
    await prepareSession(client);
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
