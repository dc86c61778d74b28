/**
 * What a browser has recorded and the service has not acknowledged yet, in IndexedDB: it outlives a reload, a
 * closed tab and a lost network. A block is under its recording and the sample behind its last.
 *
 * A page that goes away takes along what IndexedDB has not taken yet (nothing, or a second on a busy machine):
 * that is put aside at once (`pagehide`), and taken in by whichever page comes next. Lost is what a page had
 * not put down when it was killed without a word.
 *
 * What a full disk does not take stays in the page's memory until it is acknowledged.
 */

import type { SentInterruption } from '../../../src/shared/audio-uplink.ts';

/** A recording of this browser that the service does not have whole. */
export type Kept = {
  id: string;
  /** Who recorded it: nobody else's login sends it, it may only stop it. Earlier releases kept the name alone. */
  user: string;
  userId?: string | undefined;
  /** Null until the service has given it one. */
  recordingId: string | null;
  kind: 'solo' | 'meeting';
  /** Nobody chose its kind: a folder or a rule may say another one. */
  isKindOpen?: true;
  source: AudioSource;
  /** What was said of it before it began; the service hears it with the first sample. */
  options?: {
    title?: string;
    people?: string[];
    language?: string;
    folder?: string;
    continues?: string;
  };
  /** Samples a second, in each channel. */
  rate: number;
  /** Two: the microphone and the tab in turn. Earlier releases kept one, and did not say so. */
  channels?: 1 | 2;
  startedAt: string;
  /** Samples of each channel that the service has on its disk. */
  acknowledged: number;
  /** In which nothing was recorded, and of which the service has not heard yet; the first was first. */
  interruptions?: SentInterruption[];
  /** Paused since then, in milliseconds since 1970: a page that is opened again hears nothing either. */
  pausedAt?: number;
  /** The service knows of that pause. */
  isPauseTold?: true;
  /** Nothing more is recorded: what is here is to be sent, then it ends. */
  isOver: boolean;
  /** A person has deleted it: nothing is here any more, and the service is still to be told. */
  isDiscarded?: true;
};

export type AudioSource = 'microphone' | 'tab' | 'both';
/** `end`: the sample behind its last, counted in each channel. */
export type Block = { end: number; pcm: ArrayBuffer };

export interface AudioStore {
  put(kept: Kept): Promise<void>;
  all(): Promise<Kept[]>;
  /**
   * Keeps a block, at once and in order. Resolves when it would outlive this page, with true; with false when this
   * browser's disk does not take it: then it is in memory.
   * @throws {Error} when memory is as full as it may be
   */
  add(id: string, block: Block): Promise<boolean>;
  /** Blocks with samples behind the first `samples`, oldest first. */
  after(id: string, samples: number, count: number): Promise<Block[]>;
  /** Samples recorded so far. */
  total(kept: Kept): Promise<number>;
  /** Whether this browser's disk has refused some of it that is not acknowledged yet: a page that is closed takes that along. */
  isInMemory(kept: Pick<Kept, 'id' | 'acknowledged'>): boolean;
  /** Drops blocks of which every sample is acknowledged. */
  acknowledge(kept: Kept): Promise<void>;
  remove(id: string): Promise<void>;
}

/** @throws {DOMException} when this browser keeps nothing (a private window of some). */
export async function openAudioStore(): Promise<AudioStore> {
  const { database, whileOpen } = await openReopened();
  await takeIn(database());
  // The same function: heard once, however often the store is opened.
  addEventListener('pagehide', putAside);
  addEventListener('beforeunload', keepOpen);
  const write = (...stores: string[]) =>
    // What the browser's process has is safe from the page; a sync a block would wear the disk.
    database().transaction(stores, 'readwrite', { durability: 'relaxed' });
  const read = (store: string) => database().transaction(store).objectStore(store);

  return {
    put: (kept) =>
      whileOpen(async () => {
        const change = write('recordings');
        change.objectStore('recordings').put(kept);
        await committed(change);
      }),
    all: () => whileOpen(async () => await done<Kept[]>(read('recordings').getAll())),
    add: (id, block) =>
      keepUntaken({ id, ...block }, () =>
        whileOpen(async () => {
          const change = write('blocks');
          change.objectStore('blocks').put(block.pcm, [id, block.end]);
          await committed(change);
        }),
      ),
    after: (id, samples, count) =>
      whileOpen(async () => await blocksAfter(read('blocks'), id, samples, count)),
    async total({ id, acknowledged }) {
      const range = IDBKeyRange.bound([id, 0], [id, Infinity]);
      const last = await whileOpen(
        async () => await done(read('blocks').openKeyCursor(range, 'prev')),
      );
      const put = last === null ? 0 : (last.key as [string, number])[1];
      return inMemory(id, put).reduce(
        (end, block) => Math.max(end, block.end),
        Math.max(acknowledged, put),
      );
    },
    isInMemory: ({ id, acknowledged }) =>
      inMemory(id, acknowledged).some(({ isRefused }) => isRefused),
    async acknowledge(kept) {
      for (const block of inMemory(kept.id, 0))
        if (block.end <= kept.acknowledged) untaken.delete(block);
      await whileOpen(async () => {
        const change = write('recordings', 'blocks');
        change.objectStore('recordings').put(kept);
        const range = IDBKeyRange.bound([kept.id, 0], [kept.id, kept.acknowledged]);
        change.objectStore('blocks').delete(range);
        await committed(change);
      });
    },
    async remove(id) {
      for (const block of inMemory(id, 0)) untaken.delete(block);
      await whileOpen(async () => {
        const change = write('recordings', 'blocks');
        change.objectStore('recordings').delete(id);
        change.objectStore('blocks').delete(IDBKeyRange.bound([id, 0], [id, Infinity]));
        await committed(change);
      });
    },
  };
}

