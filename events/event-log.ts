import type { FindingSaid } from '../src/words/findings.ts';
import type { Sentence } from '../src/words/params.ts';
import type { KeyStore } from './key-store.ts';
import type { EventStore } from './store.ts';

/**
 * A log as a service is opened on it: beside what is stored, it knows its own condition, and can be checked and
 * copied record by record. `test/events/log-contract.ts` says what each must hold to.
 */
export interface EventLog extends EventStore {
  /** The log's own id, a ULID made with it. */
  readonly id: string;
  /** Folder of the database's own files; null: it has none on this machine. */
  readonly directory: string | null;
  readonly keys: KeyStore;
  health(): LogHealth;
  /** Resolves when the log can be asked, also after it had to be opened again. @throws `CLOSED`, `BUSY` */
  usable(): Promise<void>;
  /**
   * Records as they were written, a page at a time (up to a thousand or about 1 MiB): for copies that must not
   * differ. Each is checked, alone and in its place.
   * @throws {EventStoreError} `DAMAGED` at the first that is not sound or missing
   */
  records(range: { afterPosition: number; upToPosition: number }): AsyncIterable<RawRecord[]>;
  /**
   * A checksum over the record at a position and all before it, as copies of the log chain them: two logs that
   * agree on it agree on everything up to there.
   * @throws {EventStoreError} `DAMAGED`
   */
  checksum(position: number): Promise<string>;
  /** Every record that can be read, around whatever is damaged; each is checked alone. */
  soundRecords(): AsyncIterable<StoredRecord[]>;
  /** Names of all streams in order, from the one behind `after`. */
  streams(after?: string): AsyncIterable<string>;
  /** Checks records and index; what it finds is in `health()` afterwards. */
  verify(options?: VerifyOptions): Promise<VerifiedRecords>;
}

/** A record's JSON: a fact whose content, if any, is still sealed. */
export type StoredRecord = {
  id: string;
  position: number;
  stream: string;
  version: number;
  type: string;
  /** Version of the type's schema; 1 when absent. */
  schema?: number;
  subject?: string;
  data: unknown;
  content?: string;
};

/** A sound record as it lies in the log, its content still sealed. */
export type RawRecord = {
  fact: StoredRecord;
  /** The fact's JSON, byte for byte, as LevelDB's log keeps it: with its position. */
  json: string;
};

/** Something in the log that is not as it was written. */
export type Damage = {
  /** A record, an entry of the index of streams, or a key that makes content readable. */
  kind: 'record' | 'index' | 'key';
  /** Whose key it is. */
  subject?: string;
  position?: number;
  stream?: string;
  version?: number;
  /** What is wrong; quotes no content. */
  said: FindingSaid;
};

export type LogHealth = {
  /** `damaged`: writes are refused. `recovering`: they are refused until the log is open again. */
  state: 'ok' | 'damaged' | 'recovering';
  /** While it is recovering: why, and what that means. */
  reason?: Sentence;
  /** The first hundred damages met since the log was opened, and the first hundred keys, each once. */
  damage: readonly Damage[];
  /** How many more there were. */
  more: number;
};

export type VerifyOptions = {
  /** Records up to here are taken for granted. 0 and no upper end: the whole log, and its index. */
  afterPosition?: number;
  upToPosition?: number;
  /** Also opens every content with its subject's key. */
  contents?: boolean;
  /** Stops between pages. */
  signal?: AbortSignal;
  /** Called after each page. */
  onProgress?: (position: number) => void;
};

export type VerifiedRecords = {
  /** Everything after `afterPosition` up to here has been looked at. */
  position: number;
  records: number;
  /** How many damages were met, a lost key once; the register has the first of them. */
  damages: number;
};
