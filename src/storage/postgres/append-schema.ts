/** SQLSTATE of appends to a log that is not there. */
export const anotherLog = 'MS001';

/** Where nodes learn that the log has grown: the payload is the position of the last fact. */
export const factsChannel = 'facts';

/**
 * Appends what several callers want, in one transaction: of each stream one unit, whole or not at all.
 *
 * Units: names of their streams, the versions that were expected, the commands that begin streams; facts: the number
 * of their unit from 1, version, type, record and CRC. Texts come as one each, a line an item, since none has a line
 * feed. One fact alone, as it comes from one writer, is stored by plain statements, which cost an eighth less. How all are
 * planned the session says that appends (`appendSettings`). Both lookups are limited to one row, which keeps them lookups
 * by index however small the table was when they were planned. `in_tells`: whether other nodes are told.
 * Returns the position before the first fact with unit 0, then the units that were refused: their stream's version, and
 * the stream that their command has begun already.
 */
export const appendFunction = `
create or replace function append_batch(
  in_log text, in_tells boolean, in_streams text, in_expected int[], in_commands text,
  in_units int[], in_versions int[], in_types text, in_records text, in_crcs int[]
) returns table (unit int, at bigint, begun text)
language plpgsql
as $$
declare
  head bigint;
  added bigint;
  refused int[] := '{}';
begin
  perform from log where id = in_log for update;
  if not found then
    raise exception using errcode = '${anotherLog}', message = 'the database holds another log';
  end if;
  select coalesce(max(f.position), 0) into head from facts f;
  unit := 0;
  at := head;
  return next;
  if cardinality(in_units) = 1 then
    unit := 1;
    at := coalesce((select f.version from facts f where f.stream = in_streams order by f.version desc limit 1), 0);
    if in_expected[1] = 0 then
      begun := (select f.stream from facts f where f.version = 1 and f.command = in_commands limit 1);
    end if;
    if at <> in_expected[1] or begun is not null then
      return next;
      return;
    end if;
    insert into facts (position, stream, version, type, command, record, crc)
      values (head + 1, in_streams, in_versions[1], in_types,
        case when in_versions[1] = 1 then in_commands end, in_records, in_crcs[1]);
    if in_tells then
      perform pg_notify('${factsChannel}_' || in_log, (head + 1)::text);
    end if;
    return;
  end if;
  for unit, at, begun in
    select w.unit, coalesce(h.version, 0), c.stream
      from unnest(string_to_array(in_streams, E'\\n'), in_expected, string_to_array(in_commands, E'\\n'))
        with ordinality as w(stream, expected, command, unit)
      left join lateral (
        select f.version from facts f where f.stream = w.stream order by f.version desc limit 1
      ) h on true
      left join lateral (
        select f.stream from facts f where w.expected = 0 and f.version = 1 and f.command = w.command limit 1
      ) c on true
      where coalesce(h.version, 0) <> w.expected or c.stream is not null
  loop
    refused := refused || unit;
    return next;
  end loop;
  insert into facts (position, stream, version, type, command, record, crc)
    select head + row_number() over (order by f.n), w.stream, f.version, f.type,
        case when f.version = 1 then w.command end, f.record, f.crc
      from unnest(
          in_units, in_versions, string_to_array(in_types, E'\\n'), string_to_array(in_records, E'\\n'), in_crcs
        ) with ordinality as f(unit, version, type, record, crc, n)
      join unnest(string_to_array(in_streams, E'\\n'), string_to_array(in_commands, E'\\n'))
        with ordinality as w(stream, command, unit) on w.unit = f.unit
      where f.unit <> all (refused)
      order by f.n;
  get diagnostics added = row_count;
  if added > 0 and in_tells then
    perform pg_notify('${factsChannel}_' || in_log, (head + added)::text);
  end if;
end $$;
`;
