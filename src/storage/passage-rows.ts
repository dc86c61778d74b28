import type { KeyStore } from '../../events/key-store.ts';
import { keyOf } from '../../events/log/sealing.ts';
import { openedRow, sealedRow } from './sealed-rows.ts';

/** A passage of a transcript: from a character of one of its blocks to a character of that or a later one. */
export type PassagePlace = { block: string; from: number; last: string; to: number };

/** The passages of one recording, with what they mean to a model. */
export type PassageRow = PassageHead & {
  /** How many numbers a vector has. */
  dimensions: number;
  /** SHA-256 of the texts: unchanged ones need no other vectors. */
  texts: string;
  passages: readonly PassagePlace[];
  /** One after the other; each is scaled by itself, so only directions are compared. */
  vectors: Int8Array;
};

/** What is readable without the recording's key. */
export type PassageHead = {
  model: string;
  /** Of the documents whose words they are. */
  version: number;
  /** How many passages there are. */
  count: number;
};

/**
 * Passages of recordings: no facts, since they can be made again, and no rows of a projection, since a server is asked for them.
 * Sealed with the recording's key: of an erased one nothing is read, and nothing written.
 * `test/storage/passage-rows-contract.ts` says what each adapter must hold to.
 */
export interface PassageRows {
  heads(recordingIds: readonly string[]): Promise<(PassageHead | undefined)[]>;
  /** Undefined where there is none, or it does not open. */
  read(recordingIds: readonly string[]): Promise<(PassageRow | undefined)[]>;
  /** @returns false: nothing was written, because its key is gone */
  write(recordingId: string, row: PassageRow): Promise<boolean>;
  remove(recordingIds: readonly string[]): Promise<void>;
  /** Ids of recordings that have some, behind one of them, in their order. */
  ids(after: string, limit: number): Promise<string[]>;
}

/** What an adapter keeps of a recording. */
export type PassageCell = { head: string; sealed: string };

/** What an adapter does; all that it has is text. */
export interface PassageCells {
  heads(recordingIds: readonly string[]): Promise<(string | undefined)[]>;
  sealed(recordingIds: readonly string[]): Promise<(string | undefined)[]>;
  put(recordingId: string, cell: PassageCell): Promise<void>;
  remove(recordingIds: readonly string[]): Promise<void>;
  ids(after: string, limit: number): Promise<string[]>;
}

const open = ['model', 'version', 'count'];

/** A row that is moved to another recording does not open. */
const placeOf = (recordingId: string) => ({ stream: `passages/${recordingId}`, version: 0 });

/** Seals what an adapter keeps. */
export function passageRows(cells: PassageCells, keys: Pick<KeyStore, 'find'>): PassageRows {
  return {
    async heads(recordingIds) {
      const found = await cells.heads(recordingIds);
      return found.map((head) => (head === undefined ? undefined : JSON.parse(head)));
    },
    async read(recordingIds) {
      const found = await cells.sealed(recordingIds);
      return await Promise.all(
        recordingIds.map(async (subject, at) => {
          const text = found[at];
          if (text === undefined) return undefined;
          const place = placeOf(subject);
          const row = await openedRow(JSON.parse(text), {
            seal: { subject, open },
            place,
            keys,
            report: () => {}, // its texts were reported; it can be made again
          });
          return isWhole(row) ? { ...row, vectors: fromBase64(row.vectors) } : undefined;
        }),
      );
    },
    async write(subject, { vectors, ...row }) {
      const key = await keyOf(keys, subject);
      if (!Buffer.isBuffer(key)) return false;
      const kept: KeptPassages = {
        ...row,
        vectors: Buffer.from(vectors.buffer, vectors.byteOffset, vectors.length).toString('base64'),
      };
      const sealed = await sealedRow(kept, { subject, open }, key, placeOf(subject));
      const { model, version, count } = row;
      const head: PassageHead = { model, version, count };
      await cells.put(subject, { head: JSON.stringify(head), sealed: JSON.stringify(sealed) });
      return true;
    },
    remove: (recordingIds) => cells.remove(recordingIds),
    ids: (after, limit) => cells.ids(after, limit),
  };
}

type KeptPassages = Omit<PassageRow, 'vectors'> & { vectors: string };

const isWhole = (row: unknown): row is KeptPassages =>
  row instanceof Object && 'vectors' in row && typeof row.vectors === 'string';

const fromBase64 = (text: string): Int8Array => {
  const bytes = Buffer.from(text, 'base64');
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
};
