import * as z from 'zod';
import { join } from 'node:path';
import type { LoggedFact } from '../../events/facts/catalogue.ts';
import { recordingOf } from '../../events/facts/recording.ts';
import type { EventStore } from '../../events/store.ts';
import { idIn, libraryEntries } from '../../projections/library.ts';
import { allPages } from '../../projections/list-page.ts';
import type { RecordingRow } from '../../projections/recording-row.ts';
import { recordingById } from '../../projections/recordings.ts';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import type { ProjectionRunner } from '../../projections/runner/runner.ts';
import { codeOf, syscallOf } from '../shared/errors.ts';
import { privateDirectory, writeDurably } from '../shared/files.ts';
import { folderFault } from '../shared/folder-fault.ts';
import type { Log } from '../shared/log.ts';
import { openAlarm, systemClock } from '../shared/retry.ts';
import { readJsonFile } from '../shared/json.ts';
import type { Space } from './space.ts';
import {
  type Removed,
  copyIntoVault,
  isOfNote,
  removeFromVault,
  removeLeavingFrom,
} from './vault.ts';
import { foldersWithCopies, forgetInode, rememberSetFolders } from './vault-folders.ts';
import { type CopyRecords, leavingCopies } from './vault-ledger.ts';

/*
 * Each user may have a vault (`user.vault_set`), a folder of a notes application. A vault is a projection of the log: each
 * `documents.saved` is followed by a copy of the three documents, by the rules of `vault.ts`. How far this got is in
 * `<data>/vault-copies/position.json`; facts that came while nobody followed are read from the log at the next start. A
 * vault that cannot be written is filled as a whole when it can be written again. Copying twice is copying once.
 */

/** What keeps the users' vaults up to date. */
export type OwnVaults = {
  /** Catches up, and follows the log from then on. */
  begin(): void;
  /** Resolves when nothing is copied any more. */
  close(): Promise<void>;
};

export type OwnVaultsParts = CopyRecords & {
  store: Pick<EventStore, 'read' | 'readAll' | 'head'>;
  /** Whether a recording is erased, by the log. */
  isErased(recordingId: string): Promise<boolean>;
  storage: ProjectionStorage;
  projections: Pick<ProjectionRunner, 'onApplied' | 'caughtUp'>;
  spaceOf(owner: string): Promise<Space>;
  /** Paths of a recording's documents, by whose they are or were, but for those that are another's by now. */
  pathsOf(recordingId: string): Promise<ReadonlyMap<string, readonly string[]>>;
  vaults: Vaults;
  /** Calls `begin` each time this process becomes the one that copies; returns whether it is the one now. */
  oneOfAll(begin: () => void): () => boolean;
  /** Between two looks at vaults that could not be written, in milliseconds. */
  everyMs: number;
  log: Log;
};

/** How many notes of a user have no place in their vault, as the process knows that copies them, perhaps another one. */
export async function notesStuck(dataDir: string, userId: string): Promise<number> {
  const { stuck = {} } = (await keptProgress({ dataDir })) ?? {};
  return (Object.hasOwn(stuck, userId) && stuck[userId]?.length) || 0;
}

/** The vaults that users have. */
export type Vaults = {
  /** Folder of a user's own vault; null: there is none. */
  of(userId: string): string | null;
  /** Ids of the users who have one. */
  users(): string[];
};

/**
 * Up to which position the vaults follow the log, and whose vaults are filled as a whole: from when on, by `systemClock` in
 * milliseconds, 0 for at once.
 */
type Progress = { position: number; behind: Map<string, number>; stuck: Stuck };

/** Notes of a user that have no place in their vault, though it can be written: tried again, from when on, as above. */
type Stuck = Map<string, { ids: Set<string>; from: number }>;

/** With more notes of a user without a place the vault is taken for one that cannot be written. */
const stuckMax = 1000;
/** Facts that wait to be looked at; more are read from the log again. */
const waitingMax = 10_000;
/** A process that ends without a word has so much to look at again, in facts. */
const unsavedMax = 500;

