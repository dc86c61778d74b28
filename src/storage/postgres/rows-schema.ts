/** SQLSTATE of rows of a projector that is it no more. */
export const anotherProjector = 'MS002';

/**
 * Rows and checkpoint of a projection, together or not at all. The log has what a crash takes, so it is not synced. Fenced, they
 * are written only if the checkpoint is as this projector read or wrote it last: a frozen one may wake, and a crash may
 * have taken back what it wrote. The same again is the same. They are cleared under the same
 * condition, so many at once, the checkpoint first: without one, what is left is cleared by the next who looks. Says whether any may be left.
 */
export const commitRows = `
create or replace function assert_projector(in_projection text, in_after bigint, in_position bigint) returns void
language plpgsql
as $$
declare
  present bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('mitschrift rows ' || in_projection, 0));
  select c.position into present from checkpoints c where c.projection = in_projection;
  if present is distinct from in_after and present is distinct from in_position then
    raise exception using errcode = '${anotherProjector}', message = 'another node writes the rows';
  end if;
end $$;

create or replace function commit_rows(
  in_projection text, in_version int, in_position bigint, in_keys text[], in_rows text[], in_gone text[],
  in_fenced boolean, in_after bigint
) returns void
language plpgsql
as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  if in_fenced then
    perform assert_projector(in_projection, in_after, in_position);
  end if;
  delete from rows where projection = in_projection and key = any (in_gone);
  insert into rows (projection, key, row)
    select in_projection, r.key, r.row from unnest(in_keys, in_rows) as r(key, row)
    on conflict (projection, key) do update set row = excluded.row;
  insert into checkpoints (projection, version, position) values (in_projection, in_version, in_position)
    on conflict (projection) do update set version = excluded.version, position = excluded.position;
end $$;

create or replace function clear_rows(in_projection text, in_fenced boolean, in_after bigint, in_max int) returns boolean
language plpgsql
as $$
declare
  gone bigint;
begin
  if in_fenced then
    perform assert_projector(in_projection, in_after, in_after);
  end if;
  delete from checkpoints where projection = in_projection;
  delete from rows where ctid = any (array(
    select r.ctid from rows r where r.projection = in_projection limit in_max
  ));
  get diagnostics gone = row_count;
  return gone = in_max;
end $$;
`;
