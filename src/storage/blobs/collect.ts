import { buffer } from 'node:stream/consumers';
import type { EventLog } from '../../../events/event-log.ts';
import { filesAfter, noFiles } from '../../../events/facts/files.ts';
import { recordingStream } from '../../../events/facts/recording.ts';
import type { Ownership } from '../../../events/ownership.ts';
import { isIn } from '../../../machines/states.ts';
import { recordingById } from '../../../projections/recordings.ts';
import type { ProjectionStorage } from '../../../projections/runner/projection.ts';
import type { Log } from '../../shared/log.ts';
import { keepDoing } from '../../shared/retry.ts';
import type { ByOne } from '../by-one.ts';
import type { Puts } from '../postgres/puts.ts';
import type { Blobs } from './blobs.ts';

type CollectDeps = {
  blobs: Blobs;
  puts: Puts;
  store: Pick<EventLog, 'read' | 'version'>;
  storage: ProjectionStorage;
  ownership: Ownership;
  byOne: ByOne;
  /** Milliseconds since 1970. */
  now(): number;
  signal: AbortSignal;
};

/** What no fact names is that old before it is removed: longer than anything takes from a file to its fact. */
const ageMs = 7 * 24 * 3_600_000;
/** How often a node looks whether it is time; first after that, never at a start. */
const everyMs = 3_600_000;
/** Between two rounds of all nodes. */
const restMs = 23.5 * 3_600_000;

/** Collects once a day, whichever node it is. @returns how to stop */
export function keepCollecting(
  deps: Omit<CollectDeps, 'signal' | 'now'>,
  log: Pick<Log, 'info' | 'warn'>,
): () => Promise<void> {
  const round = async (signal: AbortSignal): Promise<void> => {
    const removed = await collect({ ...deps, now: Date.now, signal });
    if (removed) log.info({ removed }, 'unreferenced files removed');
  };
  return keepDoing(round, {
    pauseMs: everyMs,
    pausesFirst: true,
    onFailure: (error) =>
      log.warn({ err: error }, 'search for unreferenced files was not completed'),
  });
}

/**
 * Removes files of all nodes that no fact names and that are older than a week: audio that was kept and not recorded, uploads that
 * broke off, names of documents that are written by now. What it costs follows what was put a week ago, not what is kept.
 * @returns how many; null: another node is at it, or was within a day
 */
export async function collect(deps: CollectDeps): Promise<number | null> {
  const { byOne, signal } = deps;
  const done = await byOne('collect', { withinMs: restMs, signal }, (ends) =>
    collectHere({ ...deps, signal: ends }),
  );
  return done?.isMine ? done.value : null;
}

async function collectHere(deps: CollectDeps): Promise<number> {
  const { blobs, now, signal } = deps;
  const before = new Date(now() - ageMs);
  let removed = await blobs.removeUnfinished(before);
  for await (const key of garbage(before, deps)) {
    signal.throwIfAborted();
    await blobs.delete(key);
    removed += 1;
  }
  return removed;
}

async function* garbage(before: Date, deps: CollectDeps): AsyncGenerator<string, void, void> {
  const { blobs, puts, ownership, signal } = deps;
  for (const prefix of passing) yield* oldKeys(blobs, prefix, before);
  for await (const key of oldKeys(blobs, 'names/', before))
    if (await isWritten(key, deps)) yield key;
  for await (const recordingId of puts.older(ageMs)) {
    // Who keeps another file of it holds it meanwhile.
    const held = await ownership.claim(`audio:${recordingId}`, signal);
    if (held === null) continue;
    try {
      const left = await unnamed(recordingId, before, deps);
      if (left === null) continue;
      yield* left;
      await puts.forget(recordingId, ageMs);
    } finally {
      await held.release();
    }
  }
}

/** What is there for a while: uploads under way, and what each node that runs puts there every day. */
const passing = ['uploads/', 'resumable/', 'nodes/'] as const;

async function* oldKeys(
  blobs: Blobs,
  prefix: string,
  before: Date,
): AsyncGenerator<string, void, void> {
  for await (const { key, modifiedAt } of blobs.list(prefix)) if (modifiedAt < before) yield key;
}

/** As `AudioStore.keep` names it, where several nodes keep; with a fact's version, what was put together for that. */
const keptName = /^audio-(?:\d+-)?[0-9a-f]{16}(?:\.[a-z0-9]{1,8})?$/;

/** Files of a recording that no fact names now; of what no fact speaks of at all, any. Null: its audio is not complete. */
async function unnamed(
  recordingId: string,
  before: Date,
  deps: CollectDeps,
): Promise<string[] | null> {
  const folder = `recordings/${recordingId}/`;
  const keys: string[] = [];
  for await (const key of oldKeys(deps.blobs, folder, before)) keys.push(key);
  /** Pieces of what is being recorded; when that is complete they are removed. */
  const isPiece = (key: string): boolean => key.startsWith(`${folder}live/`);
  const row = await recordingById(deps.storage, recordingId);
  const suspects = keys.filter((key) => {
    const name = key.slice(folder.length);
    return !row || isPiece(key) || (keptName.test(name) && name !== row.audio?.path);
  });
  if (suspects.length === 0) return [];
  const said = await saidInLog(recordingId, deps.store);
  if (said === null) return suspects;
  // After an error it can be tried again: until there is audio of it, the pieces are all there is.
  const isIncomplete = isIn(said.state, 'error') && said.path === null;
  if (isIn(said.state, 'recording') || isIncomplete) return null;
  return suspects.filter(
    (key) =>
      isPiece(key) || (keptName.test(key.slice(folder.length)) && key !== folder + said.path),
  );
}

/** The state of a recording and the audio that it has; null: there is none, or it was erased. */
async function saidInLog(
  recordingId: string,
  store: CollectDeps['store'],
): Promise<{ state: string; path: string | null } | null> {
  const stream = recordingStream(recordingId);
  if ((await store.version(stream)) === 0) return null;
  let files = noFiles;
  let state = '';
  for await (const fact of store.read(stream)) {
    if (fact.type === 'recording.erased') return null;
    state = fact.to ?? state;
    files = filesAfter(files, fact);
  }
  return { state, path: files.audio?.path ?? null };
}

/** A name is seen in the space once there are documents, and given up with its recording. */
async function isWritten(key: string, { blobs, store }: CollectDeps): Promise<boolean> {
  const found = await blobs.get(key);
  if (found === null) return false;
  const stream = recordingStream((await buffer(found.body)).toString('utf8'));
  for await (const { type } of store.read(stream)) {
    if (type === 'documents.saved' || type === 'recording.erased') return true;
  }
  return (await store.version(stream)) === 0;
}
