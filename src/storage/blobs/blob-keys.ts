import { LRUCache } from 'lru-cache';
import { buffer } from 'node:stream/consumers';
import { KeyError, type KeyStore } from '../../../events/key-store.ts';
import {
  assertSubject,
  decodeKey,
  encodeKey,
  erasuresFile,
  newKey,
  parseErasure,
} from '../../../events/log/file-keys.ts';
import { EventStoreError } from '../../../events/store.ts';
import { hasCode } from '../../shared/errors.ts';
import { type Blobs, BlobsError, callMs, within } from './blobs.ts';
import { dataFailure } from '../../words/data-failures.ts';

/** Keys of many nodes. */
export type SharedKeys = KeyStore & {
  /** Another node is erasing the subject: its key is not kept in memory from now on. */
  drop(subject: string): void;
};

/** Keys kept in memory, and for how long, in milliseconds: each takes about 200 bytes. */
const kept = { max: 10_000, ttl: 60_000, ttlResolution: 0 };
/** Subjects being erased elsewhere that are remembered. */
const droppedMax = 100_000;

const keysFolder = 'keys/';
const keyOf = (subject: string): string => `${keysFolder}${subject}`;
/** No subject has a dot in its name. One object an erasure: any node adds its own. */
const erasedFolder = 'keys/erased.list/';
const erasedOf = (subject: string): string => `${erasedFolder}${subject}`;
/** The list of a data directory that only one process had. */
const oldList = `keys/${erasuresFile}`;

/**
 * Keys in blobs, in the format of the files of one process (`file-keys.ts`). Two nodes that ask for a new key at once
 * get the same one. An erasure is listed first and destroys then, so it counts from the moment it is listed; a key is kept in
 * memory for a minute at most.
 * @param options.now milliseconds, for tests
 * @throws {EventStoreError} (here and from each function) `BUSY` while the blobs are away
 */
export async function openBlobKeys(
  blobs: Blobs,
  { now = () => performance.now() }: { now?: () => number } = {},
): Promise<SharedKeys> {
  return await asBusy(async () => {
    const keys = new BlobKeys(blobs, now);
    await keys.learnErasures();
    return keys;
  });
}

class BlobKeys implements SharedKeys {
  readonly #blobs: Blobs;
  readonly #kept: LRUCache<string, Buffer>;
  readonly #dropped = new LRUCache<string, true>({ max: droppedMax });
  readonly #finding = new Map<string, Promise<Buffer | 'erased'>>();
  readonly #obtaining = new Map<string, Promise<Buffer>>();
  /** Those that are known here. */
  readonly #erased = new Set<string>();

  constructor(blobs: Blobs, now: () => number) {
    this.#blobs = blobs;
    this.#kept = new LRUCache({ ...kept, perf: { now } });
  }

  async learnErasures(): Promise<void> {
    for (const { subject } of await this.erasures()) this.#erased.add(subject);
  }

