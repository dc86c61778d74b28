import type pg from 'pg';
import { createHash } from 'node:crypto';
import { ulid } from 'ulid';
import { DatabaseUnfit, unfit } from './fitness.ts';
import { appendFunction } from './append-schema.ts';
import { commitRows } from './rows-schema.ts';

/** The version of the tables below. It changes with them, once a release has made them. */
export const schemaVersion = 1;

/**
 * Which SQL made them, kept beside it: until a release has made tables, those of each commit are version 1, and may lack
 * what another commit's need.
 */
const madeBy = (): string =>
  createHash('sha256')
    .update((tables + functions).replaceAll(/\s+/g, ' '))
    .digest('hex');

/**
 * The tables, all in the schema `mitschrift`.
 *
 * `log` has one row. Every append locks it until it is committed, so that positions become visible in their order
 * and without gaps; it is not changed by that, since each change would leave a dead row behind. Where the log
 * ends, and each stream, the indexes of `facts` say.
 *
 * `record` is the fact's JSON without its position, `crc` the CRC-32 over its stream, version and record;
 * `command` is there of first facts only, as JSON writes it: it may begin one stream.
 */
const tables = `
create schema if not exists mitschrift;

create table log (
  one boolean primary key default true check (one),
  schema int not null,
  made_by text not null,
  id text not null
);

create table facts (
  position bigint primary key,
  stream text collate "C" not null,
  version int not null,
  type text not null,
  command text collate "C",
  record text not null,
  crc int not null,
  unique (stream, version)
);
alter table facts alter column record set storage external;
create unique index facts_command on facts (command) where version = 1;

create table rows (
  projection text collate "C",
  key text collate "C",
  row text not null,
  primary key (projection, key)
);
create table checkpoints (projection text primary key, version int not null, position bigint not null);

create sequence tenures;

create table sessions (
  hash text collate "C" primary key,
  user_id text not null,
  created_at bigint not null,
  expires_at bigint not null,
  seen_at bigint,
  agent text,
  users_version int
);
create index sessions_user on sessions (user_id);
create index sessions_expiry on sessions (expires_at);

create table secrets (
  name text collate "C",
  fingerprint text collate "C",
  key_id text not null,
  sealed text not null,
  added_at timestamptz not null default now(),
  primary key (name, fingerprint)
);

create unlogged table login_attempts (
  key text collate "C" primary key,
  state text not null,
  changed_at timestamptz not null default clock_timestamp()
);
create index login_attempts_changed on login_attempts (changed_at);

create unlogged table tickets (
  hash text collate "C" primary key,
  session_id text not null,
  recording_id text not null,
  expires_at bigint not null
);
create index tickets_expiry on tickets (expires_at);

create unlogged table nodes (
  id text collate "C" primary key,
  marker text not null,
  about jsonb not null,
  holds jsonb not null,
  noted_at float8 not null
);

create table pending_jobs (
  recording_id text collate "C",
  job text collate "C",
  primary key (recording_id, job)
);
`;

/**
 * Replaces what is remembered of keys (null: nothing), unless it is not any more what it was decided on. The lock is
 * taken first: what a statement after it sees is what others have committed.
 */
const swapAttempts = `
create function swap_attempts(in_keys text[], in_before text[], in_then text[]) returns boolean
language plpgsql
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(k.key, 0))
    from (select key from unnest(in_keys) as k(key) order by key) as k;
  perform from unnest(in_keys, in_before) as b(key, state) left join login_attempts a using (key)
    where a.state is distinct from b.state;
  if found then
    return false;
  end if;
  delete from login_attempts a using unnest(in_keys, in_then) as t(key, state)
    where a.key = t.key and t.state is null;
  insert into login_attempts (key, state)
    select t.key, t.state from unnest(in_keys, in_then) as t(key, state) where t.state is not null
    on conflict (key) do update set state = excluded.state, changed_at = clock_timestamp();
  return true;
end $$;
`;

const functions = appendFunction + commitRows + swapAttempts;

/**
 * Makes the tables when they are not there; one node at a time. Returns the log's id.
 * @param options.makes whether they are made
 * @throws {DatabaseUnfit} they are of another release, or not there
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
    if (!found[0]!.there) {
      if (!makes) throw noTables(where);
      await client.query(tables + functions);
      const values = [schemaVersion, madeBy(), ulid()];
      await client.query({
        text: 'insert into log (schema, made_by, id) values ($1, $2, $3)',
        values,
      });
    }
    const { rows } = await client.query<Made>(
      // The column too may be missing.
      "select id, schema, to_jsonb(log) ->> 'made_by' as by from log",
    );
    await client.query('commit');
    const [made] = rows;
    assertVersion(made, where);
    return made.id;
  } catch (error) {
    throw unfit(error, where);
  } finally {
    await client.end().catch(() => {});
  }
}

const noTables = (where: string): DatabaseUnfit =>
  new DatabaseUnfit(
    'schema-none',
    `The database ${where} has no tables of Mitschrift. The first node that is started makes them.`,
  );

type Made = { id: string; schema: number; by: string | null };

function assertVersion(made: Made | undefined, where: string): asserts made is Made {
  const schema = made?.schema ?? 0;
  if (schema > schemaVersion) {
    throw new DatabaseUnfit(
      'schema-newer',
      `The tables of the database ${where} are of a newer release of Mitschrift (${schema}, not ${schemaVersion}). Start that release.`,
    );
  }
  if (schema < schemaVersion) {
    throw new DatabaseUnfit(
      'schema-older',
      `The tables of the database ${where} are of an older release of Mitschrift (${schema}, not ${schemaVersion}). ${move}`,
    );
  }
  if (made?.by !== madeBy()) {
    throw new DatabaseUnfit(
      'schema-other',
      `The tables of the database ${where} are of another state of Mitschrift before its release. ${move}`,
    );
  }
}

const move =
  'Bring its log into a directory by mitschrift migrate --to of the one that made them, and into an empty database by --from of this one.';
