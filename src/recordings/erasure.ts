import type { CommandMetadata } from '../../events/command-handler.ts';
import type { KeyStore } from '../../events/key-store.ts';
import { recordingStream } from '../../events/facts/recording.ts';
import type { EventStore } from '../../events/store.ts';
import { erase } from '../../projections/recording/decide.ts';
import { documentNames, documentPaths } from '../documents/documents.ts';
import { comparable } from '../documents/file-names.ts';
import type { Space } from '../documents/space.ts';
import type { Log } from '../shared/log.ts';
import type { AudioStore } from '../storage/audio/audio-store.ts';
import type { PromisedNames } from '../storage/blobs/promised-names.ts';
import type { PendingJobs, Removal } from '../storage/pending-jobs.ts';
import type { RecordingAggregate } from './aggregate.ts';
import {
  deleteDocuments,
  deleteNamedDocuments,
  lastDeletion,
  namedIn,
  removeQuarantined,
} from './erased-files.ts';
import type { RecordingService } from './service.ts';
import { erasedState } from './handle.ts';
import { NotAccepted } from './refusals.ts';
import type { OpenRecordings } from './open-recordings.ts';

/*
 * How a recording is erased, from the command to the last file:
 *
 * 1. What goes on in it is cancelled, the job `erase` is added to the pending ones, and its last fact says
 *    that it is erased (`erase` of `decide.ts`). From then on nothing may write.
 * 2. `removeEverything`: documents and their copies in the vault, whose names need the key; audio;
 *    rows; then the key, with which all that is left in the log and in rows was sealed.
 * 3. The job is completed.
 *
 * Each step can be done again. After a crash `finish` begins at the second for every job that is still
 * pending, and at the first for recordings that came back from a backup although their key was destroyed.
 */

export type ErasureDeps = {
  store: EventStore;
  /** Version of a stream's last fact; 0: there is none. */
  version(stream: string): Promise<number>;
  keys: Pick<KeyStore, 'forget' | 'erasures'>;
  jobs: PendingJobs;
  spaceOf(owner: string): Promise<Space>;
  /** Names that other nodes know of. */
  names?: Pick<PromisedNames, 'release'> | null;
  files: Pick<AudioStore, 'removeAll'>;
  quarantineDir: string;
  /** Removes the rows of a recording's texts. */
  removeRows(recordingId: string): Promise<void>;
  /** Removes the copies of an owner's documents from the vault; returns those that a person changed. */
  removeCopies?(owner: string, paths: readonly string[]): Promise<string[]>;
  /** Resolves when nothing compresses or removes its audio any more. */
  leaveAudio?(recordingId: string): Promise<void>;
  /** Does something while no other process does anything under the same name; without it, this is the only one. */
  exclusively?: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  /** Called before each step; tests end the process there. */
  before?(step: ErasureStep): void;
};

export const erasureSteps = ['documents', 'copies', 'files', 'rows', 'key', 'done'] as const;
export type ErasureStep = (typeof erasureSteps)[number];

/** What facts promise to remove from the disk, done once at a time for each recording. */
export interface Removals {
  /** To be called, and awaited, before the fact is stored. */
  intend(recordingId: string, job: Removal): Promise<void>;
  /** The fact was refused: nothing was promised. */
  giveUp(recordingId: string, job: Removal): Promise<void>;
  /** Does it, once at a time. Returns copies in the vault that stay. @throws what went wrong; it stays pending */
  carryOut(
    recordingId: string,
    job: Removal,
    recording?: RecordingAggregate | null,
  ): Promise<string[]>;
  /** Finishes what a crash left undone. What fails stays pending. */
  finishPending(): Promise<void>;
  /** The same, and erases again what came back from a backup. */
  finish(
    erase: (recordingId: string, metadata: CommandMetadata) => Promise<unknown>,
  ): Promise<void>;
  /** Resolves when nothing is being removed. */
  settled(): Promise<void>;
}

export function openRemovals(deps: ErasureDeps, log: Log): Removals {
  const { jobs } = deps;
  const underWay = new Map<string, Promise<string[]>>();

  const removals: Removals = {
    intend: (recordingId, job) => jobs.add(recordingId, job),
    giveUp: (recordingId, job) => jobs.complete(recordingId, job),
    carryOut(recordingId, job, recording) {
      const running = underWay.get(recordingId);
      if (running) return running;
      const { exclusively = (_, removing) => removing() } = deps;
      const work = exclusively(`removal:${recordingId}`, () =>
        remove(deps, recordingId, job, recording),
      ).finally(() => underWay.delete(recordingId));
      underWay.set(recordingId, work);
      return work;
    },
    async finishPending() {
      for (const { recordingId, job } of await jobs.list()) {
        if (job !== 'erase' && job !== 'delete-documents') continue;
        // Another process may be about to store the fact: without it the job is not known to be over.
        const carriedOut = async () =>
          deps.store.isShared && !(await isPromised(deps, recordingId, job))
            ? []
            : await removals.carryOut(recordingId, job);
        await carriedOut().catch((error: unknown) => {
          log.error({ err: error, recordingId, job }, 'still not finished');
        });
      }
    },
    async finish(erase) {
      await removals.finishPending();
      for (const { subject: recordingId } of await deps.keys.erasures()) {
        await lastState(deps, recordingId)
          .then(async (state) => {
            if (state === undefined || state === erasedState) return;
            await erase(recordingId, { by: 'system', command: `erased-before-${recordingId}` });
          })
          .catch((error: unknown) => log.error({ err: error, recordingId }, 'still not erased'));
      }
    },
    async settled() {
      await Promise.allSettled(underWay.values());
    },
  };
  return removals;
}

