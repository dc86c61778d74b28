import type { Accepted } from './import-audio.ts';
import type { CommandMetadata } from '../../events/command-handler.ts';
import type { KeyStore } from '../../events/key-store.ts';
import { type RecordingFact, recordingStream } from '../../events/facts/recording.ts';
import type { EventStore } from '../../events/store.ts';
import { isAtWork } from '../../machines/states.ts';
import { type DecideRecording, erase } from '../../projections/recording/decide.ts';
import { type DocumentName, documentNames } from '../documents/documents.ts';
import { comparable } from '../documents/file-names.ts';
import type { CopiesLeft, LeavingVaults } from '../documents/leaving-vaults.ts';
import type { Space } from '../documents/space.ts';
import { deleteDocument } from '../documents/write.ts';
import type { Log } from '../shared/log.ts';
import type { AudioStore } from '../storage/audio/audio-store.ts';
import type { Exclusively } from '../storage/blobs/blobs.ts';
import type { PromisedNames } from '../storage/blobs/promised-names.ts';
import type { PendingJobs, Removal } from '../storage/pending-jobs.ts';
import type { RecordingAggregate } from './control/aggregate.ts';
import {
  deleteDocuments,
  deletedDocuments,
  namedIn,
  pathsLeft,
  removeQuarantined,
} from './erased-files.ts';
import { erasedState, lastState } from './handle.ts';
import { NotAccepted } from './refusals.ts';
import type { OpenRecordings } from './control/open-recordings.ts';

/*
 * How a recording is erased, from the command to the last file:
 *
 * 1. What goes on in it is cancelled, the job `erase` is added to the pending ones, and its last fact says
 *    that it is erased (`erase` of `decide.ts`). From then on nothing may write.
 * 2. `removeEverything`: documents, whose names need the key, and which copies in vaults are to be removed is noted; audio;
 *    rows; then the key, with which all that is left in the log and in rows was sealed. The copies go last: a vault may be
 *    away. What could not be reached stays noted, and is removed when the vault is there.
 * 3. The job is completed.
 *
 * A deletion of documents is intended, stored and carried out in one turn. One thing at a time is removed of a recording,
 * among all processes (`removal:<id>`), and what puts its documents in place does so in the same order (`stages/write.ts`):
 * each removes what its own fact names. Its copies in vaults go as those of an erased recording do.
 *
 * Each step can be done again. After a crash `finishPending` begins at the second for every job that is still
 * pending, `eraseAgain` at the first for recordings that came back from a backup although their key was destroyed.
 */

export type ErasureDeps = {
  store: EventStore;
  keys: Pick<KeyStore, 'forget' | 'erasures' | 'finishErasures'>;
  /** What rows say of recordings; of those that they leave out the log is asked, one by one. */
  standingOf(recordingIds: readonly string[]): Promise<ReadonlyMap<string, { state: string }>>;
  jobs: PendingJobs;
  spaceOf(owner: string): Promise<Space>;
  /** Names that other nodes know of; null where there are none. */
  names: Pick<PromisedNames, 'release'> | null;
  files: Pick<AudioStore, 'removeAll'>;
  quarantineDir: string;
  /** Removes the rows of a recording's texts. */
  removeRows(recordingId: string): Promise<void>;
  /** Copies of documents in the vaults of their owner. */
  copies: LeavingVaults;
  /** Resolves when nothing compresses or removes its audio any more. */
  leaveAudio(recordingId: string): Promise<void>;
  /** Gives a user of this id a key of their own, where one had the same id as the recording (0.1). */
  keepUser(recordingId: string): Promise<void>;
  /** The same that puts documents in place. */
  exclusively: Exclusively;
};

/** Under what name files of a recording are removed, and its documents put in place. */
export const removalName = (recordingId: string): string => `removal:${recordingId}`;

/** What facts promise to remove from the disk, for each recording one after the other. */
export interface Removals {
  /** To be called, and awaited, before the fact is stored that erases. */
  intendErasure(recordingId: string): Promise<void>;
  /** Removes everything. Returns copies in vaults that are still there. @throws what went wrong; it stays pending */
  erase(recordingId: string, recording: RecordingAggregate | null): Promise<CopiesLeft>;
  /**
   * Has the fact stored that names documents, and deletes those.
   * @throws what `store` throws: nothing is deleted; what else went wrong: it stays pending
   */
  deleteDocuments<T>(recordingId: string, store: () => Promise<T>): Promise<T>;
  /** Finishes what a crash left undone. What fails stays pending. */
  finishPending(): Promise<void>;
  /** Erases again what came back from a backup. Of what the rows call erased nothing is asked. @throws the first failure, after all of them */
  eraseAgain(erase: Erase): Promise<void>;
  /** Resolves when nothing is being removed. */
  settled(): Promise<void>;
}

