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
 * One table for small rows. Sessions, pending jobs and secrets were in tables of their own: nodes of the release before
 * read and write those, so what changes here changes there, and the other way round. A release after this one removes them.
 */
const keptRows = `
create table kept (
  kind text collate "C",
  key text collate "C",
  value text not null,
  ends_at bigint,
  primary key (kind, key)
);
create index kept_ends on kept (kind, ends_at);

create view kept_before as
  select 'sessions' as kind, hash as key, jsonb_strip_nulls(to_jsonb(s) - 'hash')::text as value, expires_at as ends_at
    from sessions s
  union all select 'chores', recording_id || '/' || job, '1', null from pending_jobs
  union all select 'secrets', name || '/' || fingerprint, json_build_object('key_id', key_id, 'sealed', sealed,
    'added_at', (extract(epoch from added_at) * 1000)::bigint)::text, null from secrets;

create function kept_from_before() returns trigger language plpgsql set search_path = mitschrift
as $$
declare
  was_or_is jsonb;
  row_key text;
begin
  if pg_trigger_depth() > 1 then
    return null;
  end if;
  foreach was_or_is in array array[to_jsonb(old), to_jsonb(new)] loop
    row_key := case tg_argv[0]
      when 'sessions' then was_or_is ->> 'hash'
      when 'chores' then (was_or_is ->> 'recording_id') || '/' || (was_or_is ->> 'job')
      else (was_or_is ->> 'name') || '/' || (was_or_is ->> 'fingerprint') end;
    delete from kept where kind = tg_argv[0] and key = row_key;
    insert into kept select * from kept_before where kind = tg_argv[0] and key = row_key;
  end loop;
  return null;
end $$;
create trigger to_kept after insert or update or delete on sessions
  for each row execute function kept_from_before('sessions');
create trigger to_kept after insert or update or delete on pending_jobs
  for each row execute function kept_from_before('chores');
create trigger to_kept after insert or update or delete on secrets
  for each row execute function kept_from_before('secrets');

create function kept_to_before() returns trigger language plpgsql set search_path = mitschrift
as $$
begin
  if pg_trigger_depth() > 1 then
    return null;
  end if;
  if tg_op <> 'INSERT' then
    delete from sessions where old.kind = 'sessions' and hash = old.key;
    delete from pending_jobs where old.kind = 'chores' and recording_id || '/' || job = old.key;
    delete from secrets where old.kind = 'secrets' and name || '/' || fingerprint = old.key;
  end if;
  if tg_op = 'DELETE' then
    return null;
  end if;
  if new.kind = 'sessions' then
    insert into sessions select (jsonb_populate_record(null::sessions,
      replace(new.value, '\\u0000', '\\ufffd')::jsonb || jsonb_build_object('hash', new.key))).*;
  elsif new.kind = 'chores' then
    insert into pending_jobs values (split_part(new.key, '/', 1), split_part(new.key, '/', 2));
  elsif new.kind = 'secrets' then
    insert into secrets (name, fingerprint, key_id, sealed) values (split_part(new.key, '/', 1),
      split_part(new.key, '/', 2), new.value::json ->> 'key_id', new.value::json ->> 'sealed');
  end if;
  return null;
end $$;

insert into kept select * from kept_before;
insert into kept select 'known-places', substr(key, 7), state, (extract(epoch from changed_at + interval '30 days') * 1000)::bigint
  from login_attempts where key like 'known %';
create trigger to_before after insert or update or delete on kept for each row execute function kept_to_before();

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

/**
 * Migrations of the tables, each to the next version: the first to 2, and so on. A released migration never changes, since
 * databases have it. Additions are empty or optional, so that nodes of the release before continue beside it.
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
  keptRows,
  `
create unlogged table free_names (
  name text collate "C" primary key,
  since timestamptz not null default clock_timestamp()
);
`,
  `
create table passages (recording_id text collate "C" primary key, head text not null, sealed text not null);
`,
];

/**
 * Replaces values of keys (null: nothing), unless they are not any more what it was decided on. The locks are
 * taken first: what a statement after them sees is what others have committed.
 */
const changeKept = `
create or replace function change_kept(
  in_kind text, in_keys text[], in_before text[], in_values text[], in_ends bigint[], in_volatile boolean
) returns boolean
language plpgsql
as $$
begin
  if in_volatile then
    perform set_config('synchronous_commit', 'off', true);
  end if;
  perform pg_advisory_xact_lock(hashtextextended('kept ' || in_kind || ' ' || k.key, 0))
    from (select key from unnest(in_keys) as k(key) order by key) as k;
  perform from kept where kind = in_kind and key = any (in_keys) order by key for update;
  perform from unnest(in_keys, in_before) as b(key, value) left join kept a on a.kind = in_kind and a.key = b.key
    where a.value is distinct from b.value;
  if found then
    return false;
  end if;
  delete from kept a using unnest(in_keys, in_values) as v(key, value)
    where a.kind = in_kind and a.key = v.key and v.value is null;
  insert into kept (kind, key, value, ends_at)
    select in_kind, v.key, v.value, v.ends_at from unnest(in_keys, in_values, in_ends) as v(key, value, ends_at)
      where v.value is not null
    on conflict (kind, key) do update set value = excluded.value, ends_at = excluded.ends_at;
  return true;
end $$;
`;

/** Made again with each new version: they hold nothing. */
export const functions = appendFunction + commitRows + changeKept;