/** The commands that remove something. */
export function erasureCommands({
  recordings,
  removals,
  log,
}: {
  recordings: OpenRecordings;
  /** Null: only facts are recorded. */
  removals: Removals | null;
  log: Log;
}): Pick<RecordingService, 'erase' | 'deleteDocuments'> & {
  /** Removes what is left of a recording that another fact erased, such as one that is discarded. */
  removeErased(recording: RecordingAggregate): void;
} {
  /** Those whose command removes what is left and answers with what stays. */
  const commanded = new Set<string>();
  return {
    async erase(recordingId, metadata) {
      commanded.add(recordingId);
      try {
        const facts = await recordings.use(recordingId, { create: false }, (recording) =>
          recording.decide(metadata, erase),
        );
        const recording = await recordings.peek(recordingId);
        const left = (await removals?.carryOut(recordingId, 'erase', recording)) ?? [];
        if (recording) await recordings.forget(recording);
        return { recordingId, position: facts.at(-1)?.position ?? 0, state: erasedState, left };
      } finally {
        commanded.delete(recordingId);
      }
    },
    async deleteDocuments(recordingId, documents, metadata) {
      const names = documents.includes('index') ? [...documentNames] : [...documents];
      const fact = await recordings.use(recordingId, { create: false }, async (recording) => {
        await removals?.intend(recordingId, 'delete-documents');
        try {
          return await recording.append(
            [{ type: 'documents.deleted', data: { documents: names } }],
            metadata,
          );
        } catch (error) {
          if (error instanceof NotAccepted) await removals?.giveUp(recordingId, 'delete-documents');
          throw error;
        }
      });
      await removals?.carryOut(recordingId, 'delete-documents');
      return { recordingId, position: fact.position, state: fact.to ?? '' };
    },
    removeErased(recording) {
      const { recordingId } = recording;
      if (commanded.has(recordingId)) return;
      const removed = removals?.carryOut(recordingId, 'erase', recording) ?? Promise.resolve();
      removed
        .then(() => recordings.forget(recording))
        .catch((error: unknown) =>
          log.error({ err: error, recordingId }, 'an erasure is not finished'),
        );
    },
  };
}

/** The state its last fact led to; undefined without any. Nothing before that fact is read. */
async function lastState(
  { store, version }: Pick<ErasureDeps, 'store' | 'version'>,
  recordingId: string,
): Promise<string | undefined> {
  const stream = recordingStream(recordingId);
  const last = await version(stream);
  if (last === 0) return undefined;
  for await (const { to } of store.read(stream, { afterVersion: last - 1, limit: 1 })) return to;
  return undefined;
}

/** Whether the fact is stored that a job was added for. */
const isPromised = async (deps: ErasureDeps, recordingId: string, job: Removal): Promise<boolean> =>
  (await lastState(deps, recordingId)) === erasedState ||
  (job === 'delete-documents' && (await lastDeletion(deps.store, recordingId)) !== null);

async function remove(
  deps: ErasureDeps,
  recordingId: string,
  job: Removal,
  recording: RecordingAggregate | null | undefined,
): Promise<string[]> {
  // Activities that were stopped may still write: they are waited for.
  await recording?.quiet();
  await deps.leaveAudio?.(recordingId);
  let left: string[] = [];
  if (job === 'delete-documents') await deleteNamedDocuments(deps, recordingId);
  // Added before its fact, which then was refused or lost: nothing was promised.
  else if (await isPromised(deps, recordingId, job))
    left = await removeEverything(deps, recordingId);
  if (job === 'erase') await deps.jobs.complete(recordingId, 'keep-audio');
  await deps.jobs.complete(recordingId, job);
  return left;
}

async function removeEverything(deps: ErasureDeps, recordingId: string): Promise<string[]> {
  const { store, keys, before = () => {} } = deps;
  before('documents');
  const { bases, audio } = await namedIn(deps, recordingId);
  for (const [owner, names] of bases) {
    await deleteDocuments(deps, recordingId, owner, names);
    for (const base of names) await deps.names?.release(owner, comparable(base), recordingId);
  }
  before('copies');
  const left: string[] = [];
  for (const [owner, names] of bases) {
    const paths = [...names].flatMap((base) => Object.values(documentPaths(base)));
    left.push(...((await deps.removeCopies?.(owner, paths)) ?? []));
  }
  before('files');
  await deps.files.removeAll(recordingId);
  await removeQuarantined(deps.quarantineDir, recordingId, audio);
  before('rows');
  await deps.removeRows(recordingId);
  before('key');
  await keys.forget(recordingId);
  before('done');
  // Read once more as everything reads the log: what can still be read was not erased.
  for await (const fact of store.read(recordingStream(recordingId))) {
    if (fact.content !== undefined) throw new Error(`content of ${recordingId} is still readable`);
  }
  return left;
}
