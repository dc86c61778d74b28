import { appendFunction } from './append-schema.ts';
import { commitRows } from './rows-schema.ts';

/**
 * The tables of version 1, as the release 888c70e made them, all in the schema `mitschrift`. Never changed: see `migrations`.
 *
 * `log` has one row. Every append locks it until it is committed, so that positions become visible in their order
 * and without gaps; it is not changed by that, since each change would leave a dead row behind. Where the log
 * ends, and each stream, the indexes of `facts` say.
 *
 * `record` is the fact's JSON without its position, `crc` the CRC-32 over its stream, version and record;
 * `command` is there of first facts only, as JSON writes it: it may begin one stream.
 */
export const firstTables = `
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
 * What brings the tables from one version to the next: the first to 2, and so on. One that was released is never changed:
 * databases have it. What a version adds is empty or optional, so that nodes of the release before go on beside it.
 */
export const migrations: readonly string[] = [
  `
create table housekeeping (task text collate "C" primary key, done_at timestamptz not null);
`,
  `
create table puts (recording_id text collate "C" primary key, put_at timestamptz not null default clock_timestamp());
`,
  `
alter table housekeeping add took_ms float8, add value jsonb;
`,
];

/**
 * Replaces what is remembered of keys (null: nothing), unless it is not any more what it was decided on. The lock is
 * taken first: what a statement after it sees is what others have committed.
 */
const swapAttempts = `
create or replace function swap_attempts(in_keys text[], in_before text[], in_then text[]) returns boolean
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

/** Made again with each new version: they hold nothing. */
export const functions = appendFunction + commitRows + swapAttempts;