export function openOwnVaults(parts: OwnVaultsParts): OwnVaults {
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Promise<void> = Promise.resolve();
  let hasBegun = false;
  const isHere = parts.oneOfAll(start);
  return {
    begin() {
      hasBegun = true;
      start();
    },
    async close() {
      stopping.abort();
      await running;
    },
  };

  function start(): void {
    if (!hasBegun || !isHere()) return;
    running = running.then(async () => {
      while (isHere() && !signal.aborted) {
        const applied = appliedFacts(parts);
        await follow(parts, applied, isHere, signal).catch((error: unknown) => {
          if (!signal.aborted)
            parts.log.error(
              { code: codeOf(error) },
              'copying into notes folders is paused; the event log cannot be read',
            );
        });
        applied.stop();
        await systemClock.wait(parts.everyMs, signal).catch(() => undefined);
      }
    });
  }
}

/** Until this process is not the one any more. @throws what the log and the system say; the signal's reason */
async function follow(
  parts: OwnVaultsParts,
  applied: ReturnType<typeof appliedFacts>,
  isHere: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  const { vaults, store, projections, everyMs } = parts;
  await rememberSetFolders(parts.kept, store);
  await projections.caughtUp('all', { signal });
  const progress = await readProgress(parts);
  let saved = progress.position;
  while (isHere()) {
    if (applied.wereTooMany()) {
      // Where nobody has a vault there is nothing to catch up with.
      if (vaults.users().length === 0) progress.position = await store.head();
      else await takeAll(parts, progress, store.readAll({ afterPosition: progress.position }));
    }
    const { facts, upTo } = applied.take();
    const isNews = await takeAll(parts, progress, facts);
    progress.position = Math.max(progress.position, upTo);
    // Those as they are now: one that fails is behind again, until the next look.
    const due = [...progress.behind].filter(([, from]) => from <= systemClock.now());
    for (const [userId] of due) await fill(parts, progress, userId, signal);
    const hasTried = await tryAgain(parts, progress, signal);
    if (isNews || hasTried || due.length > 0 || progress.position - saved >= unsavedMax) {
      await save(parts, progress);
      saved = progress.position;
    }
    const isWaiting = progress.behind.size + progress.stuck.size > 0;
    await applied.next(isWaiting ? everyMs : Infinity, signal);
  }
}

/** What may ask something of a vault, besides documents. */
const asking: readonly LoggedFact['type'][] = ['user.vault_set', 'recording.handed_over'];

/**
 * Facts that may ask something, as they are applied, and what wakes who waits for them. At first, and where too many wait,
 * the log has to be read.
 */
function appliedFacts({ projections, vaults }: Pick<OwnVaultsParts, 'projections' | 'vaults'>) {
  let facts: LoggedFact[] = [];
  let isCut = true;
  /** Positions up to which there are no others, and up to which they were taken. */
  let [upTo, taken] = [0, 0];
  const bell = openAlarm();
  const isDue = (): boolean => facts.length > 0 || isCut || upTo - taken >= unsavedMax;
  const stop = projections.onApplied((more) => {
    const some = more.filter(({ type }) =>
      // A vault that is set later is filled as a whole.
      type === 'documents.saved' ? vaults.users().length > 0 : asking.includes(type),
    );
    if (facts.length + some.length > waitingMax) [facts, isCut] = [[], true];
    else facts.push(...some);
    upTo = more.at(-1)?.position ?? upTo;
    if (isDue()) bell.ring();
  });
  return {
    stop,
    /** None while the log has to be read: it has those that are missing. */
    take() {
      if (!isCut) taken = upTo;
      return { facts: isCut ? [] : facts.splice(0), upTo: taken };
    },
    /** Whether the log has to be read, asked once. */
    wereTooMany() {
      const were = isCut;
      isCut = false;
      return were;
    },
    /** Resolves when there are facts, or after a time in milliseconds. @throws the signal's reason */
    async next(ms: number, signal: AbortSignal): Promise<void> {
      if (isDue()) return;
      await bell.pause(Math.min(ms, longestMs), signal);
      signal.throwIfAborted();
    },
  };
}