  /** A crash between listing and destroying; the list came first, so it decides. Nothing is asked of those that are gone. */
  async finishErasures(): Promise<void> {
    await this.learnErasures();
    await asBusy(async () => {
      for await (const { key } of this.#blobs.list(keysFolder))
        if (this.#erased.has(key.slice(keysFolder.length))) await this.#blobs.delete(key);
    });
  }

  async find(subject: string): Promise<Buffer | 'erased'> {
    assertSubject(subject);
    if (this.#erased.has(subject)) return 'erased';
    return (
      this.#kept.get(subject) ??
      (await once(this.#finding, subject, () => asBusy(() => this.#read(subject))))
    );
  }

  async obtain(subject: string, isNew?: () => Promise<boolean>): Promise<Buffer> {
    assertSubject(subject);
    return (
      this.#kept.get(subject) ??
      (await once(this.#obtaining, subject, () => asBusy(() => this.#obtain(subject, isNew))))
    );
  }

  async forget(subject: string): Promise<void> {
    assertSubject(subject);
    await asBusy(async () => {
      const line = `${JSON.stringify({ subject, at: new Date().toISOString() })}\n`;
      await this.#blobs.put(erasedOf(subject), Buffer.from(line), { ifAbsent: true });
      this.#noteErased(subject);
      await this.#blobs.delete(keyOf(subject));
    });
  }

  isErased(subject: string): boolean {
    return this.#erased.has(subject);
  }

  async erasures(): Promise<{ subject: string; at: string }[]> {
    return await asBusy(async () => {
      const found = new Map(
        (await readOldList(this.#blobs)).map((erasure) => [erasure.subject, erasure]),
      );
      for await (const { key, modifiedAt } of this.#blobs.list(erasedFolder)) {
        const subject = key.slice(erasedFolder.length);
        found.set(subject, { subject, at: modifiedAt.toISOString() });
      }
      return [...found.values()].toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
    });
  }

  drop(subject: string): void {
    this.#dropped.set(subject, true);
    this.#kept.delete(subject);
  }

  #noteErased(subject: string): 'erased' {
    this.#erased.add(subject);
    this.#kept.delete(subject);
    return 'erased';
  }

  #keep(subject: string, key: Buffer): Buffer {
    if (!this.#dropped.has(subject)) this.#kept.set(subject, key);
    return key;
  }

  /** @throws {KeyError} `MISSING`, `DAMAGED` */
  async #read(subject: string): Promise<Buffer | 'erased'> {
    const file = await readAll(this.#blobs, keyOf(subject));
    // After it: while it was read it may have been listed and overwritten.
    if ((await this.#blobs.head(erasedOf(subject))) !== null || this.#erased.has(subject))
      return this.#noteErased(subject);
    if (file === null) throw new KeyError('MISSING', dataFailure('key-lost', { subject }));
    const key = decodeKey(file);
    if (key === null) throw new KeyError('DAMAGED', dataFailure('key-damaged', { subject }));
    return this.#keep(subject, key);
  }

  async #obtain(subject: string, isNew?: () => Promise<boolean>): Promise<Buffer> {
    const found = await this.find(subject).catch(async (error: unknown) => {
      const missing = error instanceof KeyError && error.code === 'MISSING';
      if (!missing || (isNew !== undefined && !(await isNew()))) throw error;
      return undefined;
    });
    if (found === 'erased') throw erased(subject);
    if (found) return found;
    const key = newKey();
    const isFirst = await this.#blobs.put(keyOf(subject), encodeKey(key), { ifAbsent: true });
    // Also of ours: it may have been erased meanwhile, and then destroyed before it was there.
    const stored = await this.#read(subject);
    if (stored !== 'erased') return stored;
    if (isFirst) await this.#blobs.delete(keyOf(subject));
    throw erased(subject);
  }
}

const erased = (subject: string): KeyError =>
  new KeyError('ERASED', dataFailure('key-destroyed', { subject }));

/** Its bytes too come in a bounded time: others wait for the same key. */
async function readAll(blobs: Blobs, key: string): Promise<Buffer | null> {
  return await within(callMs(), 'with the keys', async () => {
    const found = await blobs.get(key);
    return found && (await buffer(found.body));
  });
}

async function readOldList(blobs: Blobs): Promise<{ subject: string; at: string }[]> {
  const text = (await readAll(blobs, oldList))?.toString('utf8') ?? '';
  return text.split('\n').flatMap((line) => parseErasure(line) ?? []);
}

/** One piece of work a name at a time: who asks meanwhile gets what it comes to. */
function once<T>(
  underWay: Map<string, Promise<T>>,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  const present = underWay.get(name);
  if (present) return present;
  const mine = work().finally(() => underWay.delete(name));
  underWay.set(name, mine);
  return mine;
}

/** Without its keys the log can do nothing for the moment, as without its database. */
async function asBusy<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BlobsError) || !hasCode<BlobsError>(error, 'BLOBS_AWAY')) throw error;
    throw new EventStoreError('BUSY', error.message, { cause: error });
  }
}
