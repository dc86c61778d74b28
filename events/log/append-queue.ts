import { EventStoreError } from '../store.ts';
import type { SealedFact } from './records.ts';

/** What may wait to be written at once; beyond it appends are refused with `BUSY`. */
const queueFactsMax = 10_000;
const queueBytesMax = 64 * 1024 * 1024;
/** What one write may hold; a single larger append is written alone. */
export const batchFactsMax = 2_000;
export const batchBytesMax = 8 * 1024 * 1024;

/** Counts what waits to be written. Bytes are an estimate of what it keeps in memory. */
export type AppendQueue = {
  readonly facts: number;
  /** @throws {EventStoreError} `BUSY` when so many facts more cannot be taken */
  assertFacts(count: number): void;
  /** A single append may be larger than all that may wait. @throws {EventStoreError} `BUSY` */
  assertBytes(count: number): void;
  add(what: { facts?: number; bytes?: number }): void;
  remove(what: { facts: number; bytes: number }): void;
};

/** @param place what is waited for, in a sentence: `the disk` */
export function appendQueue(place: string): AppendQueue {
  let facts = 0;
  let bytes = 0;
  const refuse = (waiting: string): never => {
    throw new EventStoreError('BUSY', `${waiting} are waiting for ${place}.`);
  };
  return {
    get facts() {
      return facts;
    },
    assertFacts(count) {
      if (facts + count > queueFactsMax) refuse(`${facts} facts`);
    },
    assertBytes(count) {
      if (bytes > 0 && bytes + count > queueBytesMax) refuse(`${bytes} bytes`);
    },
    add(what) {
      facts += what.facts ?? 0;
      bytes += what.bytes ?? 0;
    },
    remove(what) {
      facts -= what.facts;
      bytes -= what.bytes;
    },
  };
}

/** An estimate of what a record's envelope takes. */
const envelopeBytes = 400;

/** An estimate of what waiting facts keep in memory, in bytes. */
export function sizeOf(facts: readonly SealedFact[]): number {
  let bytes = 0;
  for (const { dataJson, contentJson, sealed } of facts) {
    bytes += envelopeBytes + dataJson.length + (contentJson?.length ?? 0) + (sealed?.length ?? 0);
  }
  return bytes;
}

/** Lets those append again whom the last write has woken: fewer writes, each of more. */
export const wokenFirst = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What was being written failed on its way. @param message what shows whether it is stored */
export const unknownOutcome = (message: string, cause: unknown): EventStoreError =>
  new EventStoreError('OUTCOME_UNKNOWN', message, { cause });
