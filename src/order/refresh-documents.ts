import { isDeepStrictEqual } from 'node:util';
import { userSubject } from '../../events/facts/catalogue.ts';
import type { KeyStore } from '../../events/key-store.ts';
import { isIn } from '../../machines/states.ts';
import { namesOf } from '../../projections/personal.ts';
import { orderOf } from '../../projections/recording/order.ts';
import { type Recording, documentFilesOf } from '../../projections/recording/recording.ts';
import type { OpenRecordingService } from '../recordings/service.ts';
import { hasCode } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { onceMore } from '../shared/once-more.ts';
import type { PendingJobs } from '../storage/pending-jobs.ts';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import { recordingById } from '../../projections/recordings.ts';
import type { ProjectionRunner } from '../../projections/runner/runner.ts';
import type { UnknownRecording } from '../recordings/refusals.ts';
import type { OrderBook } from './order-book.ts';

/**
 * Writes documents again that say another folder, or other tags, than their recording has by now, or lie with its former
 * owner: one recording after the other, so that whoever tags 500 delays nobody's transcript.
 */
export interface DocumentsRefreshing {
  /** Notes, durably, that a recording is about to be put elsewhere, or given to another: no crash leaves its documents behind. */
  note(recordingId: string): Promise<void>;
  /** Looks for what was noted, and has the next one written. Never rejects. */
  look(): Promise<void>;
  /** Of how many recordings of an owner the documents are left to be looked at; as it was within the last second. */
  left(owner: string): Promise<number>;
  close(): Promise<void>;
}

type RefreshingDeps = {
  recordingService: Pick<OpenRecordingService, 'read' | 'decide'>;
  order: Pick<OrderBook, 'of'>;
  keys: Pick<KeyStore, 'isErased'>;
  jobs: PendingJobs;
  projections: Pick<ProjectionRunner, 'onApplied'>;
  storage: ProjectionStorage;
  /** Whether this process does it for all. */
  isHere(): boolean;
  log: Log;
};

export function openDocumentsRefreshing(deps: RefreshingDeps): DocumentsRefreshing {
  const { jobs, isHere, log } = deps;
  let isClosed = false;
  const look = onceMore(async () => {
    if (!isHere() || isClosed) return;
    await writeNext(deps).catch((error: unknown) => {
      log.warn({ err: error }, 'documents could not be brought up to date; trying again');
    });
  });
  // The one that was written makes room for the next; what was given up may have waited for this.
  const stop = deps.projections.onApplied((facts) => {
    if (facts.some(({ type }) => isOver.has(type))) void look();
  });
  const counted = countedByOwner(deps);
  return {
    async note(recordingId) {
      await jobs.add(recordingId, 'refresh-documents');
      counted.forget();
    },
    look,
    left: async (owner) => (await counted.read()).get(owner) ?? 0,
    async close() {
      isClosed = true;
      stop();
      await look();
    },
  };
}

const isOver = new Set<string>(['documents.saved', 'processing.cancelled', 'error.cleared']);

/** For how long a count holds, in milliseconds: each status tells it. */
const countedMs = 1000;

/** How many are left by owner. */
function countedByOwner({ jobs, storage }: Pick<RefreshingDeps, 'jobs' | 'storage'>) {
  let owners: ReadonlyMap<string, string> = new Map();
  let known: { at: number; counts: Promise<ReadonlyMap<string, number>> } | null = null;
  const count = async (): Promise<ReadonlyMap<string, number>> => {
    const found = new Map<string, string>();
    for (const { recordingId, job } of await jobs.list()) {
      if (job !== 'refresh-documents') continue;
      const owner =
        owners.get(recordingId) ?? (await recordingById(storage, recordingId))?.owner ?? null;
      if (owner !== null) found.set(recordingId, owner);
    }
    owners = found;
    const counts = new Map<string, number>();
    for (const owner of found.values()) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    return counts;
  };
  return {
    forget: () => (known = null),
    async read() {
      if (known === null || Date.now() - known.at > countedMs)
        known = { at: Date.now(), counts: count() };
      const mine = known;
      return await mine.counts.catch((error: unknown) => {
        if (known === mine) known = null;
        throw error;
      });
    },
  };
}

/** Until one is being written, or none is left that can be. One that cannot be read keeps no other from it. */
async function writeNext(deps: RefreshingDeps): Promise<void> {
  for (const { recordingId, job } of await deps.jobs.list()) {
    if (job !== 'refresh-documents') continue;
    const isBegun = await writtenAgain(deps, recordingId).catch((error: unknown) => {
      deps.log.warn(
        { err: error, recordingId },
        'documents could not be brought up to date; trying again',
      );
      return false;
    });
    if (isBegun) return;
  }
}

/** @returns whether its documents are being written again */
async function writtenAgain(
  { jobs, recordingService, order, keys }: RefreshingDeps,
  recordingId: string,
): Promise<boolean> {
  const found = await recordingService.read(recordingId).catch((error: unknown) => {
    if (hasCode<UnknownRecording>(error, 'UNKNOWN_RECORDING')) return null;
    throw error;
  });
  const owner = found?.recording.files.owner ?? '';
  // What a deleted user left stays as it was put aside: the names of folders and tags are gone.
  const isOver = found === null || keys.isErased(userSubject(owner));
  const standing = isOver ? 'right' : await standingOf(found, order);
  if (standing === 'right') await jobs.complete(recordingId, 'refresh-documents');
  if (found === null || standing !== 'outdated') return false;
  // Of what is known now: where an earlier one was given up before it had documents, this is another.
  const command = `refresh-documents:${recordingId}:${found.recording.facts.length}`;
  const { facts } = await recordingService.decide(
    recordingId,
    { by: 'system', command },
    (_now, state) => (isIn(state, 'idle.saved') ? [{ type: 'documents.outdated', data: {} }] : []),
  );
  return facts.length > 0;
}

const sayOrder = new Set<string>(['recording.filed', 'tags.changed', 'documents.outdated']);

/** `right`: nothing is to be done. `later`: something is done with it, after which it is looked at again. */
async function standingOf(
  { recording, state }: { recording: Recording; state: string },
  order: Pick<OrderBook, 'of'>,
): Promise<'right' | 'later' | 'outdated'> {
  const { published } = recording.sources;
  // What is written at another time reads what holds then.
  const isUnwritten = published === null && !isIn(state, 'transcribing.writing');
  if (isUnwritten || (isIn(state, 'idle') && !isIn(state, 'idle.saved'))) return 'right';
  if (!isIn(state, 'idle.saved')) return 'later';
  const saved = published && documentFilesOf(recording, published).saved;
  if (!saved?.content) return 'right';
  // Handed over when nothing was written: they lie with the former owner.
  if (recording.files.documents?.owner !== recording.files.owner) return 'outdated';
  const { folder, tags = [] } = saved.content;
  const now = namesOf(orderOf(recording), await order.of(recording.files.owner ?? ''));
  // Written since, and they say something else: writing them once more would not help.
  const last = recording.facts.findLast(({ type }) => sayOrder.has(type));
  if (last?.type === 'documents.outdated' && last.version < saved.version) return 'right';
  const isSame = folder === now.folder && isDeepStrictEqual(tags, now.tags ?? []);
  return isSame ? 'right' : 'outdated';
}
