import type { CommandMetadata } from '../../events/command-handler.ts';
import type { RecordingFact } from '../../events/facts/recording.ts';
import type { EventStore } from '../../events/store.ts';
import type { OpenRecordings } from './control/open-recordings.ts';
import { type ErasureCommands, type Removals, lastState } from './erasure.ts';
import { erasedState } from './handle.ts';

/** Recordings that are made of parts of others (`stages/assemble.ts`). */
export type MadeOfOthers = {
  /** Begins a recording that is made of parts of others, with all that is carried over: all of it or nothing. */
  beginMade(
    recordingId: string,
    facts: readonly RecordingFact[],
    metadata: CommandMetadata,
  ): Promise<void>;
  /** Erases a recording that is in another one whole; resolves when nothing is left of it. */
  absorb(recordingId: string, into: string): Promise<void>;
};

type Parts = { recordings: OpenRecordings; erasing: ErasureCommands; removals: Removals };

export const madeOfOthers = (
  { recordings, erasing, removals }: Parts,
  store: EventStore,
): MadeOfOthers => ({
  async beginMade(recordingId, facts, metadata) {
    await recordings.use(recordingId, { create: true }, (recording) =>
      recording.append(facts, metadata),
    );
  },
  async absorb(recordingId, into) {
    const state = await lastState(store, recordingId);
    if (state === undefined) return;
    const metadata = { by: 'system', command: `absorbed-by-${into}` };
    if (state !== erasedState) await erasing.erase(recordingId, metadata);
    else await removals.erase(recordingId, null);
  },
});