/** Longest time to wait for facts at once, milliseconds: no timer takes more than 2^31. */
const longestMs = 3_600_000;

/** Returns whether one of them concerned a vault. */
async function takeAll(
  parts: OwnVaultsParts,
  progress: Progress,
  facts: Iterable<LoggedFact> | AsyncIterable<LoggedFact>,
): Promise<boolean> {
  let isNews = false;
  for await (const fact of facts) {
    if (fact.position <= progress.position) continue;
    if (await take(parts, progress, fact)) isNews = true;
    progress.position = fact.position;
  }
  return isNews;
}

/** Does what a fact asks of a vault; returns whether it asked anything. */
async function take(parts: OwnVaultsParts, progress: Progress, fact: LoggedFact): Promise<boolean> {
  if (fact.type === 'user.vault_set') {
    const { folder } = fact.content ?? {};
    if (folder) await forgetInode(parts.kept, fact.data.user_id, folder);
    progress.behind.set(fact.data.user_id, 0);
    progress.stuck.delete(fact.data.user_id);
    return true;
  }
  const recordingId = recordingOf(fact.stream);
  if (recordingId === undefined) return false;
  if (fact.type === 'recording.handed_over') {
    await takeBack(parts, recordingId, fact.data.owner);
    return true;
  }
  if (fact.type !== 'documents.saved') return false;
  const row = await recordingById(parts.storage, recordingId);
  if (!row?.documents || parts.vaults.of(row.owner) === null) return false;
  if (!progress.behind.has(row.owner)) await copy(parts, progress, row);
  return true;
}

/** What was handed over leaves the vaults of those who had it, but for notes that they changed. */
async function takeBack(
  { vaults, pathsOf, log, ...parts }: OwnVaultsParts,
  recordingId: string,
  owner: string,
): Promise<void> {
  for (const [user, its] of await pathsOf(recordingId)) {
    if (user === owner) continue;
    const own = vaults.of(user);
    const where = { present: own === null ? [] : [own], paths: its };
    for (const { vault, paths } of await foldersWithCopies(parts, user, where))
      await takeOut(user, vault, paths);
  }

  async function takeOut(user: string, vault: string, paths: readonly string[]): Promise<void> {
    await leavingCopies(parts.kept).add(user, vault, paths);
    const { left, away, fault } = await removeLeavingFrom(user, vault, parts, paths).catch(
      (error: unknown): Removed => {
        if (syscallOf(error) === undefined) throw error; // the log is away: all of it again
        return { left: [], away: [...paths], fault: error };
      },
    );
    if (away.length > 0)
      log.warn(
        { recordingId, code: codeOf(fault) },
        'notes of a recording that was handed over are still in the former owner’s notes folder; trying again',
      );
    if (left.length > 0)
      log.warn(
        { recordingId, count: left.length },
        'changed notes stay in the former owner’s notes folder',
      );
  }
}

/** Copies all documents of a user; those that a person changed in the vault stay. */
async function fill(
  parts: OwnVaultsParts,
  progress: Progress,
  userId: string,
  signal: AbortSignal,
): Promise<void> {
  progress.behind.delete(userId);
  for await (const entries of allPages(libraryEntries(parts.storage, userId))) {
    for (const entry of entries) {
      signal.throwIfAborted();
      const row = await recordingById(parts.storage, idIn(entry));
      if (!row?.documents) continue;
      await copy(parts, progress, row);
      // The rest comes with the next look.
      if (progress.behind.has(userId)) return;
    }
  }
}

