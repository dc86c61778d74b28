import { LRUCache } from 'lru-cache';
import { createHash, randomBytes } from 'node:crypto';
import { dataFailure } from '../src/words/data-failures.ts';
import { isName } from './facts/validation.ts';
import { KeyError, type KeyStore } from './key-store.ts';

/** Where keys lie, and the list of those that were destroyed: a directory of one process, or the blobs of many nodes. */
export type KeyPlace = {
  /** A key as it was made; null: there is none. */
  read(subject: string): Promise<Buffer | null>;
  /** Durable when it returns. @returns whether it was the first; of two at once the other's stays */
  make(subject: string, key: Buffer): Promise<boolean>;
  /** Does nothing where there is none. */
  destroy(subject: string): Promise<void>;
  /** What lies there, by name; not all of it is keys. */
  names(): AsyncIterable<string>;
  /** Whether it was listed, maybe by somebody else meanwhile. */
  isListed(subject: string): Promise<boolean>;
  /** Durable when it returns. Twice is once. */
  list(subject: string): Promise<void>;
  /** Oldest first. */
  listed(): Promise<Erasure[]>;
  /** Where people find it; undefined: it is no file. */
  pathOf?(subject: string): string;
};

export type Erasure = { subject: string; at: string };

type KeysOptions = {
  /** How long a key is kept in memory, in milliseconds: another process may destroy it. 0: until it is destroyed here. */
  keptMs?: number;
  /** Milliseconds, for tests. */
  now?: () => number;
  /** Runs all that asks the place. */
  guarded?: <T>(work: () => Promise<T>) => Promise<T>;
};

/** Keys kept in memory; each takes about 200 bytes. */
const keysMax = 10_000;
/** Subjects being erased elsewhere that are remembered. */
const droppedMax = 100_000;

/** Keys in a place. An erasure that was begun counts at once; `finishErasures` destroys what is left of it. */
export async function openKeys(place: KeyPlace, options: KeysOptions = {}): Promise<Keys> {
  const keys = new Keys(place, options);
  await keys.learnErasures();
  return keys;
}

/**
 * Two who ask for a new key at once get the same one. An erasure is listed first and destroys then, so it counts from the
 * moment it is listed.
 */
export class Keys implements KeyStore {
  readonly #place: KeyPlace;
  readonly #guarded: NonNullable<KeysOptions['guarded']>;
  readonly #kept: LRUCache<string, Buffer>;
  readonly #dropped = new LRUCache<string, true>({ max: droppedMax });
  readonly #finding = new Map<string, Promise<Buffer | 'erased'>>();
  readonly #obtaining = new Map<string, Promise<Buffer>>();
  /** Those that are known here. */
  readonly #erased = new Set<string>();

  constructor(
    place: KeyPlace,
    { keptMs = 0, now = () => performance.now(), guarded = (work) => work() }: KeysOptions,
  ) {
    this.#place = place;
    this.#guarded = guarded;
    this.#kept = new LRUCache({ max: keysMax, ttl: keptMs, ttlResolution: 0, perf: { now } });
  }

  async learnErasures(): Promise<void> {
    for (const { subject } of await this.erasures()) this.#erased.add(subject);
  }

  /** A crash between listing and destroying; the list came first, so it decides. Nothing is asked of those that are gone. */
  async finishErasures(): Promise<void> {
    await this.learnErasures();
    await this.#guarded(async () => {
      for await (const name of this.#place.names())
        if (this.#erased.has(name)) await this.#place.destroy(name);
    });
  }

