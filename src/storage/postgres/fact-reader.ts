import type { Damage, RawRecord, StoredRecord } from '../../../events/event-log.ts';
import type { LoggedFact } from '../../../events/facts/catalogue.ts';
import { type DamageRegister, missingRecords } from '../../../events/log/damage.ts';
import type { RecordPage } from '../../../events/log/following.ts';
import type { FactDecoder } from '../../../events/log/sealing.ts';
import { EventStoreError } from '../../../events/store.ts';
import type { Postgres } from './connection.ts';
import type { KnownEnd } from './known-end.ts';
import {
  type FactRow,
  type RowRange,
  checkedRow,
  isDamage,
  isLast,
  rowsPage,
} from './fact-rows.ts';

/** Reads facts a page at a time: up to a thousand or about 1 MiB. Each row is checked, alone and in its place. */
export type FactReader = {
  /** Readable facts of a range. @throws {EventStoreError} `DAMAGED` behind what comes before it, `BUSY` */
  facts(range: RowRange): AsyncGenerator<LoggedFact[], void, void>;
  /** The same rows as records, their content still sealed. */
  records(range: RowRange): AsyncGenerator<RawRecord[], void, void>;
  /** The first page of these records, still sealed, and what is wrong with the next. @throws {EventStoreError} `BUSY` */
  recordPage(after: number, upTo: number): Promise<RecordPage>;
  /** Every record that can be read, around what is damaged. */
  soundRecords(): AsyncGenerator<StoredRecord[], void, void>;
};

export function factReader(parts: {
  db: Postgres;
  decoder: FactDecoder;
  damage: DamageRegister;
  end: KnownEnd;
}): FactReader {
  const { db, decoder, damage, end } = parts;
  /** Where nothing is left of what was known, it may be the database that came back shorter. @throws {EventStoreError} */
  const missing = async (first: number, last: number): Promise<Damage> => {
    await end.look(db.ask);
    return missingRecords(first, last);
  };
  const seen = (records: readonly RawRecord[]): void => {
    const last = records.at(-1);
    if (last) end.seen(last.fact);
  };
  return {
    async *facts(range) {
      for await (const page of checkedPages(db, range, missing)) {
        seen(page.records);
        const { facts, error } = await decoder.decode(page.records.map(({ fact }) => fact));
        if (facts.length > 0) yield facts;
        if (error !== undefined) throw error;
        if (page.damage) throw damage.report(page.damage);
      }
    },
    async *records(range) {
      for await (const page of checkedPages(db, range, missing)) {
        seen(page.records);
        if (page.records.length > 0) yield page.records;
        if (page.damage) throw damage.report(page.damage);
      }
    },
    async recordPage(after, upTo) {
      const rows = await rowsPage(db, { after, upTo }).catch((error: unknown) => {
        if (!(error instanceof EventStoreError) || error.code !== 'DAMAGED') throw error;
        // The page fails as a whole, for a block that the database cannot read: what comes before it can be read alone.
        return rowsPage(db, { after, upTo: after + 1 });
      });
      const page =
        rows.length > 0
          ? checkedPage({ after, upTo }, rows, after)
          : { records: [], damage: await missing(after + 1, upTo) };
      seen(page.records);
      return {
        records: page.records.map(({ fact }) => fact),
        bytes: page.records.reduce((sum, { json }) => sum + json.length, 0),
        ...(page.damage && { error: damage.report(page.damage) }),
      };
    },
    async *soundRecords() {
      for await (const { rows } of rowPages(db, { after: 0, upTo: Infinity })) {
        yield rows.map(checkedRow).flatMap((row) => (isDamage(row) ? [] : row.fact));
      }
    },
  };
}

/** Rows of a range, page by page; the next one is asked for while a page is used. */
export async function* rowPages(
  db: Postgres,
  range: RowRange,
): AsyncGenerator<{ rows: FactRow[]; after: number }, void, void> {
  let { after } = range;
  let next: Promise<FactRow[]> | undefined = rowsPage(db, range);
  while (next) {
    const rows: FactRow[] = await next;
    const end = rows.length === 0 ? after : placeIn(range, rows.at(-1)!);
    next = isLast(rows) || end >= range.upTo ? undefined : rowsPage(db, { ...range, after: end });
    // A failure is thrown in its turn.
    next?.catch(() => {});
    yield { rows, after };
    after = end;
  }
}

/** A row's number among those of its range. */
const placeIn = ({ stream }: RowRange, { position, version }: FactRow): number =>
  stream === undefined ? Number(position) : version;

type CheckedPage = { records: RawRecord[]; damage?: Damage };

async function* checkedPages(
  db: Postgres,
  range: RowRange,
  missing: (first: number, last: number) => Promise<Damage>,
): AsyncGenerator<CheckedPage, void, void> {
  let last = range.after;
  for await (const { rows, after } of rowPages(db, range)) {
    const page = checkedPage(range, rows, after);
    yield page;
    if (page.damage) return;
    last = after + rows.length;
  }
  // A stream may be shorter than was asked for; up to a position that was reached all is there.
  if (range.stream !== undefined || range.upTo === Infinity || last >= range.upTo) return;
  yield { records: [], damage: await missing(last + 1, range.upTo) };
}

function checkedPage(range: RowRange, rows: readonly FactRow[], after: number): CheckedPage {
  const records: RawRecord[] = [];
  for (const row of rows) {
    const expected = after + records.length + 1;
    const found = placeIn(range, row);
    const checked =
      found === expected ? checkedRow(row) : missingRecords(expected, found - 1, range.stream);
    if (isDamage(checked)) return { records, damage: checked };
    records.push(checked);
  }
  return { records };
}
