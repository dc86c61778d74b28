import { hasCode } from '../../src/shared/errors.ts';
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import {
  type ZlibOptions,
  deflateRaw,
  deflateRawSync,
  inflateRaw,
  inflateRawSync,
} from 'node:zlib';
import { type SealedFact, isIntact, jsonOf } from './records.ts';
import type { StoredRecord } from '../event-log.ts';
import { KeyError, type KeyStore } from '../key-store.ts';
import { EventStoreError } from '../store.ts';
import { type CheckedFact, type Upcasters, schemaVersionOf, upcast } from '../facts/validation.ts';
import { type FactOutline, type LoggedFact, factTypes, usersStream } from '../facts/catalogue.ts';
import { recordingOf } from '../facts/recording.ts';
import type { DamageRegister } from './damage.ts';
import { finding } from '../../src/words/findings.ts';
import { dataFailure } from '../../src/words/data-failures.ts';

/** Characters of JSON that one fact's plain data may have. */
export const dataLengthMax = 16 * 1024 * 1024;

/**
 * Writes out checked facts as JSON, their content encrypted for the place they will have: a promise only
 * where there is content, or a recording begins. Keys are durable before it resolves.
 * @throws {EventStoreError} (or rejects) `INVALID_FACT` (too large; its subject was erased, or is another's),
 *   `UNREADABLE` (its key is lost)
 */
export function sealFacts(
  facts: readonly CheckedFact[],
  how: Sealing,
): SealedFact[] | Promise<SealedFact[]> {
  const written = facts.map((fact) => writtenOut(fact, how.upcasters));
  const beginning = how.expectedVersion === 0 ? recordingOf(how.stream) : undefined;
  if (beginning !== undefined)
    return assertFresh(beginning, how).then(() => sealContents(written, how));
  return written.some(({ contentJson }) => contentJson !== undefined)
    ? sealContents(written, how)
    : written;
}

/**
 * A recording never begins under the name of another subject: erasing the one would destroy the key of the other. A key
 * alone is no subject yet: an append that failed leaves one.
 */
async function assertFresh(subject: string, { keys, hasContentOf }: Sealing): Promise<void> {
  const key = await keyOf(keys, subject);
  if (key instanceof KeyError && key.code === 'MISSING') return;
  if (key === 'erased' || (await hasContentOf(usersStream, subject)))
    throw invalid(`${subject} is, or was, something else already; nothing begins under that name.`);
}

/** Whether any of these records has content of a subject. */
export async function hasContent<T>(
  pages: AsyncIterable<readonly T[]>,
  subject: string,
  recordOf: (one: T) => StoredRecord,
): Promise<boolean> {
  for await (const page of pages) {
    if (page.map(recordOf).some((one) => one.subject === subject && one.content !== undefined))
      return true;
  }
  return false;
}

const invalid = (message: string, cause?: unknown): EventStoreError =>
  new EventStoreError('INVALID_FACT', message, { cause });

/** Parses a record whose CRC has been checked. */
export const parseRecord = (record: string): StoredRecord => JSON.parse(jsonOf(record));

/** Undefined where it is not as it was written. */
export const soundRecord = (record: string): StoredRecord | undefined =>
  isIntact(record) ? parseRecord(record) : undefined;

/** Turns records into facts as today's code knows them, their content readable, erased or unreadable. */
export type FactDecoder = {
  /**
   * Takes over the records' objects. A fact whose key is lost, or does not open its content, is
   * `unreadable`, and its subject is reported as damaged. Facts before the first that cannot be decoded
   * at all are kept: the error is thrown only when there is none, else it is returned beside them.
   */
  decode(records: StoredRecord[]): Promise<{ facts: LoggedFact[]; error?: unknown }>;
  /**
   * As `decode`, but without what people said: no key is asked for. What is sealed is kept with each fact, for
   * `opened`, for as long as anyone has that fact.
   */
  outlines(records: StoredRecord[]): { facts: FactOutline[]; error?: unknown };
  /** Facts of `outlines` with what they hold. @throws {EventStoreError} `BUSY` */
  opened(facts: readonly FactOutline[]): Promise<readonly LoggedFact[]>;
};

export function factDecoder(options: {
  keys: KeyStore;
  upcasters: Upcasters;
  damage: DamageRegister;
}): FactDecoder {
  const { keys, damage } = options;
  const toToday = modernising(options.upcasters);

  const decode: FactDecoder['decode'] = async (records) => {
    const found = new Map<string, FoundKey>();
    const facts: LoggedFact[] = [];
    for (const record of records) {
      try {
        if (record.content !== undefined) {
          const subject = record.subject ?? '';
          let key = found.get(subject);
          if (key === undefined) {
            key = await keyOf(keys, subject);
            found.set(subject, key);
          }
          const opened = reveal(record, key, damage);
          if (opened) await opened;
        }
        facts.push(toToday(record));
      } catch (error) {
        return { facts, error };
      }
    }
    return { facts };
  };
  return { decode, ...outlining(decode, toToday) };
}