  async find(subject: string): Promise<Buffer | 'erased'> {
    assertSubject(subject);
    if (this.#erased.has(subject)) return 'erased';
    return (
      this.#kept.get(subject) ??
      (await once(this.#finding, subject, () => this.#guarded(() => this.#read(subject))))
    );
  }

  async obtain(subject: string, isNew?: () => Promise<boolean>): Promise<Buffer> {
    assertSubject(subject);
    return (
      this.#kept.get(subject) ??
      (await once(this.#obtaining, subject, () =>
        this.#guarded(() => this.#obtain(subject, isNew)),
      ))
    );
  }

  async forget(subject: string): Promise<void> {
    assertSubject(subject);
    await this.#guarded(async () => {
      await this.#place.list(subject);
      this.#noteErased(subject);
      // Also where it was listed before: what failed then is done now.
      await this.#place.destroy(subject);
    });
  }

  isErased(subject: string): boolean {
    return this.#erased.has(subject);
  }

  async erasures(): Promise<Erasure[]> {
    return await this.#guarded(() => this.#place.listed());
  }

  /** Another process is erasing the subject: its key is not kept in memory from now on. */
  drop(subject: string): void {
    this.#dropped.set(subject, true);
    this.#kept.delete(subject);
  }

  #noteErased(subject: string): 'erased' {
    this.#erased.add(subject);
    this.#kept.delete(subject);
    return 'erased';
  }

  /** @throws {KeyError} `MISSING`, `DAMAGED` */
  async #read(subject: string): Promise<Buffer | 'erased'> {
    const bytes = await this.#place.read(subject);
    // After it: while it was read it may have been listed and overwritten, here also while the list was asked.
    if ((await this.#place.isListed(subject)) || this.#erased.has(subject))
      return this.#noteErased(subject);
    const key = keyIn(this.#place, subject, bytes);
    if (!this.#dropped.has(subject)) this.#kept.set(subject, key);
    return key;
  }

  async #obtain(subject: string, isNew?: () => Promise<boolean>): Promise<Buffer> {
    const found = await this.find(subject).catch(async (error: unknown) => {
      const missing = error instanceof KeyError && error.code === 'MISSING';
      if (!missing || (isNew !== undefined && !(await isNew()))) throw error;
      return undefined;
    });
    if (found === 'erased') throw erased(subject);
    if (found) return found;
    const isFirst = await this.#place.make(subject, encodeKey(randomBytes(keyLength)));
    // Also of ours: it may have been erased meanwhile, and then destroyed before it was there.
    const stored = await this.#read(subject);
    if (stored !== 'erased') return stored;
    if (isFirst) await this.#place.destroy(subject);
    throw erased(subject);
  }
}

/** The key of a subject as it lies there, whatever is kept in memory or listed as erased. */
export const keyOrFault = async (
  place: Pick<KeyPlace, 'read'>,
  subject: string,
): Promise<KeyOrFault> => decoded(await place.read(subject));

export type KeyOrFault = Buffer | 'missing' | 'damaged';

function decoded(bytes: Buffer | null): KeyOrFault {
  if (bytes === null) return 'missing';
  const key = Buffer.from(bytes.subarray(magic.length, magic.length + keyLength));
  return encodeKey(key).equals(bytes) ? key : 'damaged';
}

/** @throws {KeyError} `MISSING`, `DAMAGED` */
function keyIn(place: Pick<KeyPlace, 'pathOf'>, subject: string, bytes: Buffer | null): Buffer {
  const key = decoded(bytes);
  const params = { subject, path: place.pathOf?.(subject) };
  if (key === 'missing') throw new KeyError('MISSING', dataFailure('key-lost', params));
  if (key === 'damaged') throw new KeyError('DAMAGED', dataFailure('key-damaged', params));
  return key;
}

/** A key as it lies there: 4 bytes `MKEY`, one byte of format (1), 32 bytes of key, and the SHA-256 of all that. */
export function encodeKey(key: Buffer): Buffer {
  const head = Buffer.concat([magic, key]);
  return Buffer.concat([head, createHash('sha256').update(head).digest()]);
}

const magic = Buffer.from('MKEY\u0001', 'latin1');
const keyLength = 32;

const erased = (subject: string): KeyError =>
  new KeyError('ERASED', dataFailure('key-destroyed', { subject }));

function assertSubject(subject: string): void {
  if (!isName(subject)) throw new TypeError(`"${subject}" cannot name a subject`);
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
