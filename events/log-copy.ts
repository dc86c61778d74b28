import { damageRegister } from './damage.ts';
import { openDatabase, type LogDatabase } from './database.ts';
import { parseRecord } from './fact-decoder.ts';
import { idKey, logKey, streamKey, streamsRange } from './layout.ts';
import { loadHead, type Head } from './log-head.ts';
import { identify } from './log-identity.ts';
import { readMarker } from './marker.ts';
import { crcOf, encodeRecord } from './record-codec.ts';
import { EventStoreError } from './store.ts';
import { streamHeads } from './stream-heads.ts';

/** A log that is written record by record, with the ids, places and times its facts already have. */
export type LogCopy = {
  readonly id: string;
  readonly db: LogDatabase;
  head(): Head;
  /**
   * Appends facts' JSON, byte for byte; durable on return, all or none.
   * @throws {EventStoreError} `INVALID_FACT` when one does not follow its predecessor in log and stream
   */
  append(jsons: readonly string[]): Promise<void>;
  /** The version of a stream's last fact; 0 when there is none. */
  version(stream: string): Promise<number>;
  close(): Promise<void>;
};

/**
 * Opens a log to copy records into, or makes it with the id given.
 * @throws {EventStoreError} `LOCKED`; `DAMAGED`, also when another log is there
 */
export async function openLogCopy(directory: string, id: string): Promise<LogCopy> {
  const marker = await readMarker(directory);
  if (marker && marker.log !== id) {
    throw new EventStoreError('DAMAGED', `${directory} holds another log (${marker.log}).`);
  }
  const db = await openDatabase(directory, {
    createIfMissing: marker === undefined,
    hook: undefined,
  });
  try {
    const found = await db.get<string, string | undefined>(idKey, {});
    // A new one may have been given an id of its own already; one with records keeps it.
    const isNew =
      marker === undefined && (await db.keys({ ...streamsRange, limit: 1 }).all()).length === 0;
    if (isNew && found !== id) await db.put(idKey, id, { sync: true });
    const known = await identify(directory, db, marker?.log);
    if (known !== id) throw new EventStoreError('DAMAGED', `${directory} holds log ${known}.`);
    return await copyInto(db, id);
  } catch (error) {
    await db.close();
    throw error;
  }
}

async function copyInto(db: LogDatabase, id: string): Promise<LogCopy> {
  const damage = damageRegister();
  const heads = streamHeads(db, damage);
  let head = await loadHead(db, (found) => {
    throw damage.report(found);
  });
  return {
    id,
    db,
    head: () => head,
    version: async (stream) => await heads.durable(stream),
    async append(jsons) {
      const batch = db.batch();
      const versions = new Map<string, number>();
      let { position, crc, id: last } = head;
      try {
        for (const json of jsons) {
          const record = encodeRecord(json, crc);
          const fact = parseRecord(record);
          const before = versions.get(fact.stream) ?? (await heads.durable(fact.stream));
          if (fact.position !== position + 1 || fact.version !== before + 1) {
            throw outOfPlace(fact, position + 1, before + 1);
          }
          batch.put<Buffer, string>(logKey(fact.position), record, { keyEncoding: 'buffer' });
          batch.put(streamKey(fact.stream, fact.version), String(fact.position));
          versions.set(fact.stream, fact.version);
          position = fact.position;
          crc = crcOf(record);
          last = fact.id;
        }
        await batch.write({ sync: true });
      } finally {
        await batch.close();
      }
      head = { position, crc, id: last };
      for (const [stream, version] of versions) heads.settle(stream, version);
    },
    close: () => db.close(),
  };
}

const outOfPlace = (
  fact: { position: number; stream: string; version: number },
  position: number,
  version: number,
): EventStoreError =>
  new EventStoreError(
    'INVALID_FACT',
    `The fact at position ${fact.position}, version ${fact.version} of ${fact.stream}, does not follow: ` +
      `position ${position} and version ${version} are next.`,
  );