/** Brings records to today's shape, their objects taken over. @returns a function that throws `NEWER_LOG` */
function modernising(upcasters: Upcasters): (record: StoredRecord) => LoggedFact {
  /** Types whose facts of schema version 1 are today's: nearly all. */
  const plain = new Map(
    factTypes.filter((type) => !Object.hasOwn(upcasters, type)).map((type) => [type, type]),
  );
  let stream = '';
  return (record) => {
    // Parsing makes a new text each time. Folds compare types and streams with each other, again
    // and again: of the same text that takes no time.
    if (record.stream === stream) record.stream = stream;
    else ({ stream } = record);
    const type = plain.get(record.type);
    if (type !== undefined) record.type = type;
    if (record.schema !== undefined || type === undefined) modernise(record, upcasters);
    return record as unknown as LoggedFact;
  };
}

function outlining(
  decode: FactDecoder['decode'],
  toToday: (record: StoredRecord) => FactOutline,
): Pick<FactDecoder, 'outlines' | 'opened'> {
  /** Of facts without their content: the records that they were made of. */
  const sealed = new WeakMap<object, StoredRecord>();
  const outlineOf = (record: StoredRecord): FactOutline => {
    let outline = record;
    if (record.content !== undefined) {
      outline = { ...record };
      delete outline.content;
      sealed.set(outline, record);
    }
    return toToday(outline);
  };
  return {
    outlines(records) {
      const facts: FactOutline[] = [];
      for (const record of records) {
        try {
          facts.push(outlineOf(record));
        } catch (error) {
          return { facts, error };
        }
      }
      return { facts };
    },
    async opened(facts) {
      if (!facts.some((fact) => sealed.has(fact))) return facts;
      const records = facts.map((fact) => ({ ...(sealed.get(fact) ?? fact) }));
      const { facts: opened, error } = await decode(records);
      if (error !== undefined) throw error;
      return opened;
    },
  };
}

/** Where a content belongs: it can be opened nowhere else. */
export type FactPlace = { stream: string; version: number };

/** Bytes of JSON that one content may have. An hour of speech with word times has less than one million. */
export const contentBytesMax = 64 * 1024 * 1024;

/**
 * Content as it lies in a record: its JSON, compressed (RFC 1951), encrypted with AES-256-GCM and
 * bound to its place; base64 of 12 bytes of nonce, the ciphertext, and 16 bytes of tag.
 * @param how.level zlib's, 1 to 9: 1 takes a third of the time and makes a tenth more of it
 * @throws {RangeError} for more than `contentBytesMax`
 */
export async function sealContent(
  key: Buffer,
  place: FactPlace,
  json: string,
  { level }: { level?: number } = {},
): Promise<string> {
  const plain = Buffer.from(json);
  if (plain.length > contentBytesMax) {
    throw new RangeError(`content of ${plain.length} bytes is more than ${contentBytesMax}`);
  }
  const how = { level, ...(plain.length <= smallBytes ? smallWindow : {}) };
  const packed =
    plain.length > inlineBytesMax ? await deflate(plain, how) : deflateRawSync(plain, how);
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(boundTo(place));
  const parts = [nonce, cipher.update(packed), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(parts).toString('base64');
}

/**
 * The content that was sealed: a promise where it is large enough to be worth another thread.
 * @throws {Error} (or rejects) when the key, the place or the bytes are not those it was sealed with
 */
export function openContent(key: Buffer, place: FactPlace, sealed: string): unknown {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceLength), {
    authTagLength: tagLength,
  });
  decipher.setAAD(boundTo(place));
  decipher.setAuthTag(bytes.subarray(-tagLength));
  const cipherText = bytes.subarray(nonceLength, -tagLength);
  const packed = Buffer.concat([decipher.update(cipherText), decipher.final()]);
  if (packed.length <= inlineBytesMax) {
    return JSON.parse(inflateRawSync(packed, inflateOptions).toString());
  }
  return inflate(packed, inflateOptions).then((plain): unknown => JSON.parse(plain.toString()));
}

/** Up to here (un)packing takes well under a millisecond: less than a detour over the thread pool. */
const inlineBytesMax = 32 * 1024;
const nonceLength = 12;
const tagLength = 16;
const inflateOptions = { maxOutputLength: contentBytesMax };
/** Content within the window deflates to the same bytes with tables of 16 KiB; those of 256 KiB would be cleared each time. */
const smallBytes = 4096;
const smallWindow = { windowBits: 12, memLevel: 5 };
const deflate = promisify<Buffer, ZlibOptions, Buffer>(deflateRaw);
const inflate = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflateRaw);

