import { crc32 } from 'node:zlib';
import type { Damage, RawRecord, StoredRecord } from '../../../events/event-log.ts';
import { pageBytesMax, pageFactsMax } from '../../../events/log/reader.ts';
import { type PlacedFact, recordJson } from '../../../events/log/records.ts';
import type { Postgres } from './connection.ts';
import { finding } from '../../words/findings.ts';

/** A row of `facts`, as far as it is read. */
export type FactRow = {
  position: string;
  stream: string;
  version: number;
  crc: number;
  record: string;
};

/** A fact's record as it lies in a row: the JSON that LevelDB's log has, without the position. */
export const rowRecord = (placed: Omit<PlacedFact, 'position'>): string =>
  recordJson({ ...placed, position: 0 }).replace('"position":0,', '');

/** The CRC-32 of a row's stream, version and record, as PostgreSQL's `int`. */
export const rowCrc = (stream: string, version: number, record: string): number =>
  crc32(`${stream}\n${version}\n${record}`) | 0;

/** The record with its position back in its place, byte for byte as LevelDB's log would hold it. */
function withPosition({ position, record }: FactRow): string {
  const place = record.indexOf('"stream":');
  return `${record.slice(0, place)}"position":${position},${record.slice(place)}`;
}

/** A row as a record, or what is wrong with it. */
export function checkedRow(row: FactRow): RawRecord | Damage {
  const { stream, version } = row;
  const damage: Damage = {
    kind: 'record',
    position: Number(row.position),
    stream,
    version,
    said: finding('record-altered'),
  };
  if (rowCrc(stream, version, row.record) !== row.crc) return damage;
  const json = withPosition(row);
  const fact: StoredRecord = JSON.parse(json);
  return fact.stream === stream && fact.version === version ? { fact, json } : damage;
}

export const isDamage = (row: RawRecord | Damage): row is Damage => 'kind' in row;

/** Which rows: of the whole log by position, or of one stream by version. */
export type RowRange = { stream?: string; after: number; upTo: number };

/** Rows of a range in order, up to a thousand or about 1 MiB; empty when there are no more. */
export async function rowsPage(db: Postgres, range: RowRange): Promise<FactRow[]> {
  const { stream, after, upTo } = range;
  const limit = Math.min(pageFactsMax, upTo - after);
  if (limit <= 0) return [];
  return stream === undefined
    ? await db.ask<FactRow>({
        name: 'page',
        text: pageOf('position', 'true'),
        values: [after, limit],
      })
    : await db.ask<FactRow>({
        name: 'stream-page',
        text: pageOf('version', 'stream = $3'),
        values: [after, limit, stream],
      });
}

/** Whether a page ends where rows did: with fewer than were asked for, and room for one more. */
export const isLast = (rows: readonly FactRow[]): boolean =>
  rows.length < pageFactsMax &&
  rows.reduce((bytes, { record }) => bytes + Buffer.byteLength(record) + rowHead, 0) < pageBytesMax;

/** What `pg_column_size` counts beside a record's bytes, at most. */
const rowHead = 4;

/** The size of a record is known without reading it: large ones lie elsewhere. */
const pageOf = (order: 'position' | 'version', where: string): string => `
  select position, stream, version, crc, record from (
    select *, sum(pg_column_size(record)) over (order by ${order}) - pg_column_size(record) as before
    from (
      select position, stream, version, crc, record from facts
      where ${order} > $1 and ${where} order by ${order} limit $2
    ) as several
  ) as page where before < ${pageBytesMax} order by ${order}`;