/** Erased recordings whose rows are asked for at once. */
const askedAtOnce = 1_000;

export function openRemovals(deps: ErasureDeps, log: Log): Removals {
  const { jobs, exclusively } = deps;
  const underWay = new Set<Promise<unknown>>();
  const inTurn = async <T>(recordingId: string, removing: () => Promise<T>): Promise<T> => {
    const work = exclusively(removalName(recordingId), removing);
    underWay.add(work);
    return await work.finally(() => underWay.delete(work));
  };
  const eraseInTurn = async (recordingId: string): Promise<CopiesLeft> => {
    // What is left waits for the same turn, maybe: it is waited for before.
    await deps.leaveAudio(recordingId);
    return await inTurn(recordingId, () => finishErasure(deps, recordingId));
  };
  /** What a process that died left undone. */
  const finishJob = async (recordingId: string, job: Removal): Promise<void> => {
    const stateNow = async () => (await lastState(deps.store, recordingId)) ?? '';
    if (job === 'delete-documents')
      // While documents are written again, the next fact says which there are to be.
      await inTurn(recordingId, async () => {
        if (!isAtWork(await stateNow())) await finishDeletion(deps, recordingId);
      });
    // Its command may be about to store the fact: without it the job is not known to be over.
    else if ((await stateNow()) === erasedState) await eraseInTurn(recordingId);
  };

  const removals: Removals = {
    intendErasure: (recordingId) => jobs.add(recordingId, 'erase'),
    async erase(recordingId, recording) {
      // Activities that were stopped may still write: they are waited for, and may wait for their turn.
      await recording?.quiet();
      return await eraseInTurn(recordingId);
    },
    deleteDocuments: (recordingId, store) =>
      inTurn(recordingId, async () => {
        await jobs.add(recordingId, 'delete-documents');
        const stored = await store().catch(async (error: unknown) => {
          if (error instanceof NotAccepted) await jobs.complete(recordingId, 'delete-documents');
          throw error;
        });
        await finishDeletion(deps, recordingId);
        return stored;
      }),
    async finishPending() {
      for (const { recordingId, job } of await jobs.list()) {
        if (job !== 'erase' && job !== 'delete-documents') continue;
        await finishJob(recordingId, job).catch((error: unknown) =>
          log.error({ err: error, recordingId, job }, 'cleanup job failed again'),
        );
      }
    },
    eraseAgain: (erase) => eraseAgain(deps, log, erase),
    async settled() {
      await Promise.allSettled(underWay);
    },
  };
  return removals;
}

type Erase = (recordingId: string, metadata: CommandMetadata) => Promise<unknown>;

/** @throws the first failure, when all was tried */
async function eraseAgain(deps: ErasureDeps, log: Log, erase: Erase): Promise<void> {
  await deps.keys.finishErasures();
  const subjects = (await deps.keys.erasures()).map(({ subject }) => subject);
  const failures: unknown[] = [];
  for (let first = 0; first < subjects.length; first += askedAtOnce) {
    const some = subjects.slice(first, first + askedAtOnce);
    const standing = await deps.standingOf(some);
    for (const recordingId of some) {
      if (standing.get(recordingId)?.state === erasedState) continue;
      await eraseUnlessErased(deps, recordingId, erase).catch((error: unknown) => {
        log.error({ err: error, recordingId }, 'erasing a recording failed again');
        failures.push(error);
      });
    }
  }
  if (failures.length > 0) throw failures[0];
}

async function eraseUnlessErased(
  deps: ErasureDeps,
  recordingId: string,
  erase: Erase,
): Promise<void> {
  const state = await lastState(deps.store, recordingId);
  if (state === undefined || state === erasedState) return;
  await erase(recordingId, { by: 'system', command: `erased-before-${recordingId}` });
}

export type Erased = Accepted & CopiesLeft;

