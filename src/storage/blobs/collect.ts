import { buffer } from 'node:stream/consumers';
import type { EventLog } from '../../../events/event-log.ts';
import { recordingStream } from '../../../events/facts/recording.ts';
import type { Ownership } from '../../../events/ownership.ts';
import { isIn } from '../../../machines/states.ts';
import { recordingById } from '../../../projections/recordings.ts';
import type { ProjectionStorage } from '../../../projections/runner/projection.ts';
import type { Log } from '../../shared/log.ts';
import type { LastDone } from '../postgres/housekeeping.ts';
import type { BlobEntry, Blobs } from './blobs.ts';

type CollectDeps = {
  blobs: Blobs;
  store: Pick<EventLog, 'read' | 'version'>;
  storage: ProjectionStorage;
  ownership: Ownership;
  /** When any node has last looked through everything. */
  lastDone: LastDone;
  /** Milliseconds since 1970. */
  now(): number;
  signal: AbortSignal;
};

/** What no fact names is that old before it is removed: longer than anything takes from a file to its fact. */
const ageMs = 7 * 24 * 3_600_000;
/** How often a node looks whether it is time; first after that, never at a start. */
const everyMs = 3_600_000;
/** Between two rounds of all nodes: a round looks through all there is. */
const restMs = 23.5 * 3_600_000;
/** Removed in one round at most; the rest has another one in an hour. */
const removedMax = 1_000;

/** Collects once a day, whichever node it is, until it is stopped. */
export function keepCollecting(
  deps: Omit<CollectDeps, 'signal' | 'now'>,
  log: Pick<Log, 'info' | 'warn'>,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  let round: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    round = round
      .then(() => collect({ ...deps, now: Date.now, signal }))
      .then((removed) => {
        if (removed) log.info({ removed }, 'files that no fact names were removed');
      })
      .catch((error: unknown) => {
        if (!signal.aborted) log.warn({ err: error }, 'not everything could be looked through');
      });
  }, everyMs).unref();
  return {
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await round;
    },
  };
}

/**
 * Removes files of all nodes that no fact names and that are older than a week: audio that was kept and not recorded, uploads that
 * broke off, names of documents that are written by now. One node at a time.
 * @returns how many; null: another node is at it, or was within a day
 */
export async function collect(deps: CollectDeps): Promise<number | null> {
  const held = await deps.ownership.claim('collect', deps.signal);
  if (held === null) return null;
  const signal = AbortSignal.any([deps.signal, held.lost]);
  try {
    if (await deps.lastDone.isWithin(restMs)) return null;
    const removed = await collectHolding({ ...deps, signal });
    if (removed < removedMax) await deps.lastDone.note();
    return removed;
  } finally {
    await held.release();
  }
}

async function collectHolding(deps: CollectDeps): Promise<number> {
  const { blobs, now, signal } = deps;
  const before = new Date(now() - ageMs);
  let removed = await blobs.removeUnfinished(before);
  for (const [prefix, isGarbage] of rules) {
    for await (const entry of blobs.list(prefix)) {
      signal.throwIfAborted();
      if (removed >= removedMax) return removed;
      if (entry.modifiedAt >= before) continue;
      if (await isGarbage(entry, deps)) {
        await blobs.delete(entry.key);
        removed += 1;
      }
    }
  }
  return removed;
}

type Rule = (entry: BlobEntry, deps: CollectDeps) => Promise<boolean>;

const rules: readonly (readonly [prefix: string, Rule])[] = [
  ['uploads/', async () => true],
  ['resumable/', async () => true],
  // A node that runs puts its own there every day.
  ['nodes/', async () => true],
  ['recordings/', isUnnamed],
  ['names/', isWritten],
];

/** Pieces of what is being recorded; when that is complete they are removed. */
const liveFolder = 'live';
/** As `AudioStore.keep` names it, where several nodes keep. */
const keptName = /^audio-[0-9a-f]{16}(?:\.[a-z0-9]{1,8})?$/;

/** Audio that no fact of its recording names now; of what no fact speaks of at all, anything. */
async function isUnnamed({ key }: BlobEntry, deps: CollectDeps): Promise<boolean> {
  const [, recordingId = '', name = '', ...below] = key.split('/');
  const row = await recordingById(deps.storage, recordingId);
  if (row?.audio?.path === name) return false;
  const isAudio = below.length === 0 && keptName.test(name);
  if (row !== undefined && !isAudio && name !== liveFolder) return false;
  // Who keeps another file of it holds it meanwhile.
  const held = await deps.ownership.claim(`audio:${recordingId}`, deps.signal);
  if (held === null) return false;
  try {
    return await isUnnamedInLog(recordingId, name, isAudio, deps);
  } finally {
    await held.release();
  }
}

async function isUnnamedInLog(
  recordingId: string,
  name: string,
  isAudio: boolean,
  { store }: CollectDeps,
): Promise<boolean> {
  const stream = recordingStream(recordingId);
  if ((await store.version(stream)) === 0) return true;
  let named: string | null = null;
  let state = '';
  for await (const { type, data, to } of store.read(stream)) {
    if (type === 'recording.erased') return true;
    state = to ?? state;
    if (type === 'audio.removed') named = null;
    else if ('path' in data && 'sha256' in data) named = data.path;
  }
  return name === liveFolder ? !isIn(state, 'recording') : isAudio && named !== name;
}

/** A name is seen in the space once there are documents, and given up with its recording. */
async function isWritten({ key }: BlobEntry, { blobs, store }: CollectDeps): Promise<boolean> {
  const found = await blobs.get(key);
  if (found === null) return false;
  const stream = recordingStream((await buffer(found.body)).toString('utf8'));
  for await (const { type } of store.read(stream)) {
    if (type === 'documents.saved' || type === 'recording.erased') return true;
  }
  return (await store.version(stream)) === 0;
}