/** Copies the notes that had no place, where it is time for it; returns whether there were any. */
async function tryAgain(
  parts: OwnVaultsParts,
  progress: Progress,
  signal: AbortSignal,
): Promise<boolean> {
  const now = systemClock.now();
  const due = [...progress.stuck].filter(([, { from }]) => from <= now);
  for (const [userId, { ids }] of due) {
    progress.stuck.set(userId, { ids, from: now + parts.everyMs });
    // Who was deleted has none.
    if (parts.vaults.of(userId) === null) ids.clear();
    for (const id of ids) {
      signal.throwIfAborted();
      // The folder itself is away: it is tried as a whole.
      if (progress.behind.has(userId)) break;
      const row = await recordingById(parts.storage, id);
      if (row?.documents && row.owner === userId) await copy(parts, progress, row);
      else ids.delete(id);
    }
    if (ids.size === 0) progress.stuck.delete(userId);
  }
  return due.length > 0;
}

/** A vault that cannot be written keeps nobody else's from being written, and a note without a place no other note. */
async function copy(
  { vaults, spaceOf, isErased, everyMs, log, ...parts }: OwnVaultsParts,
  { behind, stuck }: Progress,
  { recordingId, owner, documents }: RecordingRow,
): Promise<void> {
  const vault = vaults.of(owner);
  if (vault === null || documents === null) return;
  const paths = Object.values(documents);
  try {
    const { isOther } = await copyIntoVault(await spaceOf(owner), vault, paths, parts);
    if (isOther) {
      await forgetInode(parts.kept, owner, vault);
      behind.set(owner, systemClock.now());
    }
    // An erasure stores its fact before it takes the copies away: what it did not find yet is taken away here.
    if (await isErased(recordingId)) await removeFromVault(owner, vault, paths, parts);
    stuck.get(owner)?.ids.delete(recordingId);
  } catch (error) {
    const from = systemClock.now() + everyMs;
    // Without the error's own words: paths in them are made of titles.
    const told = { code: codeOf(error), user_id: owner };
    const { ids } = stuck.get(owner) ?? { ids: new Set<string>() };
    const isFull = ids.size >= stuckMax && !ids.has(recordingId);
    if (!isOfNote(error) || isFull || (await folderFault(vault)) !== null) {
      behind.set(owner, from);
      log.warn(told, 'notes folder cannot be written; trying again');
      return;
    }
    if (!ids.has(recordingId))
      log.warn({ ...told, recordingId }, 'a note has no place in the notes folder; trying again');
    stuck.set(owner, { ids: ids.add(recordingId), from });
  }
}

/** Below the data directory. No copy of that has it: copies in vaults are not copied with it. */
export const vaultProgressFile = join('vault-copies', 'position.json');

/** Without a file that can be read, and behind the end of a log that came back shorter, all vaults are filled as a whole. */
async function readProgress(parts: OwnVaultsParts): Promise<Progress> {
  const kept = await keptProgress(parts);
  const head = await parts.store.head();
  if (!kept || kept.position > head)
    return { position: head, behind: atOnce(parts.vaults.users()), stuck: new Map() };
  const stuck: Progress['stuck'] = new Map();
  for (const [id, ids] of Object.entries(kept.stuck)) stuck.set(id, { ids: new Set(ids), from: 0 });
  return { position: kept.position, behind: atOnce(kept.behind), stuck };
}

const keptProgress = ({ dataDir }: Pick<OwnVaultsParts, 'dataDir'>) =>
  readJsonFile(join(dataDir, vaultProgressFile), progressSchema);

async function save(
  parts: OwnVaultsParts,
  { position, behind, stuck: notes }: Progress,
): Promise<void> {
  const stuck = Object.fromEntries([...notes].map(([userId, { ids }]) => [userId, [...ids]]));
  await privateDirectory(join(parts.dataDir, 'vault-copies'));
  const kept = JSON.stringify({ position, behind: [...behind.keys()], stuck });
  await writeDurably(join(parts.dataDir, vaultProgressFile), kept);
}

const atOnce = (userIds: readonly string[]) => new Map(userIds.map((id) => [id, 0]));

const progressSchema = z.object({
  position: z.number().int().min(0),
  behind: z.array(z.string()),
  /** Absent in files of earlier releases. */
  stuck: z.record(z.string(), z.array(z.string())).default({}),
});
