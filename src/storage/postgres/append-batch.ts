import { type SealedFact, asStored } from '../../../events/log/records.ts';
import { batchBytesMax, batchFactsMax } from '../../../events/log/append-queue.ts';
import type { LoggedFact } from '../../../events/facts/catalogue.ts';
import { EventStoreError } from '../../../events/store.ts';
import { rowCrc, rowRecord } from './fact-rows.ts';

/** Facts for one stream whose caller waits for them. */
export type WaitingAppend = {
  readonly stream: string;
  readonly expectedVersion: number;
  readonly count: number;
  readonly at: Date;
  /** The append of this process that it was decided on, while that one's outcome is not known. */
  basis: WaitingAppend | undefined;
  /** Undefined while its content is being encrypted. */
  facts: SealedFact[] | undefined;
  /** An estimate of what they keep in memory. */
  bytes: number;
  /** Why nothing of it is stored, or may be. */
  failure: unknown;
  /** Whether its caller has an answer, which may be before its content is encrypted. */
  isSettled: boolean;
  resolve(facts: LoggedFact[]): void;
  reject(error: unknown): void;
};

/** A row of the answer of `append_batch`. */
export type AppendAnswer = { unit: number; at: string; begun: string | null };

/** What goes to the database as one transaction. Of each stream there is one unit, stored whole or not at all. */
export type AppendBatch = {
  readonly appends: readonly WaitingAppend[];
  /** Takes an append if it has room for it, and it does not depend on what comes of the others. */
  take(append: WaitingAppend, nextId: (time: number) => string): boolean;
  isFull(append: WaitingAppend): boolean;
  /** Parameters of `append_batch`, but the log's id. */
  values(): string[];
  /** What came of each append, in their order. */
  outcomes(answer: readonly AppendAnswer[]): (LoggedFact[] | EventStoreError)[];
  /** Versions of streams whose units were refused. */
  versions(answer: readonly AppendAnswer[]): [stream: string, version: number][];
};

type Place = { fact: SealedFact; id: string; stream: string; version: number; at: string };

export function appendBatch(): AppendBatch {
  const appends: WaitingAppend[] = [];
  /** The last append of each unit, by stream. */
  const tails = new Map<string, { unit: number; append: WaitingAppend }>();
  const beginning = new Set<string>();
  const units: { stream: string; expected: number; command: string }[] = [];
  /** Columns of facts, an item each. */
  const columns: Columns = { units: [], versions: [], types: [], records: [], crcs: [] };
  const placed: { append: WaitingAppend; unit: number; places: Place[] }[] = [];
  let bytes = 0;

  /** The unit that an append belongs to, a new one if need be; undefined when it has to wait for another batch. */
  const unitFor = (append: WaitingAppend): number | undefined => {
    const tail = tails.get(append.stream);
    if (tail) return tail.append === append.basis ? tail.unit : undefined;
    const command =
      append.expectedVersion === 0 ? asWritten(append.facts?.[0]?.metadata.command ?? '') : '';
    if (command !== '' && beginning.has(command)) return undefined;
    beginning.add(command);
    return units.push({ stream: append.stream, expected: append.expectedVersion, command });
  };

  return {
    appends,
    isFull: (append) =>
      appends.length > 0 &&
      (columns.units.length + append.count > batchFactsMax || bytes + append.bytes > batchBytesMax),
    take(append, nextId) {
      const unit = unitFor(append);
      if (unit === undefined) return false;
      const places = placesOf(append, nextId);
      for (const place of places) addRow(columns, unit, place);
      tails.set(append.stream, { unit, append });
      appends.push(append);
      placed.push({ append, unit, places });
      bytes += append.bytes;
      return true;
    },
    values: () => [
      units.map(({ stream }) => stream).join('\n'),
      arrayOf(units.map(({ expected }) => expected)),
      units.map(({ command }) => command).join('\n'),
      arrayOf(columns.units),
      arrayOf(columns.versions),
      columns.types.join('\n'),
      columns.records.join('\n'),
      arrayOf(columns.crcs),
    ],
    outcomes(answer) {
      const refusals = new Map(answer.map((row) => [row.unit, row]));
      let position = Number(refusals.get(0)?.at);
      return placed.map(({ append, unit, places }) => {
        const refusal = refusals.get(unit);
        if (refusal) return refused(append, refusal);
        return places.map((place) => {
          position += 1;
          return asStored({ ...place, position });
        });
      });
    },
    versions: (answer) =>
      answer.flatMap(({ unit, at }) => {
        const of = units[unit - 1];
        return of ? [[of.stream, Number(at)]] : [];
      }),
  };
}

/** An append's facts with all that their place decides, but the position. */
function placesOf(append: WaitingAppend, nextId: (time: number) => string): Place[] {
  const { stream, at } = append;
  let version = append.expectedVersion;
  return (append.facts ?? []).map((fact) => {
    version += 1;
    const id = nextId(at.getTime());
    return { fact, id, stream, version, at: fact.metadata.at ?? at.toISOString() };
  });
}

type Columns = {
  units: number[];
  versions: number[];
  types: string[];
  records: string[];
  crcs: number[];
};

function addRow(columns: Columns, unit: number, place: Place): void {
  const { stream, version, fact } = place;
  const record = rowRecord(place);
  columns.units.push(unit);
  columns.versions.push(version);
  columns.types.push(fact.type);
  columns.records.push(record);
  columns.crcs.push(rowCrc(stream, version, record));
}

/** Decided on a version that is not the stream's. */
export const conflictAt = ({ stream, expectedVersion }: WaitingAppend, version: number) =>
  new EventStoreError(
    'VERSION_CONFLICT',
    `${stream} is at version ${version}, not ${expectedVersion}. Decide again on what is there now.`,
  );

function refused(append: WaitingAppend, { at, begun }: AppendAnswer): EventStoreError {
  if (begun === null) return conflictAt(append, Number(at));
  return new EventStoreError(
    'COMMAND_TAKEN',
    `The command has already started ${begun}; nothing was stored.`,
  );
}

/** A command as its record's JSON has it, without quotes: on one line, and nothing that PostgreSQL cannot hold. */
const asWritten = (command: string): string => JSON.stringify(command).slice(1, -1);

const arrayOf = (numbers: readonly number[]): string => `{${numbers.join(',')}}`;