/** The commands that remove something. */
export interface ErasureCommands {
  /**
   * Ends what is done with the recording and removes all of it, for good. Resolves when nothing of
   * it can be read any more; what a crash leaves undone is done at the next start.
   * @throws {NotAccepted}, {UnknownRecording}, {CommandRefused}
   */
  erase(
    recordingId: string,
    metadata: { by: string; command: string },
    /** Which facts erase it, or why it stays. */
    decision?: DecideRecording,
  ): Promise<Erased>;
  /** Deletes documents; all three with the index. The recording stays. @throws as `command` */
  deleteDocuments(
    recordingId: string,
    documents: readonly DocumentName[],
    metadata: { by: string; command: string },
  ): Promise<Accepted>;
}

export function erasureCommands({
  recordings,
  removals,
  log,
}: {
  recordings: OpenRecordings;
  removals: Removals;
  log: Log;
}): ErasureCommands & {
  /** Removes what is left of a recording that another fact erased, such as one that is discarded. */
  removeErased(recording: RecordingAggregate): void;
} {
  /** Those whose command removes what is left and answers with what stays. */
  const commanded = new Set<string>();
  return {
    async erase(recordingId, metadata, decision = erase) {
      commanded.add(recordingId);
      try {
        const facts = await recordings.use(recordingId, { create: false }, (recording) =>
          recording.decide(metadata, decision),
        );
        const recording = await recordings.peek(recordingId);
        const copies = await removals.erase(recordingId, recording);
        if (recording) await recordings.forget(recording);
        const position = facts.at(-1)?.position ?? 0;
        return { recordingId, position, state: erasedState, ...copies };
      } finally {
        commanded.delete(recordingId);
      }
    },
    async deleteDocuments(recordingId, documents, metadata) {
      const names = documents.includes('index') ? [...documentNames] : [...documents];
      const deleted: RecordingFact = { type: 'documents.deleted', data: { documents: names } };
      const store = () =>
        recordings.use(recordingId, { create: false }, (one) => one.append([deleted], metadata));
      const fact = await removals.deleteDocuments(recordingId, store);
      return { recordingId, position: fact.position, state: fact.to ?? '' };
    },
    removeErased(recording) {
      const { recordingId } = recording;
      if (commanded.has(recordingId)) return;
      removals
        .erase(recordingId, recording)
        .then(() => recordings.forget(recording))
        .catch((error: unknown) =>
          log.error(
            { err: error, recordingId },
            'erasing a recording was not completed; trying again',
          ),
        );
    },
  };
}

async function finishErasure(deps: ErasureDeps, recordingId: string): Promise<CopiesLeft> {
  // Added before its fact, which then was refused or lost: nothing was promised.
  const isErased = (await lastState(deps.store, recordingId)) === erasedState;
  const copies = isErased ? await removeEverything(deps, recordingId) : { left: [], away: [] };
  await deps.jobs.complete(recordingId, 'keep-audio');
  await deps.jobs.complete(recordingId, 'erase');
  return copies;
}

async function finishDeletion(deps: ErasureDeps, recordingId: string): Promise<void> {
  const deletion = await deletedDocuments(deps, recordingId);
  if (deletion !== null) {
    const { owner, paths } = deletion;
    await deps.copies.note(owner, paths);
    const space = await deps.spaceOf(owner);
    for (const path of paths) await deleteDocument(space, path);
    await deps.copies.remove(owner, paths);
  }
  await deps.jobs.complete(recordingId, 'delete-documents');
}

async function removeEverything(deps: ErasureDeps, recordingId: string): Promise<CopiesLeft> {
  const { store, keys, copies } = deps;
  const { bases, audio } = await namedIn(deps, recordingId);
  const copied = await pathsLeft(deps, recordingId, bases);
  for (const [owner, paths] of copied) await copies.note(owner, paths);
  for (const [owner, names] of bases) {
    await deleteDocuments(deps, recordingId, owner, names);
    for (const base of names) await deps.names?.release(owner, comparable(base), recordingId);
  }
  await deps.files.removeAll(recordingId);
  await removeQuarantined(deps.quarantineDir, recordingId, audio);
  await deps.removeRows(recordingId);
  await deps.keepUser(recordingId);
  await keys.forget(recordingId);
  // Read once more as everything reads the log: what can still be read was not erased.
  for await (const fact of store.read(recordingStream(recordingId))) {
    if (fact.content !== undefined) throw new Error(`content of ${recordingId} is still readable`);
  }
  // A path may be in the notes folder of the house and in an owner's own.
  const all = { left: new Set<string>(), away: new Set<string>() };
  for (const [owner, paths] of copied) {
    const { left, away } = await copies.remove(owner, paths);
    for (const path of left) all.left.add(path);
    for (const path of away) all.away.add(path);
  }
  return { left: [...all.left], away: [...all.away] };
}
