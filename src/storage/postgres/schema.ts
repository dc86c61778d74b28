import { oneRow } from './one-row.ts';
import type pg from 'pg';
import { createHash } from 'node:crypto';
import { ulid } from 'ulid';
import { check } from '../../words/checks.ts';
import { DatabaseUnfit, unfit } from './fitness.ts';
import { firstTables, functions, migrations } from './schema-sql.ts';

/** The version of the tables: 1, and one more for each migration. */
export const schemaVersion = 1 + migrations.length;

/** Which SQL made tables and functions; kept beside the version, for people who look. */
export const schemaFingerprint = (): string =>
  createHash('sha256')
    .update([firstTables, ...migrations, functions].join('').replaceAll(/\s+/g, ' '))
    .digest('hex');

/** That of the release 888c70e: tables of version 1 that have another were made before it, and may lack what it needs. */
const firstFingerprint = '32723b4f42c852f9dea4f143497ab5084e4b3260a53b9da7f3748da35a923855';

/**
 * Makes the tables when they are not there, and brings older ones up to this release; one node at a time, all or nothing.
 * Returns the log's id.
 * @param options.makes whether it does; otherwise what is not as it should be is refused
 * @throws {DatabaseUnfit} they are of a newer release, or not there
 */
export async function prepareSchema(
  newClient: () => pg.Client,
  where: string,
  { makes }: { makes: boolean },
): Promise<string> {
  const client = newClient();
  client.on('error', () => {}); // its questions fail with it
  try {
    await client.connect();
    await client.query('set search_path = mitschrift; set client_min_messages = warning');
    await client.query('begin');
    await client.query("select pg_advisory_xact_lock(hashtextextended('mitschrift schema', 0))");
    const { rows: found } = await client.query<{ there: boolean }>(
      "select to_regclass('mitschrift.log') is not null as there",
    );
    if (!oneRow(found).there) {
      if (!makes) throw noTables(where);
      await client.query([firstTables, ...migrations, functions].join(''));
      const values = [schemaVersion, schemaFingerprint(), ulid()];
      await client.query({
        text: 'insert into log (schema, made_by, id) values ($1, $2, $3)',
        values,
      });
    }
    const { rows } = await client.query<Made>(
      // The column too may be missing.
      "select id, schema, to_jsonb(log) ->> 'made_by' as by from log",
    );
    const [made] = rows;
    assertVersion(made, where);
    if (made.schema < schemaVersion) {
      if (!makes) throw notUpYet(made.schema, where);
      await client.query([...migrations.slice(made.schema - 1), functions].join(''));
      const values = [schemaVersion, schemaFingerprint()];
      await client.query({ text: 'update log set schema = $1, made_by = $2', values });
    }
    await client.query('commit');
    return made.id;
  } catch (error) {
    throw unfit(error, where);
  } finally {
    await client.end().catch(() => {});
  }
}

const noTables = (database: string): DatabaseUnfit =>
  new DatabaseUnfit('schema-none', check('database-empty', { database }));

const notUpYet = (schema: number, database: string): DatabaseUnfit =>
  new DatabaseUnfit('schema-older', check('tables-older', versions(schema, database)));

const versions = (schema: number, database: string) => ({
  database,
  found: String(schema),
  known: String(schemaVersion),
});

type Made = { id: string; schema: number; by: string | null };

function assertVersion(made: Made | undefined, database: string): asserts made is Made {
  const schema = made?.schema ?? 0;
  if (schema > schemaVersion)
    throw new DatabaseUnfit('schema-newer', check('tables-newer', versions(schema, database)));
  if (schema < 1 || (schema === 1 && made?.by !== firstFingerprint))
    throw new DatabaseUnfit('schema-other', check('tables-unreleased', { database }));
}