/** No name of a stream has a line feed, so no two places read the same. */
const boundTo = ({ stream, version }: FactPlace): Buffer => Buffer.from(`${stream}\n${version}`);

type Sealing = {
  stream: string;
  expectedVersion: number;
  keys: KeyStore;
  upcasters: Upcasters;
  /** Whether the stream has content of a subject: then its key must exist, and none is made. */
  hasContentOf(stream: string, subject: string): Promise<boolean>;
};

function writtenOut(
  { type, metadata, data, content }: CheckedFact,
  upcasters: Upcasters,
): SealedFact {
  const dataJson = JSON.stringify(data);
  if (dataJson.length > dataLengthMax) throw invalid(`the data of ${type} is too large`);
  const contentJson = content === undefined ? undefined : JSON.stringify(content);
  const schema = schemaVersionOf(type, upcasters);
  return { type, metadata, schema, dataJson, contentJson, sealed: undefined };
}

async function sealContents(facts: SealedFact[], how: Sealing): Promise<SealedFact[]> {
  let version = how.expectedVersion;
  for (const fact of facts) {
    version += 1;
    if (fact.contentJson === undefined) continue;
    const place = { stream: how.stream, version };
    const subject = fact.metadata.subject as string;
    fact.sealed = await sealFor(subject, place, fact.contentJson, how);
  }
  return facts;
}

async function sealFor(
  subject: string,
  place: { stream: string; version: number },
  json: string,
  { keys, hasContentOf }: Sealing,
): Promise<string> {
  try {
    const isNew = async () => !(await hasContentOf(place.stream, subject));
    return await sealContent(await keys.obtain(subject, isNew), place, json);
  } catch (cause) {
    if (cause instanceof RangeError) throw invalid(cause.message, cause);
    if (cause instanceof EventStoreError) throw cause;
    if (hasCode(cause, 'ENOSPC')) {
      throw new EventStoreError('DISK_FULL', 'The disk is full: nothing new is accepted.', {
        cause,
      });
    }
    if (!(cause instanceof KeyError)) {
      throw new EventStoreError('BUSY', dataFailure('key-unavailable', { subject }), { cause });
    }
    if (cause.code === 'ERASED') throw invalid(cause.message, cause);
    throw new EventStoreError('UNREADABLE', cause.sentence ?? cause.message, { cause });
  }
}

function modernise(record: StoredRecord, upcasters: Upcasters): void {
  const { type, data, content, schema = 1 } = record;
  const shape = content === undefined ? { type, data } : { type, data, content };
  delete record.schema;
  Object.assign(record, upcast(shape, schema, upcasters));
}

/**
 * Replaces sealed content by what it says, or by why it is not there; a promise only where that takes
 * another thread.
 */
function reveal(
  record: StoredRecord,
  key: FoundKey,
  damage: DamageRegister,
): Promise<void> | undefined {
  const { position, stream, version, subject = '' } = record;
  if (key === 'erased') {
    delete record.content;
    Object.assign(record, { erased: true });
    damage.resolve(subject);
    return undefined;
  }
  const lost = (code: 'key-missing' | 'key-altered' | 'key-other'): void => {
    delete record.content;
    Object.assign(record, { unreadable: true });
    damage.report({ kind: 'key', subject, position, stream, version, said: finding(code) });
  };
  if (key instanceof KeyError) {
    lost(key.code === 'MISSING' ? 'key-missing' : 'key-altered');
    return undefined;
  }
  const wrongKey = (): void => lost('key-other');
  const readable = (content: unknown): void => {
    Object.assign(record, { content });
    damage.resolve(subject);
  };
  let opened: unknown;
  try {
    opened = openContent(key, { stream, version }, record.content as string);
  } catch {
    wrongKey();
    return undefined;
  }
  if (opened instanceof Promise) return opened.then(readable, wrongKey);
  readable(opened);
  return undefined;
}

export type FoundKey = Buffer | 'erased' | KeyError;

/** What is wrong with a key concerns its subject; that keys cannot be read now concerns all. @throws {EventStoreError} `BUSY` */
export async function keyOf(keys: Pick<KeyStore, 'find'>, subject: string): Promise<FoundKey> {
  try {
    return await keys.find(subject);
  } catch (cause) {
    if (cause instanceof KeyError) return cause;
    throw new EventStoreError('BUSY', 'The keys cannot be read now.', { cause });
  }
}
