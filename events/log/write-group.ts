import type { LoggedFact } from '../facts/catalogue.ts';
import type { LogDatabase } from './database.ts';
import type { Head } from './head-file.ts';
import {
  type PlacedFact,
  type SealedFact,
  asStored,
  crcOf,
  encodeRecord,
  logKey,
  recordJson,
  streamKey,
} from './records.ts';

/** Facts for one stream whose caller waits for them. */
export type Append = {
  stream: string;
  facts: SealedFact[];
  expectedVersion: number;
  /** An estimate of what they keep in memory. */
  bytes: number;
  resolve(facts: LoggedFact[]): void;
  reject(error: unknown): void;
};

/**
 * Appends that go to the disk together, as one batch with one sync. LevelDB is handed their records as
 * they come, so that when the disk is ready for them only the write is left to do. Their places in the
 * log are theirs as long as every write before theirs succeeds; else the group is to be discarded.
 */
export type WriteGroup = {
  readonly facts: number;
  readonly bytes: number;
  /** The end of the log once this group is durable. */
  readonly head: Head;
  /**
   * @param at when, RFC 3339 UTC, for facts that do not say.
   * @throws when not all of it could be added: then the group must not be written
   */
  add(append: Append, at: string, nextId: () => string): void;
  /** Resolves when all of it is durable, with what each append gets back. */
  write(): Promise<LoggedFact[][]>;
  /**
   * The appends, which the group then holds no more: once it is old, V8 would keep whatever it refers
   * to until a full collection, though neither is needed.
   */
  take(): Append[];
  /** Lets go of what was not written. */
  discard(): void;
};

/** A group to follow the end that the log will have by then. @throws when the database is not open */
export function writeGroup(db: LogDatabase, after: Head): WriteGroup {
  const operations = db.batch();
  const appends: Append[] = [];
  const placed: PlacedFact[][] = [];
  let head = after;
  let facts = 0;
  let bytes = 0;
  return {
    get facts() {
      return facts;
    },
    get bytes() {
      return bytes;
    },
    get head() {
      return head;
    },
    add(append, at, nextId) {
      const { stream } = append;
      let { position, crc, id } = head;
      let version = append.expectedVersion;
      const places: PlacedFact[] = [];
      for (const fact of append.facts) {
        position += 1;
        version += 1;
        id = nextId();
        const place = { fact, id, position, stream, version, at: fact.metadata.at ?? at };
        const record = encodeRecord(recordJson(place), crc);
        crc = crcOf(record);
        operations.put<Buffer, string>(logKey(position), record, binaryKey);
        operations.put(streamKey(stream, version), String(position));
        places.push(place);
      }
      head = { position, crc, id };
      facts += places.length;
      bytes += append.bytes;
      appends.push(append);
      placed.push(places);
    },
    async write() {
      const written = operations.write({ sync: true });
      // What is handed back is made ready while the disk is at work.
      const stored = placed.splice(0).map((places) => places.map(asStored));
      await written;
      return stored;
    },
    take: () => appends.splice(0),
    discard() {
      // Closed with the database at the latest, and nothing waits for it.
      operations.close().catch(() => {});
    },
  };
}

const binaryKey = { keyEncoding: 'buffer' } as const;
