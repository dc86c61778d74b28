import { mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ifMissing, moveFolder } from '../shared/files.ts';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import { statusOf } from '../../projections/recordings.ts';
import type { Captures } from '../capture/captures.ts';
import type { Log } from '../shared/log.ts';
import { ifCode, StageError } from '../shared/errors.ts';
import type { OpenRecordingService } from '../recordings/service.ts';
import { NotAccepted } from '../recordings/refusals.ts';

/**
 * Moves the documents of a deleted user out of reach: `<data>/spaces/<id>` becomes
 * `<data>/quarantine/spaces/<id>-<time>`, durably. Nothing of the service looks there but
 * `mitschrift quarantine`, by which the administrator of the host deletes it. A user without documents has none to move;
 * those in a bucket stay where they are, below the id of a user that no one has again.
 */
export function archiveSpace(
  folders: { spaces: string; quarantine: string },
  clock: () => Date,
): (userId: string) => Promise<void> {
  const kept = join(folders.quarantine, 'spaces');
  return async (userId) => {
    const space = join(folders.spaces, userId);
    // Erasing what a deleted user left makes their folder again, and leaves it empty.
    const isEmpty = rmdir(space).then(() => true, ifMissing(true));
    if (await isEmpty.catch(ifCode(false, 'ENOTEMPTY', 'ENOTDIR'))) return;
    await mkdir(kept, { recursive: true, mode: 0o700 });
    const time = clock().toISOString().replace(/[-:.]/gu, '');
    const archived = join(kept, `${userId}-${time}`);
    // Who looks after deletions, at any node, may have done so in this moment.
    await moveFolder(space, archived).catch(ifMissing(undefined));
  };
}

/** Looks at what is left to be ended; each sees at most 200 recordings of a kind. */
const looksMax = 100;
/** Between two looks, when a recording could not be stopped yet: it may be just starting. Milliseconds. */
const pauseMs = 100;

/**
 * Ends whatever is being done with an owner's recordings: captures are stopped with everything that was
 * captured, the processing is cancelled, also of meetings that wait for names. Audio, words and documents
 * stay. When it resolves nothing writes into the owner's space any more but what cannot be given up, since it is being made
 * of parts of others: that ends by itself, and who looks again puts it aside.
 * @throws {Error} when there is no end of it; what the log says
 */
export async function endWorkOf(
  owner: string,
  onBehalf: { by: string; command: string },
  deps: {
    storage: ProjectionStorage;
    /** Resolves when what is in the log can be read. */
    upToDate(): Promise<void>;
    recordingService: Pick<OpenRecordingService, 'endWork'>;
    captures: Pick<Captures, 'stop'> & { browser: Pick<Captures['browser'], 'stop'> };
    log: Pick<Log, 'warn'>;
  },
): Promise<void> {
  const { storage, recordingService, captures, log } = deps;
  /** What cannot be ended. */
  const goingOn = new Set<string>();
  for (let looks = 1; looks <= looksMax; looks += 1) {
    await deps.upToDate();
    const { recordings, processing, speakersPending } = await statusOf(storage, owner);
    const unsettled = [...recordings, ...processing, ...speakersPending].filter(
      ({ recordingId }) => !goingOn.has(recordingId),
    );
    if (unsettled.length === 0) return;
    let refused = false;
    for (const { recordingId, device } of recordings) {
      const capture = device === null ? captures.browser : captures;
      const stoppedBy = { ...onBehalf, command: `${onBehalf.command}/${recordingId}` };
      await capture.stop(recordingId, stoppedBy).catch((error: unknown) => {
        // It has ended otherwise, or failed, which is in the log; if not, the next look finds it.
        if (!(error instanceof StageError)) throw error;
        refused = true;
        log.warn({ err: error, recordingId }, 'recording of a deleted user could not be stopped');
      });
    }
    // One command does one thing once: what goes on again since the last look is ended by another.
    const endedBy = { ...onBehalf, command: `${onBehalf.command}/${looks}` };
    for (const { recordingId } of unsettled) {
      await recordingService.endWork(recordingId, endedBy).catch((error: unknown) => {
        if (!(error instanceof NotAccepted)) throw error;
        goingOn.add(recordingId);
        log.warn({ err: error, recordingId }, 'work for a deleted user goes on until it is done');
      });
    }
    if (refused) await sleep(pauseMs);
  }
  throw new Error(`The recordings of ${owner} keep changing`);
}
