import { factTypes, type LoggedFact } from './catalogue.ts';
import { openContent } from './content-cipher.ts';
import type { DamageRegister } from './damage.ts';
import { KeyError, type KeyStore } from './keys.ts';
import { jsonOf } from './record-codec.ts';
import { EventStoreError } from './store.ts';
import { upcast, type Upcasters } from './upcast.ts';

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

/** Parses a record whose CRC has been checked. */
export const parseRecord = (record: string): StoredRecord =>
  JSON.parse(jsonOf(record)) as StoredRecord;

/** Turns records into facts as today's code knows them, their content readable or erased. */
export type FactDecoder = {
  /**
   * Takes over the records' objects. Facts before the first that cannot be decoded are kept: the
   * error is thrown only when there is none, else it is told beside them.
   */
  decode(records: StoredRecord[]): Promise<{ facts: LoggedFact[]; error?: unknown }>;
};

export function factDecoder(options: {
  keys: KeyStore;
  upcasters: Upcasters;
  damage: DamageRegister;
}): FactDecoder {
  const { keys, upcasters, damage } = options;
  /** Types whose facts of schema version 1 are today's: nearly all. */
  const plain = new Map(
    factTypes.filter((type) => !Object.hasOwn(upcasters, type)).map((type) => [type, type]),
  );
  let stream = '';

  return {
    async decode(records) {
      const found = new Map<string, Buffer | 'erased' | KeyError>();
      const facts: LoggedFact[] = [];
      for (const record of records) {
        try {
          if (record.content !== undefined) {
            const subject = record.subject ?? '';
            let key = found.get(subject);
            if (key === undefined) {
              key = await keys.find(subject).catch(keyError);
              found.set(subject, key);
            }
            const opened = reveal(record, key, damage);
            if (opened) await opened;
          }
          // Every parsed text is one of its own. Folds compare types and streams with each other, again
          // and again: of the same text that takes no time.
          if (record.stream === stream) record.stream = stream;
          else ({ stream } = record);
          const type = plain.get(record.type);
          if (type !== undefined) record.type = type;
          if (record.schema !== undefined || type === undefined) modernise(record, upcasters);
        } catch (error) {
          return { facts, error };
        }
        facts.push(record as unknown as LoggedFact);
      }
      return { facts };
    },
  };
}

function modernise(record: StoredRecord, upcasters: Upcasters): void {
  const { type, data, content, schema = 1 } = record;
  const shape = content === undefined ? { type, data } : { type, data, content };
  delete record.schema;
  Object.assign(record, upcast(shape, schema, upcasters));
}

/** Replaces sealed content by what it says; a promise only where that takes another thread. */
function reveal(
  record: StoredRecord,
  key: Buffer | 'erased' | KeyError,
  damage: DamageRegister,
): Promise<void> | undefined {
  if (key === 'erased') {
    delete record.content;
    Object.assign(record, { erased: true });
    return undefined;
  }
  const { position, stream, version } = record;
  const lost = (message: string, cause: unknown): Error =>
    damage.report({ kind: 'key', position, stream, version, message }, cause);
  if (key instanceof KeyError) throw lost(key.message, key);
  const failed = (cause: unknown): never => {
    throw lost('Its content cannot be opened with the key there is.', cause);
  };
  let opened: unknown;
  try {
    opened = openContent(key, { stream, version }, record.content as string);
  } catch (cause) {
    return failed(cause);
  }
  if (!(opened instanceof Promise)) {
    Object.assign(record, { content: opened });
    return undefined;
  }
  return opened.then((content: unknown) => void Object.assign(record, { content }), failed);
}

/** Only what is wrong with a key concerns the fact alone; that it cannot be read now does not. */
function keyError(cause: unknown): KeyError {
  if (cause instanceof KeyError) return cause;
  throw new EventStoreError('BUSY', 'The keys cannot be read now.', { cause });
}
