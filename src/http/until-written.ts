import { recordingOf } from '../../events/recording-facts.ts';
import type { RecordingRow } from '../../projections/recording-row.ts';
import { recordingById } from '../../projections/recordings.ts';
import { limits } from './limits.ts';
import type { HttpServices } from './services.ts';

/**
 * Waits, at most as long as for a view, until a change is also in the documents, so that the next GET
 * of one has it. Returns the recording as it is then: failed or still at it is for the caller to show.
 */
export async function untilWritten(
  { storage, projections }: Pick<HttpServices, 'storage' | 'projections'>,
  recordingId: string,
): Promise<RecordingRow | undefined> {
  let timer: NodeJS.Timeout | undefined;
  let stop = () => {};
  const written = new Promise<void>((resolve, reject) => {
    const look = async () => {
      const row = await recordingById(storage, recordingId);
      if (row?.state !== 'transcribing.writing') resolve();
    };
    timer = setTimeout(resolve, limits.readYourWritesMs);
    stop = projections.onApplied((facts) => {
      if (facts.some((fact) => recordingOf(fact.stream) === recordingId)) look().catch(reject);
    });
    look().catch(reject);
  });
  try {
    await written;
    return await recordingById(storage, recordingId);
  } finally {
    clearTimeout(timer);
    stop();
  }
}
