import { startingWith } from './list-page.ts';
import type { ProjectionStorage } from './runner/projection.ts';
import { keptRecording, recordingsName } from './recording-row.ts';
import { type TranscriptRow, readTexts, textKeysOf, textsShown } from './texts.ts';

/** The words of a recording; undefined when there is none, or it was erased. */
export async function transcriptOf(
  storage: ProjectionStorage,
  recordingId: string,
): Promise<TranscriptRow | undefined> {
  // Texts may go between two reads: then the recording names others, and they are read instead.
  for (let tries = 0; tries < 3; tries += 1) {
    const kept = await keptIn(storage, recordingId);
    if (!kept) return undefined;
    const row = await readTexts(storage, kept);
    const now = await keptIn(storage, recordingId);
    if (now && textsShown(now) === textsShown(kept)) return row;
  }
  throw new TranscriptMoving(recordingId);
}

/** Removes the rows of a recording's texts, whatever the projection has come to. */
export async function removeTexts(storage: ProjectionStorage, recordingId: string): Promise<void> {
  await storage.remove(recordingsName, startingWith(textKeysOf(recordingId)));
}

/** A transcript kept changing while it was read. Asking again helps. */
export class TranscriptMoving extends Error {
  override name = 'TranscriptMoving';
  readonly code = 'TRANSCRIPT_MOVING';
  readonly retriable = true;
  constructor(recordingId: string) {
    super(`The transcript of ${recordingId} was replaced while it was read`);
  }
}

async function keptIn(storage: ProjectionStorage, recordingId: string) {
  const kept = await keptRecording(storage, recordingId);
  return kept && kept.core.state !== 'idle.erased' ? kept : undefined;
}
