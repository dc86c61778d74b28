import { recordingStream } from '../../events/facts/recording.ts';
import type { EventStore } from '../../events/store.ts';
import type { Chores, Removal } from './chores.ts';
import { type ErasureDeps, deleteNamedDocuments, eraseEverything } from './erasure.ts';
import type { RecordingAggregate } from './aggregate.ts';

/** What is promised by facts to be removed from the disk, and done once at a time for each recording. */
export interface Removals {
  /** Noted durably; to be called before the fact is stored. */
  intend(recordingId: string, chore: Removal): Promise<void>;
  /** Crosses out what was noted for a fact that then was refused. */
  giveUp(recordingId: string, chore: Removal): Promise<void>;
  /** Does it; those who ask while it is done wait for the same. @throws what went wrong; it stays noted. */
  carryOut(
    recordingId: string,
    chore: Removal,
    recording?: RecordingAggregate | null,
  ): Promise<void>;
  /** What was noted and not crossed out. */
  undone(): Promise<{ recordingId: string; chore: Removal }[]>;
  /** Recordings whose key was destroyed, though their facts do not say that they are erased. */
  listedAsErased(): Promise<string[]>;
  /** Resolves when nothing is being removed. */
  settled(): Promise<void>;
}

export function openRemovals(deps: {
  store: EventStore;
  recordingsDir: string;
  quarantineDir: string;
  removal?: Pick<ErasureDeps, 'keys' | 'spaceOf' | 'applied' | 'before'> & {
    chores: Chores;
  };
  /** Resolves when nothing compresses or removes its audio any more. */
  leaveAudio?(recordingId: string): Promise<void>;
}): Removals {
  const { removal } = deps;
  const underWay = new Map<string, Promise<void>>();

  return {
    async intend(recordingId, chore) {
      await removal?.chores.note(recordingId, chore);
    },
    async giveUp(recordingId, chore) {
      await removal?.chores.done(recordingId, chore);
    },
    carryOut(recordingId, chore, recording) {
      const running = underWay.get(recordingId);
      if (running) return running;
      const work = remove(recordingId, chore, recording).finally(() =>
        underWay.delete(recordingId),
      );
      underWay.set(recordingId, work);
      return work;
    },
    async undone() {
      const undone = (await removal?.chores.list()) ?? [];
      return undone.flatMap(({ recordingId, chore }) =>
        chore === 'keep-audio' ? [] : [{ recordingId, chore }],
      );
    },
    async listedAsErased() {
      const found: string[] = [];
      for (const { subject } of (await removal?.keys.erasures()) ?? []) {
        const state = await stateOf(subject);
        if (state !== undefined && state !== 'idle.erased') found.push(subject);
      }
      return found;
    },
    async settled() {
      await Promise.allSettled(underWay.values());
    },
  };

  async function remove(
    recordingId: string,
    chore: Removal,
    recording?: RecordingAggregate | null,
  ): Promise<void> {
    if (!removal) return;
    // Activities that were left may still write: they are waited for.
    await recording?.quiet();
    await deps.leaveAudio?.(recordingId);
    if (chore === 'delete-documents')
      await deleteNamedDocuments({ ...deps, ...removal }, recordingId);
    // Noted before its fact, which then was refused or lost: nothing was promised.
    else if ((await stateOf(recordingId)) === 'idle.erased')
      await eraseEverything({ ...deps, ...removal }, recordingId);
    if (chore === 'erase') await removal.chores.done(recordingId, 'keep-audio');
    await removal.chores.done(recordingId, chore);
  }

  /** The state its last fact led to. */
  async function stateOf(recordingId: string): Promise<string | undefined> {
    const { store } = deps;
    let state: string | undefined;
    for await (const fact of store.read(recordingStream(recordingId))) state = fact.to;
    return state;
  }
}