/** Has a block in memory until it is put down. @returns whether it is */
async function keepUntaken(block: Untaken, putDown: () => Promise<void>): Promise<boolean> {
  untaken.add(block);
  try {
    await putDown();
  } catch (error) {
    block.isRefused = true;
    const bytes = [...untaken].reduce((sum, { pcm: { byteLength } }) => sum + byteLength, 0);
    if (bytes > memoryBytesMax) throw error;
    return false;
  }
  untaken.delete(block);
  return true;
}

/** The database, which is opened again where the browser has closed it meanwhile, as Safari on phones does. */
async function openReopened() {
  let db = await openDatabase();
  let reopening: Promise<void> | null = null;
  const reopen = async () => {
    const former = db;
    db = await openDatabase();
    former.close();
  };
  return {
    database: () => db,
    /** Does it at once, and anew once it is open again. */
    async whileOpen<Result>(work: () => Promise<Result>): Promise<Result> {
      const used = db;
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof DOMException) || error.name !== 'InvalidStateError') throw error;
        if (used === db) await (reopening ??= reopen().finally(() => (reopening = null)));
        return await work();
      }
    },
  };
}

async function openDatabase(): Promise<IDBDatabase> {
  const opening = indexedDB.open(databaseName, 1);
  opening.addEventListener('upgradeneeded', () => {
    opening.result.createObjectStore('recordings', { keyPath: 'id' });
    opening.result.createObjectStore('blocks');
  });
  return await done(opening);
}

const databaseName = 'mitschrift-audio';

/** Removes one that cannot be opened, as soon as no page has it open. @throws {DOMException} when this browser keeps nothing */
export function deleteAudioStore(): Promise<void> {
  return new Promise((resolve) => {
    const deleting = indexedDB.deleteDatabase(databaseName);
    for (const name of ['success', 'error', 'blocked'])
      deleting.addEventListener(name, () => resolve());
  });
}

async function blocksAfter(
  blocks: IDBObjectStore,
  id: string,
  samples: number,
  count: number,
): Promise<Block[]> {
  const range = IDBKeyRange.bound([id, samples], [id, Infinity], true);
  // Before what is put down is read: what is put down meanwhile is in one of both.
  const found = new Map(inMemory(id, samples).map(({ end, pcm }) => [end, pcm]));
  const [keys, pcms] = await Promise.all([
    done(blocks.getAllKeys(range, count)),
    done<ArrayBuffer[]>(blocks.getAll(range, count)),
  ]);
  pcms.forEach((pcm, index) => found.set((keys[index] as [string, number])[1], pcm));
  const inOrder = [...found].sort(([one], [other]) => one - other).slice(0, count);
  return inOrder.map(([end, pcm]) => ({ end, pcm }));
}

type Untaken = { id: string; end: number; pcm: ArrayBuffer; isRefused?: true };
/** Blocks that IndexedDB has not taken, yet or at all. */
const untaken = new Set<Untaken>();
/** Half an hour of one channel at 16,000 samples a second. */
const memoryBytesMax = 60_000_000;

const inMemory = (id: string, after: number) =>
  [...untaken].filter((block) => block.id === id && block.end > after);

/** Before the recording and the end of each block in `localStorage`. */
const aside = 'mitschrift.block.';

/** What is set aside when a page closes may be less than half an hour: the browser asks first, whatever is shown. */
function keepOpen(event: Event): void {
  if ([...untaken].some(({ isRefused }) => isRefused)) event.preventDefault();
}

/** By what is done when it returns; a transaction would end with the page. */
function putAside(): void {
  for (const { id, end, pcm } of untaken) {
    try {
      const bytes = String.fromCharCode(...new Uint8Array(pcm));
      localStorage.setItem(`${aside}${id}.${end}`, btoa(bytes));
    } catch (error) {
      // No room, or this browser forbids it: what is put down already is all there is.
      return console.warn(error);
    }
  }
}

/** Takes in what was put aside of recordings that are still here. What a full disk does not take is sent from where it is. */
async function takeIn(db: IDBDatabase): Promise<void> {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(aside));
  if (keys.length === 0) return;
  const change = db.transaction(['recordings', 'blocks'], 'readwrite');
  const known = await done<IDBValidKey[]>(change.objectStore('recordings').getAllKeys());
  const blocks = keys.map(blockAside).filter(({ id }) => known.includes(id));
  for (const { id, end, pcm } of blocks) change.objectStore('blocks').put(pcm, [id, end]);
  try {
    await committed(change);
  } catch (error) {
    console.warn(error);
    for (const block of blocks)
      if (!inMemory(block.id, 0).some(({ end }) => end === block.end)) untaken.add(block);
    return;
  }
  for (const key of keys) localStorage.removeItem(key);
}

function blockAside(key: string): Untaken {
  const [id = '', end] = key.slice(aside.length).split('.');
  const bytes = atob(localStorage.getItem(key) ?? '');
  const pcm = Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)).buffer;
  return { id, end: Number(end), pcm };
}

const done = <Result>(request: IDBRequest<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('IndexedDB failed')));
  });

/** Said at once, so that a page that goes away right now does not take it along. */
function committed(change: IDBTransaction): Promise<void> {
  change.commit();
  return new Promise((resolve, reject) => {
    change.addEventListener('complete', () => resolve());
    change.addEventListener('abort', () => reject(change.error ?? new Error('IndexedDB refused')));
  });
}
